//! A database that exists as long as one bench: an SQLite file, or a new database in the PostgreSQL of the run.

use std::path::Path;

use anyhow::Context;
use auris_domain::id::RequestId;
use auris_domain::time::Clock;

use super::Connection;

const POSTGRES: &str = "AURIS_TEST_POSTGRES";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl DatabaseKind {
    /// SQLite always; PostgreSQL if `AURIS_TEST_POSTGRES` names a server.
    pub(crate) fn available() -> Vec<Self> {
        match std::env::var_os(POSTGRES) {
            Some(_) => vec![Self::Sqlite, Self::Postgres],
            None => vec![Self::Sqlite],
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Removed when dropped.
pub(crate) struct Database {
    pub(crate) kind: DatabaseKind,
    pub(crate) url: String,
    /// The server's URL and the name of the database.
    postgres: Option<(String, String)>,
}

impl Database {
    pub(crate) async fn create(kind: DatabaseKind, folder: &Path) -> anyhow::Result<Self> {
        match kind {
            DatabaseKind::Sqlite => {
                let url = format!("sqlite:{}", folder.join("bench.db").display());
                Ok(Self { kind, url, postgres: None })
            }
            DatabaseKind::Postgres => {
                let server = std::env::var(POSTGRES)?;
                let (address, _) =
                    server.rsplit_once('/').context("AURIS_TEST_POSTGRES must end in `/DATABASE`")?;
                let name = format!("bench_{}", RequestId::generate(Clock::System.now()));
                let create = format!("CREATE DATABASE {name} TEMPLATE template0");
                Connection::open(&server).await?.script(&create).await?;
                Ok(Self { kind, url: format!("{address}/{name}"), postgres: Some((server, name)) })
            }
        }
    }

    pub(crate) async fn connect(&self) -> anyhow::Result<Connection> {
        Connection::open(&self.url).await
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Some((server, name)) = self.postgres.take() else {
            return;
        };
        // `drop` cannot await, and it may run inside a runtime, so the removal gets a separate thread and runtime.
        let removed = std::thread::spawn(move || remove(&server, &name)).join();
        if !matches!(removed, Ok(Ok(()))) {
            eprintln!("warning: a database could not be removed: {removed:?}");
        }
    }
}

fn remove(server: &str, name: &str) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        Connection::open(server).await?.script(&drop).await
    })
}
