//! Events: numbers without gaps, fenced appends, content added when they are read.

use auris_domain::event::{Event, EventType};
use auris_domain::id::JobId;
use auris_domain::wire::JsonText;
use serde_json::{Value, json};

use super::builders::{step_events, value};
use super::on_both_databases;
use super::test_store::{NOW, TestStore};
use auris_store::{AudioProgress, NewEvent, all_statements};

fn segment(number: usize) -> NewEvent {
    NewEvent {
        kind: EventType::TranscriptSegment,
        step_id: None,
        data: JsonText::of(&json!({"id": number, "text": "a \u{0} word"})),
    }
}

async fn filled_events(test: &TestStore, id: &JobId) -> Vec<Event> {
    let mut events = test.store.read_events(id, 0, 100).await.unwrap();
    for event in &mut events {
        test.store.fill_in(event).await.unwrap();
    }
    events
}

on_both_databases! {
    async fn event_numbers_have_no_gaps_under_concurrent_writes(test) {
        let id = test.job(&[&[], &[]]).await;
        let claimed = test.claim("worker").await;
        let writers = (0..40).map(|number| {
            let store = test.store.clone();
            let id = id.clone();
            let events = (0..number % 4).map(segment).collect();
            let ordinal = number as i64 % 2;
            tokio::spawn(async move {
                let appended = store.append_events(step_events(&id, (ordinal, 1), events, None)).await.unwrap();
                // Step 0 finishes in the meantime, and then its attempt no longer runs.
                assert!(appended || ordinal == 0);
            })
        });
        let finisher = test.complete(&claimed[0]);
        let (written, finished) = tokio::join!(futures::future::try_join_all(writers), finisher);
        written.unwrap();
        finished.unwrap();
        test.complete(&claimed[1]).await.unwrap();
        let events = test.store.read_events(&id, 0, 1000).await.unwrap();
        let numbers: Vec<i64> = events.iter().map(|event| event.sequence).collect();
        let dense: Vec<i64> = (1..=events.len() as i64).collect();
        assert_eq!(numbers, dense);
        assert_eq!(test.store.last_sequence(&id).await.unwrap(), dense.len() as i64);
        assert_eq!(events.last().unwrap().kind, EventType::JobCompleted);
    }

    async fn nothing_is_appended_for_an_attempt_that_no_longer_runs(test) {
        let id = test.job(&[&[], &[]]).await;
        let claimed = test.claim("worker").await;
        assert!(test.store.append_events(step_events(&id, (0, 1), vec![segment(1)], None)).await.unwrap());
        for stale in [(0, 2), (0, 0), (5, 1)] {
            assert!(!test.store.append_events(step_events(&id, stale, vec![segment(2)], None)).await.unwrap());
        }
        test.complete(&claimed[0]).await.unwrap();
        assert!(!test.store.append_events(step_events(&id, (0, 1), vec![segment(3)], None)).await.unwrap());
        assert_eq!(test.store.count_events(&id, EventType::TranscriptSegment).await.unwrap(), 1);
        test.complete(&claimed[1]).await.unwrap();
        assert!(!test.store.append_events(step_events(&id, (1, 1), vec![segment(4)], None)).await.unwrap());
        let last = test.store.last_sequence(&id).await.unwrap();
        assert_eq!(test.store.read_events(&id, 0, 100).await.unwrap().len() as i64, last);
    }

    async fn a_progress_event_shows_the_updated_job(test) {
        let id = test.job(&[&[]]).await;
        test.claim("worker").await;
        let event = NewEvent { kind: EventType::JobProgress, step_id: None, data: JsonText::of(&json!({})) };
        let progress = AudioProgress { percent: 42, processed_seconds: Some(4.2), total_seconds: Some(10.0) };
        test.store.append_events(step_events(&id, (0, 1), vec![event], Some(progress))).await.unwrap();
        let events = test.store.read_events(&id, 4, 10).await.unwrap();
        let job = value(&events[0].data);
        assert_eq!(job["progress"]["percent"], 42);
        assert_eq!(job["progress"]["audio_seconds_processed"], 4.2);
        assert_eq!(job["object"], "job");
    }

    async fn content_is_added_when_an_event_is_read(test) {
        let id = test.finished_job().await;
        let events = filled_events(test, &id).await;
        let of = |kind| value(&events.iter().find(|event| event.kind == kind).unwrap().data);
        assert_eq!(of(EventType::StepCompleted)["output"]["text"], "output 0");
        assert_eq!(of(EventType::StepCompleted)["response"]["raw"], true);
        assert_eq!(of(EventType::JobCompleted)["result"]["summary"], "the whole");
        assert_eq!(of(EventType::JobInProgress)["result"], Value::Null);
        test.store.delete_content(&test.project, &id, NOW, auris_domain::artifact::ArtifactStatus::Deleted).await.unwrap();
        for event in filled_events(test, &id).await {
            assert!(!event.data.as_str().contains("the whole"));
            assert!(!event.data.as_str().contains("output 0"));
        }
    }

    async fn reading_continues_after_a_number(test) {
        let id = test.finished_job().await;
        let all = test.store.read_events(&id, 0, 100).await.unwrap();
        let mut seen = Vec::new();
        while seen.len() < all.len() {
            let after = seen.len() as i64;
            seen.extend(test.store.read_events(&id, after, 2).await.unwrap());
        }
        assert_eq!(seen, all);
    }
}

#[test]
fn deleting_content_clears_every_kind_of_event_that_is_content() {
    let all = all_statements();
    let clear = all.iter().find(|statement| statement.name.ends_with("CLEAR_EVENTS")).unwrap();
    for kind in EventType::ALL {
        let is_cleared = clear.sqlite.contains(&format!("'{}'", kind.as_str()));
        let is_content = matches!(kind, EventType::TranscriptSegment | EventType::TaskDelta);
        assert_eq!(is_cleared, is_content, "{kind:?}");
    }
}
