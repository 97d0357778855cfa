//! Writers that come at once: what one of them does wrong is no harm to the others.

use super::bed::{Bed, NOW};
use super::build::{keyed, new_job, run_of};
use super::on_both;
use crate::sql::database::args;
use crate::{Creation, StoreError};

const JOBS: &str = "SELECT COUNT(*) AS n FROM jobs";

on_both! {
    async fn a_refused_write_among_many_spoils_only_itself(bed) {
        let twin = run_of(&bed.project, &[&[]], NOW);
        bed.store.create_job(new_job(twin.clone())).await.unwrap();
        let creations = (0..60).map(|number| {
            let refused = number % 3 == 0;
            let run = if refused { twin.clone() } else { run_of(&bed.project, &[&[]], NOW) };
            let store = bed.store.clone();
            tokio::spawn(async move { (refused, store.create_job(new_job(run)).await) })
        });
        for (refused, made) in futures::future::try_join_all(creations).await.unwrap() {
            match made {
                Ok(made) => assert!(!refused && made == Creation::Created),
                Err(error) => assert!(refused && matches!(error, StoreError::Internal(_)), "{error:?}"),
            }
        }
        assert_eq!(bed.number(JOBS, args![]).await, 41);
    }

    async fn callers_that_go_away_leave_whole_jobs_or_none(bed) {
        let mut creations = Vec::new();
        for number in 0..200 {
            let (store, run) = (bed.store.clone(), run_of(&bed.project, &[&[], &[]], NOW));
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
                Ok(made) => assert_eq!(made.unwrap(), Creation::Created),
                Err(gone) => assert!(gone.is_cancelled() && number % 2 == 0),
            }
        }
        bed.job(&[&[], &[]]).await;
        let jobs = bed.number(JOBS, args![]).await;
        assert!(jobs > 100, "{jobs}");
        assert_eq!(bed.number("SELECT COUNT(*) AS n FROM steps", args![]).await, 2 * jobs);
        assert_eq!(bed.number("SELECT COUNT(*) AS n FROM events", args![]).await, 3 * jobs);
    }

    async fn a_transaction_that_is_left_holds_nobody_up(bed) {
        let statement = crate::sql::statements::Statement {
            sqlite: "DELETE FROM projects",
            postgres: "DELETE FROM projects",
        };
        let mut left = bed.store.database().begin().await.unwrap();
        left.write(&statement, args![]).await.unwrap();
        drop(left);
        bed.job(&[&[]]).await;
        // Another process, which has no part in our turns.
        let other = bed.other_node().await;
        other.create_project("theirs", NOW).await.unwrap();
        other.close().await;
    }

    async fn a_writer_hears_of_its_commit_only_when_others_can_read_it(bed) {
        let creations = (0..40).map(|number| {
            let (store, run) = (bed.store.clone(), run_of(&bed.project, &[&[]], NOW));
            let answer = keyed(&bed.project, &number.to_string(), "request");
            tokio::spawn(async move {
                let (project, id) = (run.job.project_id.clone(), run.job.id.clone());
                let mut new = new_job(run);
                new.idempotency = Some(answer);
                store.create_job(new).await.unwrap();
                assert!(store.job(&project, &id).await.unwrap().is_some());
            })
        });
        futures::future::try_join_all(creations).await.unwrap();
    }
}
