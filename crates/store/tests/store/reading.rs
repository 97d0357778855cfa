//! Reading jobs, lists and steps.

use auris_domain::id::{JobId, ProjectId, StepId};
use auris_domain::time::Millis;
use serde_json::json;

use super::bed::{Bed, NOW};
use super::build::{new_job, run_of};
use super::on_both;

on_both! {
    async fn pages_go_from_the_newest_to_the_oldest_without_gaps(bed) {
        let mut made = Vec::new();
        for age in 0..7 {
            let run = run_of(&bed.project, &[&[]], Millis(NOW.0 + age));
            made.push(run.job.id.clone());
            bed.store.create_job(new_job(run)).await.unwrap();
        }
        made.reverse();
        let mut seen: Vec<JobId> = Vec::new();
        loop {
            let (page, more) = bed.store.list_jobs(&bed.project, seen.last(), 3).await.unwrap();
            seen.extend(page.into_iter().map(|stored| stored.job.id));
            if !more { break; }
        }
        assert_eq!(seen, made);
    }

    async fn a_cursor_needs_no_such_job(bed) {
        bed.job(&[&[]]).await;
        let later = JobId::generate(NOW.plus_ms(1));
        let (page, more) = bed.store.list_jobs(&bed.project, Some(&later), 10).await.unwrap();
        assert_eq!((page.len(), more), (1, false));
        let earlier = JobId::generate(NOW.plus_ms(-1));
        assert!(bed.store.list_jobs(&bed.project, Some(&earlier), 10).await.unwrap().0.is_empty());
    }

    async fn a_list_shows_light_results_and_a_job_its_whole_one(bed) {
        let id = bed.finished_job().await;
        let (page, _) = bed.store.list_jobs(&bed.project, None, 10).await.unwrap();
        assert_eq!(page[0].result, Some(json!({"artifacts": []})));
        let stored = bed.store.job(&bed.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.result.unwrap()["summary"], "the whole");
    }

    async fn another_project_sees_nothing(bed) {
        let id = bed.finished_job().await;
        let other = bed.store.create_project("other", NOW).await.unwrap().unwrap().id;
        let steps = bed.store.steps(&bed.project, &id).await.unwrap().unwrap();
        assert!(bed.store.job(&other, &id).await.unwrap().is_none());
        assert!(bed.store.steps(&other, &id).await.unwrap().is_none());
        assert!(bed.store.step(&other, &id, &steps[0].step.id).await.unwrap().is_none());
        assert!(bed.store.list_jobs(&other, None, 10).await.unwrap().0.is_empty());
        assert!(bed.store.job(&ProjectId::generate(NOW), &id).await.unwrap().is_none());
    }

    async fn a_queued_job_knows_how_many_wait_before_it(bed) {
        for age in 0..3 {
            let run = run_of(&bed.project, &[&[]], Millis(NOW.0 + age));
            bed.store.create_job(new_job(run)).await.unwrap();
        }
        let (page, _) = bed.store.list_jobs(&bed.project, None, 10).await.unwrap();
        let positions: Vec<Option<u64>> = page.iter().map(|stored| stored.job.progress.queue_position).collect();
        assert_eq!(positions, [Some(2), Some(1), Some(0)]);
        let oldest = page[2].job.id.clone();
        bed.claim("worker").await;
        let stored = bed.store.job(&bed.project, &oldest).await.unwrap().unwrap();
        assert_eq!(stored.job.progress.queue_position, None);
    }

    async fn steps_come_in_order_with_what_they_left_behind(bed) {
        let id = bed.job(&[&[], &[0]]).await;
        for claimed in bed.claim("worker").await {
            bed.complete(&claimed).await.unwrap();
        }
        let steps = bed.store.steps(&bed.project, &id).await.unwrap().unwrap();
        let ordinals: Vec<i64> = steps.iter().map(|stored| stored.step.ordinal).collect();
        assert_eq!(ordinals, [0, 1]);
        assert_eq!(steps[0].output, Some(json!({"text": "output 0"})));
        assert_eq!(steps[0].response, Some(json!({"raw": true})));
        assert_eq!(steps[1].output, None);
        let one = bed.store.step(&bed.project, &id, &steps[0].step.id).await.unwrap().unwrap();
        assert_eq!(one, steps[0]);
        assert!(bed.store.step(&bed.project, &id, &StepId::generate(NOW)).await.unwrap().is_none());
        let outputs = bed.store.outputs(&id).await.unwrap();
        assert_eq!(outputs, [("tasks/step-0".to_owned(), json!({"text": "output 0"}))]);
    }
}
