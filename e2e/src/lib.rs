//! The harness of the end-to-end tests: real servers, real databases, and a client that checks every answer.
#![expect(clippy::expect_used, reason = "in a test harness a broken expectation is a failed test")]

mod amounts;
mod checks;
mod console;
mod contract;
mod fixtures;
mod http;
mod repository;
mod server;
mod waiting;

pub mod infrastructure;

pub use amounts::ten_billionths;
pub use checks::{balances, data_folder, finished_job, leases};
pub use console::{Console, link};
pub use contract::{Contract, Operation, at, boundary_values, console_contract, contract, put, remove};
pub use fixtures::{
    Certificates, Received, SeededRandom, WebhookReceiver, assets, count_from_environment, silent_wav, wav,
};
pub use http::{
    Call, Client, ErrorBody, Event, EventStream, Form, RawRequest, Reply, closed_window_requests,
    parse_stream, requests,
};
pub use repository::repository;
pub use server::{
    DatabaseKind, FaultReport, FileFault, ObjectStore, Server, ServerOptions, auris_binary, settings,
};
pub use waiting::{eventually, eventually_within};

/// Makes two tests of one body: on SQLite and a folder, and on PostgreSQL and a bucket.
#[macro_export]
macro_rules! both_databases {
    ($($(#[$attribute:meta])* async fn $name:ident($database:ident: $kind:ident) $body:block)*) => {$(
        $(#[$attribute])*
        mod $name {
            use super::*;

            async fn body($database: $kind) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                body($kind::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                body($kind::Postgres).await;
            }
        }
    )*};
}
