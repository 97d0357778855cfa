//! The harness of the end-to-end tests: real servers, real databases, and a client that checks every answer.
#![expect(clippy::expect_used, reason = "in a test harness a broken expectation is a failed test")]

mod assets;
mod audio;
mod binary;
mod blobs;
mod certificates;
mod client;
mod database;
mod events;
mod json_path;
mod manners;
mod multipart;
mod openapi;
mod randomness;
mod receiver;
mod reply;
mod server;
mod waiting;

pub mod audit;
pub mod books;
pub mod edges;
pub mod machines;
pub mod requests;
pub mod settings;

pub use assets::assets;
pub use audio::{silent_wav, wav};
pub use binary::auris_binary;
pub use blobs::ObjectStore;
pub use certificates::Certificates;
pub use client::{Call, Client};
pub use database::DatabaseKind;
pub use events::{Event, EventStream, parse_stream};
pub use json_path::{at, put, remove};
pub use multipart::Form;
pub use openapi::{Contract, Operation, contract};
pub use randomness::{Dice, count_from_environment};
pub use receiver::{Received, Receiver};
pub use reply::{ErrorBody, Reply};
pub use server::{Server, ServerOptions};
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
