//! Creating jobs, with and without an idempotency key.

use auris_domain::event::EventType;
use auris_domain::step::Step;

use super::builders::{artifact_of, keyed, new_job, run_of, value};
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};
use auris_store::{Creation, Keyed, NewJob, StoredResponse};

/// The steps as they are read to be changed.
fn without_work(steps: &[Step]) -> Vec<Step> {
    let mut steps = steps.to_vec();
    steps.iter_mut().for_each(|step| step.work = None);
    steps
}

on_both_databases! {
    async fn a_job_is_read_back_as_it_was_created(test) {
        let run = run_of(&test.project, &[&[], &[0]], NOW);
        let artifact = artifact_of(&run.job);
        let new = NewJob { artifacts: vec![artifact.clone()], ..new_job(run.clone()) };
        test.store.create_job(new.clone()).await.unwrap();
        let loaded = test.store.load_run(&run.job.id).await.unwrap().unwrap();
        assert_eq!(loaded.run.job, run.job);
        assert_eq!(loaded.run.steps, without_work(&run.steps));
        assert_eq!(test.store.job_request(&run.job.id).await.unwrap(), Some(new.request));
        assert_eq!(test.store.artifacts_of(&run.job.id).await.unwrap(), vec![artifact]);
        let claimed = test.claim("worker").await.remove(0);
        assert_eq!(Some(claimed.work()), run.steps[0].work.as_ref());
    }

    async fn a_job_of_many_steps_is_stored_whole_or_not_at_all(test) {
        let run = run_of(&test.project, &[&[] as &[i64]; 40], NOW);
        test.store.create_job(new_job(run.clone())).await.unwrap();
        let loaded = test.store.load_run(&run.job.id).await.unwrap().unwrap();
        assert_eq!(loaded.run.steps, without_work(&run.steps));
        assert_eq!(test.store.last_sequence(&run.job.id).await.unwrap(), 41);
        let mut other = run_of(&test.project, &[&[] as &[i64]; 40], NOW);
        other.steps[39].id = run.steps[0].id.clone();
        assert!(test.store.create_job(new_job(other.clone())).await.is_err());
        assert!(test.store.load_run(&other.job.id).await.unwrap().is_none());
        assert_eq!(test.number("SELECT COUNT(*) AS n FROM jobs", args![]).await, 1);
        assert_eq!(test.number("SELECT COUNT(*) AS n FROM steps", args![]).await, 40);
    }

    async fn the_first_events_are_the_job_and_its_queued_steps(test) {
        let id = test.job(&[&[], &[], &[0, 1]]).await;
        let events = test.store.read_events(&id, 0, 100).await.unwrap();
        let kinds: Vec<(i64, EventType)> = events.iter().map(|event| (event.sequence, event.kind)).collect();
        assert_eq!(kinds, [(1, EventType::JobQueued), (2, EventType::StepQueued), (3, EventType::StepQueued)]);
        assert_eq!(value(&events[0].data)["status"], "queued");
        assert_eq!(value(&events[2].data)["key"], "tasks/step-1");
        assert_eq!(test.store.last_sequence(&id).await.unwrap(), 3);
    }

    async fn many_creations_with_one_key_create_one_job(test) {
        let creations = (0..100).map(|_| {
            let store = test.store.clone();
            let mut new = new_job(run_of(&test.project, &[&[]], NOW));
            let mut answer = keyed(&test.project, "key", "request");
            answer.body = new.run.job.id.to_string();
            new.idempotency = Some(answer);
            tokio::spawn(async move { store.create_job(new).await.unwrap() })
        });
        let outcomes: Vec<Keyed<Creation>> = futures::future::try_join_all(creations).await.unwrap();
        let created = outcomes.iter().filter(|outcome| **outcome == Keyed::Done(Creation::Created)).count();
        assert_eq!(created, 1);
        let (jobs, _) = test.store.list_jobs(&test.project, None, 100).await.unwrap();
        assert_eq!(jobs.len(), 1);
        let first = Keyed::Replayed(StoredResponse {
            status: 202,
            content_type: "application/json".into(),
            body: jobs[0].job.id.to_string(),
        });
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == first).count(), 99);
    }

    async fn a_key_of_a_different_request_is_refused_and_nothing_is_written(test) {
        for (fingerprint, outcome) in [("one", Keyed::Done(Creation::Created)), ("two", Keyed::KeyReused)] {
            let mut new = new_job(run_of(&test.project, &[&[]], NOW));
            new.idempotency = Some(keyed(&test.project, "key", fingerprint));
            assert_eq!(test.store.create_job(new).await.unwrap(), outcome);
        }
        for table in [
            "SELECT COUNT(*) AS n FROM jobs",
            "SELECT COUNT(*) AS n FROM steps",
            "SELECT COUNT(*) AS n FROM job_requests",
        ] {
            assert_eq!(test.number(table, args![]).await, 1, "{table}");
        }
    }

    async fn a_job_that_cannot_be_stored_leaves_its_key_unused(test) {
        let run = run_of(&test.project, &[&[]], NOW);
        test.store.create_job(new_job(run.clone())).await.unwrap();
        let mut twice = new_job(run);
        twice.idempotency = Some(keyed(&test.project, "key", "request"));
        assert!(test.store.create_job(twice).await.is_err());
        let scope = keyed(&test.project, "key", "request").scope;
        assert_eq!(test.store.lookup_key(&scope, NOW).await.unwrap(), None);
    }
}
