//! The store on both databases: every test runs on a fresh SQLite file and on a fresh PostgreSQL database.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should panic")]

mod alone_steps;
mod annotations;
mod balances;
mod blobs;
mod builders;
mod claim_steps;
mod cluster;
mod commit_runs;
mod concurrent_writers;
mod console_sessions;
mod corrupt_rows;
mod create_jobs;
mod delete_content;
mod deliveries;
mod endpoints;
mod events;
mod fair_order;
mod far_leases;
mod idempotency;
mod large_content;
mod migrations;
mod nodes_and_model_tasks;
mod projects_and_keys;
mod query_plans;
mod random_jobs;
mod read_jobs;
mod schema;
mod test_store;
mod transfer;
mod wakeups;

/// Declares tests that run once on each database, each on a new one. The file must have `TestStore` in scope.
macro_rules! on_both_databases {
    ($($(#[$meta:meta])* async fn $name:ident($test:ident) $body:block)*) => {$(
        mod $name {
            use super::*;

            $(#[$meta])*
            async fn check($test: &TestStore) $body

            #[tokio::test(flavor = "multi_thread")]
            async fn on_sqlite() {
                let test = TestStore::sqlite().await;
                check(&test).await;
                test.close().await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn on_postgres() {
                let test = TestStore::postgres().await;
                check(&test).await;
                test.close().await;
            }
        }
    )*};
}
use on_both_databases;
