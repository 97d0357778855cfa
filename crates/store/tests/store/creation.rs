//! Making jobs, with and without a key.

use auris_domain::event::EventType;

use super::bed::{Bed, NOW};
use super::build::{artifact_of, keyed, new_job, run_of};
use super::on_both;
use crate::sql::database::args;
use crate::{Creation, NewJob, StoredAnswer};

on_both! {
    async fn a_job_is_read_back_as_it_was_made(bed) {
        let run = run_of(&bed.project, &[&[], &[0]], NOW);
        let artifact = artifact_of(&run.job);
        let new = NewJob { artifacts: vec![artifact.clone()], ..new_job(run.clone()) };
        bed.store.create_job(new.clone()).await.unwrap();
        let loaded = bed.store.load_run(&run.job.id).await.unwrap().unwrap();
        assert_eq!(loaded.run.job, run.job);
        assert_eq!(loaded.run.steps, run.steps);
        assert_eq!(bed.store.job_request(&run.job.id).await.unwrap(), Some(new.request));
        assert_eq!(bed.store.artifacts_of(&run.job.id).await.unwrap(), vec![artifact]);
    }

    async fn a_job_of_many_steps_is_stored_whole_or_not_at_all(bed) {
        let run = run_of(&bed.project, &[&[] as &[i64]; 40], NOW);
        bed.store.create_job(new_job(run.clone())).await.unwrap();
        assert_eq!(bed.store.load_run(&run.job.id).await.unwrap().unwrap().run.steps, run.steps);
        assert_eq!(bed.store.last_sequence(&run.job.id).await.unwrap(), 41);
        let mut other = run_of(&bed.project, &[&[] as &[i64]; 40], NOW);
        other.steps[39].id = run.steps[0].id.clone();
        assert!(bed.store.create_job(new_job(other.clone())).await.is_err());
        assert!(bed.store.load_run(&other.job.id).await.unwrap().is_none());
        assert_eq!(bed.number("SELECT COUNT(*) AS n FROM jobs", args![]).await, 1);
        assert_eq!(bed.number("SELECT COUNT(*) AS n FROM steps", args![]).await, 40);
    }

    async fn the_first_events_tell_of_the_job_and_its_queued_steps(bed) {
        let id = bed.job(&[&[], &[], &[0, 1]]).await;
        let events = bed.store.read_events(&id, 0, 100).await.unwrap();
        let told: Vec<(i64, EventType)> = events.iter().map(|event| (event.sequence, event.kind)).collect();
        assert_eq!(told, [(1, EventType::JobQueued), (2, EventType::StepQueued), (3, EventType::StepQueued)]);
        assert_eq!(events[0].data["status"], "queued");
        assert_eq!(events[2].data["key"], "tasks/step-1");
        assert_eq!(bed.store.last_sequence(&id).await.unwrap(), 3);
    }

    async fn many_creations_with_one_key_make_one_job(bed) {
        let creations = (0..100).map(|_| {
            let store = bed.store.clone();
            let mut new = new_job(run_of(&bed.project, &[&[]], NOW));
            let mut answer = keyed(&bed.project, "key", "request");
            answer.body = new.run.job.id.to_string();
            new.idempotency = Some(answer);
            tokio::spawn(async move { store.create_job(new).await.unwrap() })
        });
        let outcomes: Vec<Creation> = futures::future::try_join_all(creations).await.unwrap();
        let created = outcomes.iter().filter(|outcome| **outcome == Creation::Created).count();
        assert_eq!(created, 1);
        let (jobs, _) = bed.store.list_jobs(&bed.project, None, 100).await.unwrap();
        assert_eq!(jobs.len(), 1);
        let first = Creation::Replayed(StoredAnswer {
            status: 202,
            content_type: "application/json".into(),
            body: jobs[0].job.id.to_string(),
        });
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == first).count(), 99);
    }

    async fn a_key_of_another_request_is_refused_and_nothing_is_written(bed) {
        for (fingerprint, outcome) in [("one", Creation::Created), ("two", Creation::KeyReused)] {
            let mut new = new_job(run_of(&bed.project, &[&[]], NOW));
            new.idempotency = Some(keyed(&bed.project, "key", fingerprint));
            assert_eq!(bed.store.create_job(new).await.unwrap(), outcome);
        }
        for table in [
            "SELECT COUNT(*) AS n FROM jobs",
            "SELECT COUNT(*) AS n FROM steps",
            "SELECT COUNT(*) AS n FROM job_requests",
        ] {
            assert_eq!(bed.number(table, args![]).await, 1, "{table}");
        }
    }

    async fn a_job_that_cannot_be_stored_leaves_its_key_free(bed) {
        let run = run_of(&bed.project, &[&[]], NOW);
        bed.store.create_job(new_job(run.clone())).await.unwrap();
        let mut twice = new_job(run);
        twice.idempotency = Some(keyed(&bed.project, "key", "request"));
        assert!(bed.store.create_job(twice).await.is_err());
        let scope = keyed(&bed.project, "key", "request").scope;
        assert_eq!(bed.store.lookup_key(&scope, NOW).await.unwrap(), None);
    }
}
