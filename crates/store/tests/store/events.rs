//! Events: dense numbers, fenced appends, content put in when read.

use auris_domain::event::{Event, EventType, Subject};
use auris_domain::id::JobId;
use serde_json::{Value, json};

use super::bed::{Bed, NOW};
use super::on_both;
use crate::{AudioProgress, NewEvent};

fn segment(number: usize) -> NewEvent {
    NewEvent {
        kind: EventType::TranscriptSegment,
        step_id: None,
        data: json!({"id": number, "text": "a \u{0} word"}),
    }
}

async fn told(bed: &Bed, id: &JobId) -> Vec<Event> {
    let mut events = bed.store.read_events(id, 0, 100).await.unwrap();
    for event in &mut events {
        bed.store.fill_in(event).await.unwrap();
    }
    events
}

on_both! {
    async fn numbers_are_dense_however_many_write_at_once(bed) {
        let id = bed.job(&[&[], &[]]).await;
        let claimed = bed.claim("worker").await;
        let writers = (0..40).map(|number| {
            let (store, id) = (bed.store.clone(), id.clone());
            let events = (0..number % 4).map(segment).collect();
            let ordinal = number as i64 % 2;
            tokio::spawn(async move {
                let appended = store.append_events(&id, (ordinal, 1), events, None, NOW).await.unwrap();
                // The other step finishes in the midst of it, and then its fence falls.
                assert!(appended || ordinal == 0);
            })
        });
        let finisher = bed.complete(&claimed[0]);
        let (written, finished) = tokio::join!(futures::future::try_join_all(writers), finisher);
        written.unwrap();
        finished.unwrap();
        bed.complete(&claimed[1]).await.unwrap();
        let events = bed.store.read_events(&id, 0, 1000).await.unwrap();
        let numbers: Vec<i64> = events.iter().map(|event| event.sequence).collect();
        let dense: Vec<i64> = (1..=events.len() as i64).collect();
        assert_eq!(numbers, dense);
        assert_eq!(bed.store.last_sequence(&id).await.unwrap(), dense.len() as i64);
        assert_eq!(events.last().unwrap().kind, EventType::JobCompleted);
    }

    async fn nothing_is_appended_once_the_fence_has_fallen(bed) {
        let id = bed.job(&[&[], &[]]).await;
        let claimed = bed.claim("worker").await;
        assert!(bed.store.append_events(&id, (0, 1), vec![segment(1)], None, NOW).await.unwrap());
        for stale in [(0, 2), (0, 0), (5, 1)] {
            assert!(!bed.store.append_events(&id, stale, vec![segment(2)], None, NOW).await.unwrap());
        }
        bed.complete(&claimed[0]).await.unwrap();
        assert!(!bed.store.append_events(&id, (0, 1), vec![segment(3)], None, NOW).await.unwrap());
        assert_eq!(bed.store.count_events(&id, EventType::TranscriptSegment).await.unwrap(), 1);
        bed.complete(&claimed[1]).await.unwrap();
        assert!(!bed.store.append_events(&id, (1, 1), vec![segment(4)], None, NOW).await.unwrap());
        let last = bed.store.last_sequence(&id).await.unwrap();
        assert_eq!(bed.store.read_events(&id, 0, 100).await.unwrap().len() as i64, last);
    }

    async fn progress_shows_the_job_as_it_has_become(bed) {
        let id = bed.job(&[&[]]).await;
        bed.claim("worker").await;
        let event = NewEvent { kind: EventType::JobProgress, step_id: None, data: Value::Null };
        let progress = AudioProgress { percent: 42, processed_seconds: Some(4.2), total_seconds: Some(10.0) };
        bed.store.append_events(&id, (0, 1), vec![event], Some(progress), NOW).await.unwrap();
        let events = bed.store.read_events(&id, 4, 10).await.unwrap();
        assert_eq!(events[0].data["progress"]["percent"], 42);
        assert_eq!(events[0].data["progress"]["audio_seconds_processed"], 4.2);
        assert_eq!(events[0].data["object"], "job");
    }

    async fn content_is_put_in_when_an_event_is_told(bed) {
        let id = bed.finished_job().await;
        let events = told(bed, &id).await;
        let of = |kind| events.iter().find(|event| event.kind == kind).unwrap();
        assert_eq!(of(EventType::StepCompleted).data["output"]["text"], "output 0");
        assert_eq!(of(EventType::StepCompleted).data["response"]["raw"], true);
        assert_eq!(of(EventType::JobCompleted).data["result"]["summary"], "the whole");
        assert_eq!(of(EventType::JobInProgress).data["result"], Value::Null);
        bed.store.delete_content(&bed.project, &id, NOW, auris_domain::artifact::ArtifactStatus::Deleted).await.unwrap();
        for event in told(bed, &id).await {
            assert!(!event.data.to_string().contains("the whole"));
            assert!(!event.data.to_string().contains("output 0"));
        }
    }

    async fn reading_goes_on_after_a_number(bed) {
        let id = bed.finished_job().await;
        let all = bed.store.read_events(&id, 0, 100).await.unwrap();
        let mut seen = Vec::new();
        while seen.len() < all.len() {
            let after = seen.len() as i64;
            seen.extend(bed.store.read_events(&id, after, 2).await.unwrap());
        }
        assert_eq!(seen, all);
    }
}

#[test]
fn the_deletion_names_every_kind_of_event_that_is_content() {
    let statement =
        crate::jobs::delete_content::STATEMENTS.iter().find(|(name, _)| name.ends_with("CLEAR_EVENTS")).unwrap();
    for kind in EventType::ALL {
        let named = statement.1.sqlite.contains(&format!("'{}'", kind.as_str()));
        assert_eq!(named, kind.subject() == Subject::Content, "{kind:?}");
    }
}
