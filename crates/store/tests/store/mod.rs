//! The store on both databases: every test here runs on a fresh SQLite file and on a fresh PostgreSQL database.

mod balances;
mod bed;
mod blobs;
mod build;
mod claims;
mod commits;
mod content;
mod corrupt;
mod creation;
mod deliveries;
mod events;
mod fairness;
mod keys;
mod notices;
mod outbox;
mod plans;
mod projects;
mod random_jobs;
mod reading;
mod schema;
mod transfer;
mod turns;

/// Declares tests that run once on each database, each on one of its own. Their file has `Bed` in scope.
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($bed:ident) $body:block)*) => {$(
        mod $name {
            use super::*;

            $(#[$meta])*
            async fn check($bed: &Bed) $body

            #[tokio::test(flavor = "multi_thread")]
            async fn on_sqlite() {
                let bed = Bed::sqlite().await;
                check(&bed).await;
                bed.close().await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn on_postgres() {
                let bed = Bed::postgres().await;
                check(&bed).await;
                bed.close().await;
            }
        }
    )*};
}
use on_both;
