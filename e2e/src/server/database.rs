//! A database for each server: an SQLite file, or a new database in the PostgreSQL of the run.

use std::process::Command;

use crate::fixtures::random_word;

/// Which database a server runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

/// A database that exists as long as the data of its server.
pub(crate) enum Database {
    /// The default, a file in the data folder.
    Sqlite,
    Postgres {
        name: String,
        url: String,
    },
    /// The database of another server, which outlives this one.
    Shared {
        url: String,
    },
}

impl Database {
    pub(crate) fn create(kind: DatabaseKind) -> Self {
        match kind {
            DatabaseKind::Sqlite => Self::Sqlite,
            DatabaseKind::Postgres => {
                let name = format!("auris_{}_{}", std::process::id(), random_word());
                execute(&format!("CREATE DATABASE {name} TEMPLATE template0"));
                let url = with_database_name(&administration_url(), &name);
                Self::Postgres { name, url }
            }
        }
    }

    /// The value of `AURIS_DATABASE__URL`, if it is not the default.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres { url, .. } | Self::Shared { url } => Some(url),
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Self::Postgres { name, .. } = self {
            execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        }
    }
}

fn administration_url() -> String {
    std::env::var("AURIS_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("AURIS_TEST_POSTGRES is not set: run the tests with `scripts/test`, or under `scripts/with-postgres`")
    })
}

fn with_database_name(url: &str, name: &str) -> String {
    let (server, _) = url.rsplit_once('/').expect("AURIS_TEST_POSTGRES ends in `/DATABASE`");
    format!("{server}/{name}")
}

// With psql, because only the store may depend on sqlx.
fn execute(statement: &str) {
    let output = Command::new("psql")
        .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d"])
        .arg(administration_url())
        .args(["-c", statement])
        .output()
        .expect("psql is installed with PostgreSQL");
    assert!(
        output.status.success() || std::thread::panicking(),
        "`{statement}` failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
