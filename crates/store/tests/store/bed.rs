//! A database of a test's own, and a project in it.

use auris_domain::id::ProjectId;
use auris_domain::time::Millis;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tempfile::TempDir;

use crate::sql::database::Argument;
use crate::sql::migrations::MIGRATIONS;
use crate::sql::statements::Statement;
use crate::{DatabaseSettings, Store};

/// 2025-11-15, to the second.
pub(crate) const NOW: Millis = Millis(1_763_200_000_000);

pub(crate) struct Bed {
    pub(crate) store: Store,
    pub(crate) settings: DatabaseSettings,
    pub(crate) project: ProjectId,
    home: Home,
}

enum Home {
    Folder(TempDir),
    Server { url: String, name: String },
}

impl Bed {
    pub(crate) async fn sqlite() -> Self {
        Self::sqlite_at(MIGRATIONS.len()).await
    }

    pub(crate) async fn postgres() -> Self {
        Self::postgres_at(MIGRATIONS.len()).await
    }

    /// With the schema of an older program.
    pub(crate) async fn sqlite_at(schema: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("auris.db").display());
        Self::make(url, Home::Folder(folder), schema).await
    }

    pub(crate) async fn postgres_at(schema: usize) -> Self {
        let url = std::env::var("AURIS_TEST_POSTGRES")
            .expect("AURIS_TEST_POSTGRES names no PostgreSQL server: run ./scripts/test, which starts one");
        let name = format!("auris_store_{:016x}", rand::random::<u64>());
        let create =
            format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'");
        administer(&url, create).await;
        let (server, _) = url.rsplit_once('/').unwrap();
        Self::make(format!("{server}/{name}"), Home::Server { url, name }, schema).await
    }

    async fn make(url: String, home: Home, schema: usize) -> Self {
        let settings = DatabaseSettings::new(url, 8);
        let store = Store::open(&settings).await.unwrap();
        store.migrate_to(&MIGRATIONS[..schema]).await.unwrap();
        let project = store.create_project("test", NOW).await.unwrap().unwrap();
        Self { store, settings, project: project.id, home }
    }

    /// A second node on the same database.
    pub(crate) async fn other_node(&self) -> Store {
        Store::open(&self.settings).await.unwrap()
    }

    /// A statement that only a test would make.
    pub(crate) async fn sql(&self, text: &'static str, arguments: Vec<Argument>) -> u64 {
        let statement = Statement { sqlite: text, postgres: text };
        self.store.database().write(&statement, arguments).await.unwrap()
    }

    /// The one number that a query answers, named `n`.
    pub(crate) async fn number(&self, text: &'static str, arguments: Vec<Argument>) -> i64 {
        let statement = Statement { sqlite: text, postgres: text };
        let row = self.store.database().row(&statement, arguments).await.unwrap();
        row.unwrap().integer("n").unwrap()
    }

    pub(crate) async fn close(self) {
        self.store.close().await;
        match self.home {
            Home::Folder(folder) => folder.close().unwrap(),
            Home::Server { url, name } => {
                administer(&url, format!("DROP DATABASE {name} WITH (FORCE)")).await;
            }
        }
    }
}

async fn administer(url: &str, command: String) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    connection.execute(AssertSqlSafe(command)).await.unwrap();
    connection.close().await.unwrap();
}
