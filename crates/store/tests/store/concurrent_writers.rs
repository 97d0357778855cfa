//! Concurrent writers: the failure of one does not affect the others.

use super::builders::{keyed, new_job, run_of};
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};
use auris_store::{Creation, Keyed, StoreError};

const JOBS: &str = "SELECT COUNT(*) AS n FROM jobs";

on_both_databases! {
    async fn a_refused_write_does_not_affect_concurrent_ones(test) {
        let twin = run_of(&test.project, &[&[]], NOW);
        test.store.create_job(new_job(twin.clone())).await.unwrap();
        let creations = (0..60).map(|number| {
            let refused = number % 3 == 0;
            let run = if refused { twin.clone() } else { run_of(&test.project, &[&[]], NOW) };
            let store = test.store.clone();
            tokio::spawn(async move { (refused, store.create_job(new_job(run)).await) })
        });
        for (refused, made) in futures::future::try_join_all(creations).await.unwrap() {
            match made {
                Ok(made) => assert!(!refused && made == Keyed::Done(Creation::Created)),
                Err(error) => assert!(refused && matches!(error, StoreError::Internal(_)), "{error:?}"),
            }
        }
        assert_eq!(test.number(JOBS, args![]).await, 41);
    }

    async fn cancelled_callers_leave_whole_jobs_or_none(test) {
        let mut creations = Vec::new();
        for number in 0..200 {
            let store = test.store.clone();
            let run = run_of(&test.project, &[&[], &[]], NOW);
            let creation = tokio::spawn(async move { store.create_job(new_job(run)).await });
            for _ in 0..number % 7 {
                tokio::task::yield_now().await;
            }
            if number % 2 == 0 {
                creation.abort();
            }
            creations.push(creation);
        }
        for (number, creation) in (0..).zip(creations) {
            match creation.await {
                Ok(made) => assert_eq!(made.unwrap(), Keyed::Done(Creation::Created)),
                Err(gone) => assert!(gone.is_cancelled() && number % 2 == 0),
            }
        }
        test.job(&[&[], &[]]).await;
        let jobs = test.number(JOBS, args![]).await;
        assert!(jobs > 100, "{jobs}");
        assert_eq!(test.number("SELECT COUNT(*) AS n FROM steps", args![]).await, 2 * jobs);
        assert_eq!(test.number("SELECT COUNT(*) AS n FROM events", args![]).await, 3 * jobs);
    }

    async fn a_commit_is_reported_only_when_others_can_read_it(test) {
        let creations = (0..40).map(|number| {
            let store = test.store.clone();
            let run = run_of(&test.project, &[&[]], NOW);
            let answer = keyed(&test.project, &number.to_string(), "request");
            tokio::spawn(async move {
                let project = run.job.project_id.clone();
                let id = run.job.id.clone();
                let mut new = new_job(run);
                new.idempotency = Some(answer);
                store.create_job(new).await.unwrap();
                assert!(store.job(&project, &id).await.unwrap().is_some());
            })
        });
        futures::future::try_join_all(creations).await.unwrap();
    }
}
