//! Reading jobs, lists and steps.

use auris_domain::id::{JobId, ProjectId, StepId};
use auris_domain::step::StepOutput;
use auris_domain::step::output::TaskOutput;
use auris_domain::time::Millis;
use auris_domain::wire::JsonText;
use serde_json::{Value, json};

use super::builders::{new_job, run_of, value};
use super::on_both_databases;
use super::test_store::{NOW, TestStore};

on_both_databases! {
    async fn pages_run_from_the_newest_to_the_oldest_job_without_gaps(test) {
        let mut made = Vec::new();
        for age in 0..7 {
            let run = run_of(&test.project, &[&[]], Millis(NOW.0 + age));
            made.push(run.job.id.clone());
            test.store.create_job(new_job(run)).await.unwrap();
        }
        made.reverse();
        let mut seen: Vec<JobId> = Vec::new();
        loop {
            let (page, more) = test.store.list_jobs(&test.project, seen.last(), 3).await.unwrap();
            seen.extend(page.into_iter().map(|stored| stored.job.id));
            if !more { break; }
        }
        assert_eq!(seen, made);
    }

    async fn a_cursor_need_not_be_an_existing_job(test) {
        test.job(&[&[]]).await;
        let later = JobId::generate(NOW.plus_ms(1));
        let (page, more) = test.store.list_jobs(&test.project, Some(&later), 10).await.unwrap();
        assert_eq!((page.len(), more), (1, false));
        let earlier = JobId::generate(NOW.plus_ms(-1));
        assert!(test.store.list_jobs(&test.project, Some(&earlier), 10).await.unwrap().0.is_empty());
    }

    async fn a_list_shows_light_results_and_a_job_its_full_one(test) {
        let id = test.finished_job().await;
        let (page, _) = test.store.list_jobs(&test.project, None, 10).await.unwrap();
        assert_eq!(page[0].result, Some(JsonText::of(&json!({"artifacts": []}))));
        let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
        assert_eq!(value(&stored.result.unwrap())["summary"], "the whole");
    }

    async fn another_project_sees_nothing(test) {
        let id = test.finished_job().await;
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        let steps = test.store.steps(&test.project, &id).await.unwrap().unwrap().parse().unwrap();
        assert!(test.store.job(&other, &id).await.unwrap().is_none());
        assert!(test.store.steps(&other, &id).await.unwrap().is_none());
        assert!(test.store.step(&other, &id, &steps[0].step.id).await.unwrap().is_none());
        assert!(test.store.list_jobs(&other, None, 10).await.unwrap().0.is_empty());
        assert!(test.store.job(&ProjectId::generate(NOW), &id).await.unwrap().is_none());
    }

    async fn a_queued_job_has_its_queue_position(test) {
        for age in 0..3 {
            let run = run_of(&test.project, &[&[]], Millis(NOW.0 + age));
            test.store.create_job(new_job(run)).await.unwrap();
        }
        let (page, _) = test.store.list_jobs(&test.project, None, 10).await.unwrap();
        let positions: Vec<Option<u64>> = page.iter().map(|stored| stored.job.progress.queue_position).collect();
        assert_eq!(positions, [Some(2), Some(1), Some(0)]);
        let oldest = page[2].job.id.clone();
        test.claim("worker").await;
        let stored = test.store.job(&test.project, &oldest).await.unwrap().unwrap();
        assert_eq!(stored.job.progress.queue_position, None);
    }

    async fn a_queue_position_counts_only_jobs_of_the_project(test) {
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        let mut own = Vec::new();
        for age in 0..3 {
            test.store.create_job(new_job(run_of(&other, &[&[]], Millis(NOW.0 + age)))).await.unwrap();
            let run = run_of(&test.project, &[&[]], Millis(NOW.0 + age));
            let expected = test.store.queue_position(&test.project, &run.job.id).await.unwrap();
            own.push((run.job.id.clone(), expected));
            test.store.create_job(new_job(run)).await.unwrap();
        }
        let expected: Vec<u64> = own.iter().map(|(_, position)| *position).collect();
        assert_eq!(expected, [0, 1, 2]);
        let (page, _) = test.store.list_jobs(&test.project, None, 2).await.unwrap();
        let positions: Vec<Option<u64>> = page.iter().map(|stored| stored.job.progress.queue_position).collect();
        assert_eq!(positions, [Some(2), Some(1)]);
        for (id, position) in own {
            let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
            assert_eq!(stored.job.progress.queue_position, Some(position));
        }
    }

    async fn steps_are_read_in_order_with_their_outputs(test) {
        let id = test.job(&[&[], &[0]]).await;
        for claimed in test.claim("worker").await {
            test.complete(&claimed).await.unwrap();
        }
        let steps = test.store.steps(&test.project, &id).await.unwrap().unwrap().parse().unwrap();
        let ordinals: Vec<i64> = steps.iter().map(|stored| stored.step.ordinal).collect();
        assert_eq!(ordinals, [0, 1]);
        assert_eq!(steps[0].output, Some(JsonText::of(&json!({"text": "output 0", "json": null}))));
        assert_eq!(steps[0].response, Some(JsonText::of(&json!({"raw": true}))));
        assert_eq!(steps[1].output, None);
        let one = test.store.step(&test.project, &id, &steps[0].step.id).await.unwrap().unwrap().parse().unwrap();
        assert_eq!(one, steps[0]);
        assert!(test.store.step(&test.project, &id, &StepId::generate(NOW)).await.unwrap().is_none());
        let outputs = test.store.outputs(&id).await.unwrap().parse().unwrap();
        let output = TaskOutput { text: "output 0".into(), json: Value::Null };
        assert_eq!(outputs, [("tasks/step-0".to_owned(), StepOutput::Task(output))]);
    }
}
