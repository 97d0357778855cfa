//! Large results and outputs: left out of what is read on the caller's thread, and read when memory was reserved.

use auris_domain::event::EventType;
use auris_domain::id::JobId;
use auris_domain::result::JobResult;
use auris_domain::wire::JsonText;
use auris_store::{NewEvent, StepContent};
use serde_json::json;

use super::builders::{complete, new_job, run_of, step_events, value};
use super::on_both_databases;
use super::test_store::{NOW, TestStore};

const LARGE: usize = 200_000;

fn large() -> JsonText {
    JsonText::of(&json!({"text": "ü".repeat(LARGE / 2), "json": null}))
}

/// A completed job with a large output and a large result.
async fn large_job(test: &TestStore) -> JobId {
    let id = test.job(&[&[]]).await;
    complete_next(test).await;
    id
}

/// Completes the only queued job with a large output and a large result.
async fn complete_next(test: &TestStore) {
    let claimed = test.claim("worker").await.remove(0);
    let mut commit = test.prepare(claimed.job_id(), complete(&claimed)).await;
    commit.step_content =
        Some(StepContent { ordinal: 0, output: large(), response: JsonText::of(&json!({})) });
    commit.result = Some(JobResult { full: large(), light: JsonText::of(&json!({})) });
    test.store.commit_run(commit).await.unwrap();
}

on_both_databases! {
    async fn a_large_result_is_read_apart_from_its_job(test) {
        let id = large_job(test).await;
        let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
        assert_eq!((stored.result, stored.large_result_bytes), (None, Some(large().as_str().len() as u64)));
        let result = test.store.large_result(&id).await.unwrap().unwrap();
        assert!(result.bytes() >= LARGE);
        assert_eq!(result.parse().unwrap(), large());
        let small = test.finished_job().await;
        assert_eq!(test.store.job(&test.project, &small).await.unwrap().unwrap().large_result_bytes, None);
    }

    async fn the_size_of_the_results_of_analyses_is_known_before_they_are_read(test) {
        let recording = test.finished_job().await;
        let mut analyses = Vec::new();
        for number in 0..3 {
            let mut analysis = new_job(run_of(&test.project, &[&[]], NOW.plus_ms(number)));
            analysis.links.analysed = Some(recording.clone());
            analyses.push(analysis.run.job.id.clone());
            test.store.create_job(analysis).await.unwrap();
            // The last one waits.
            if number < 2 {
                complete_next(test).await;
            }
        }
        let bytes = large().as_str().len() as u64;
        for (limit, results) in [(1, 0), (2, 1), (9, 2)] {
            assert_eq!(test.store.result_bytes_of_analyses(&recording, limit).await.unwrap(), results * bytes);
            let read = test.store.results_of_analyses(&recording, limit).await.unwrap().parse().unwrap();
            assert!(read.len() as u64 == results && read.iter().all(|(_, result)| *result == large()));
        }
        let latest = test.store.latest_analyses(&recording, 2).await.unwrap();
        let ids: Vec<_> = latest.into_iter().map(|job| job.id).collect();
        assert_eq!(ids, [analyses[2].clone(), analyses[1].clone()]);
        assert_eq!(test.store.result_bytes_of_analyses(&analyses[0], 9).await.unwrap(), 0);
    }

    async fn the_size_of_steps_is_known_before_they_are_read(test) {
        let id = large_job(test).await;
        let bytes = (large().as_str().len() + "{}".len()) as u64;
        assert_eq!(test.store.content_of_steps(&test.project, &id).await.unwrap(), bytes);
        let steps = test.store.steps(&test.project, &id).await.unwrap().unwrap();
        assert!(steps.bytes() as u64 >= bytes);
        let step = steps.parse().unwrap().remove(0).step.id;
        assert_eq!(test.store.content_of_step(&test.project, &id, &step).await.unwrap(), bytes);
        let queued = test.job(&[&[]]).await;
        assert_eq!(test.store.content_of_steps(&test.project, &queued).await.unwrap(), 0);
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert_eq!(test.store.content_of_steps(&other, &id).await.unwrap(), 0);
        assert_eq!(test.store.content_of_step(&other, &id, &step).await.unwrap(), 0);
    }

    async fn a_batch_of_events_has_no_large_content(test) {
        let id = large_job(test).await;
        let waiter = test.store.wakeups().subscribe_job(&id);
        let batch = test.store.events_for(&waiter, 0, 100).await.unwrap();
        let large_events: Vec<_> = batch.events.iter().filter(|shared| shared.large_content.is_some()).collect();
        let kinds: Vec<_> = large_events.iter().map(|shared| shared.event.kind).collect();
        assert_eq!(kinds, [EventType::StepCompleted, EventType::JobCompleted]);
        for shared in large_events {
            assert!(shared.large_content.is_some_and(|bytes| bytes as usize > LARGE));
            assert!(shared.event.data.as_str().len() < 10_000);
            let filled = test.store.fill_in_large(&shared.event).await.unwrap();
            assert!(filled.bytes() > LARGE);
            let field = if shared.event.kind.is_terminal() { "result" } else { "output" };
            assert_eq!(value(&filled.parse().unwrap().data)[field], value(&large()));
        }
    }

    async fn a_batch_of_events_is_limited_in_bytes(test) {
        let id = test.job(&[&[]]).await;
        test.claim("worker").await;
        let segment = |_| NewEvent {
            kind: EventType::TranscriptSegment,
            step_id: None,
            data: JsonText::of(&json!({"text": "a".repeat(20_000)})),
        };
        let events = (0..9).map(segment).collect();
        test.store.append_events(step_events(&id, (0, 1), events, None)).await.unwrap();
        let last = test.store.last_sequence(&id).await.unwrap();
        let waiter = test.store.wakeups().subscribe_job(&id);
        let mut seen = 0;
        loop {
            let batch = test.store.events_for(&waiter, seen, 100).await.unwrap();
            let bytes: usize = batch.events.iter().map(|shared| shared.event.data.as_str().len()).sum();
            assert!(bytes < 100_000, "{bytes}");
            seen += batch.events.len() as i64;
            if !batch.has_more {
                break;
            }
        }
        assert_eq!(seen, last);
    }
}
