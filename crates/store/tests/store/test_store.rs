//! A store on a new database, a project in it, and a separate connection for SQL that only tests run.

use std::path::Path;
use std::time::Duration;

use auris_domain::id::{JobId, ProjectId};
use auris_domain::time::Millis;
use auris_store::{DatabaseSettings, Store};
use parking_lot::Mutex;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool, Row};
use tempfile::TempDir;

/// 2025-11-15, to the second.
pub(crate) const NOW: Millis = Millis(1_763_200_000_000);
/// Longer than any test, so that only wake-ups end a wait.
const NO_POLLING: Duration = Duration::from_secs(86_400);

pub(crate) struct TestStore {
    pub(crate) store: Store,
    pub(crate) settings: DatabaseSettings,
    pub(crate) project: ProjectId,
    pub(crate) pool: Pool,
    database: Database,
}

/// Connections beside the store's, as another process would have.
pub(crate) enum Pool {
    Sqlite(Mutex<rusqlite::Connection>),
    Postgres(PgPool),
}

enum Database {
    Folder(TempDir),
    Server { url: String, name: String },
}

/// The value of a `$n`.
pub(crate) enum Argument {
    Text(Option<String>),
    Integer(i64),
}

macro_rules! args {
    ($($value:expr),* $(,)?) => { vec![$($crate::test_store::Argument::from($value)),*] };
}
pub(crate) use args;

macro_rules! bound {
    ($text:expr, $arguments:expr) => {{
        let mut query = sqlx::query($text);
        for argument in $arguments {
            query = match argument {
                Argument::Text(text) => query.bind(text),
                Argument::Integer(integer) => query.bind(integer),
            };
        }
        query
    }};
}

impl TestStore {
    pub(crate) async fn sqlite() -> Self {
        Self::new_sqlite(None).await
    }

    pub(crate) async fn postgres() -> Self {
        Self::new_postgres(None).await
    }

    /// On a database that an older program has migrated to this schema.
    pub(crate) async fn sqlite_at(schema: usize) -> Self {
        Self::new_sqlite(Some(schema)).await
    }

    pub(crate) async fn postgres_at(schema: usize) -> Self {
        Self::new_postgres(Some(schema)).await
    }

    async fn new_sqlite(schema: Option<usize>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("auris.db");
        let url = format!("sqlite:{}", path.display());
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        let pool = Pool::Sqlite(Mutex::new(connection));
        Self::open(url, pool, Database::Folder(folder), schema).await
    }

    async fn new_postgres(schema: Option<usize>) -> Self {
        let url = std::env::var("AURIS_TEST_POSTGRES")
            .expect("AURIS_TEST_POSTGRES is not set; run ./scripts/test, which starts a PostgreSQL server");
        let name = format!("auris_store_{:016x}", rand::random::<u64>());
        let create =
            format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'");
        administer(&url, create).await;
        let (server, _) = url.rsplit_once('/').unwrap();
        let own = format!("{server}/{name}");
        let pool = Pool::Postgres(PgPool::connect_lazy(&own).unwrap());
        Self::open(own, pool, Database::Server { url, name }, schema).await
    }

    async fn open(url: String, pool: Pool, database: Database, schema: Option<usize>) -> Self {
        let settings = DatabaseSettings { poll_interval: NO_POLLING, ..DatabaseSettings::new(url, 8) };
        let store = match schema {
            Some(version) => {
                pool.migrate_as_an_older_program(version).await;
                Store::open(&settings).await.unwrap()
            }
            None => {
                let store = Store::open(&settings).await.unwrap();
                store.migrate().await.unwrap();
                store
            }
        };
        let project = store.create_project("test", NOW).await.unwrap().unwrap();
        Self { store, settings, project: project.id, pool, database }
    }

    /// A node on the same database that finds changes without wake-ups.
    pub(crate) async fn polling_node(&self) -> Store {
        Store::open(&DatabaseSettings::new(self.settings.url.clone(), 8)).await.unwrap()
    }

    /// A second node on the same database.
    pub(crate) async fn other_node(&self) -> Store {
        Store::open(&self.settings).await.unwrap()
    }

    /// Runs a statement and returns the number of affected rows.
    pub(crate) async fn sql(&self, text: &'static str, arguments: Vec<Argument>) -> u64 {
        self.try_sql(text, arguments).await.unwrap()
    }

    pub(crate) async fn try_sql(
        &self,
        text: &'static str,
        arguments: Vec<Argument>,
    ) -> Result<u64, Box<dyn std::error::Error>> {
        match &self.pool {
            Pool::Sqlite(connection) => {
                let connection = connection.lock();
                let mut statement = connection.prepare(text)?;
                bind(&mut statement, &arguments);
                Ok(statement.raw_execute()? as u64)
            }
            Pool::Postgres(pool) => Ok(bound!(text, arguments).execute(pool).await?.rows_affected()),
        }
    }

    /// The number that a query returns in its first column.
    pub(crate) async fn number(&self, text: &'static str, arguments: Vec<Argument>) -> i64 {
        match &self.pool {
            Pool::Sqlite(connection) => *first_column(connection, text, &arguments).first().unwrap(),
            Pool::Postgres(pool) => bound!(text, arguments).fetch_one(pool).await.unwrap().get(0),
        }
    }

    /// The texts that a query returns in its first column.
    pub(crate) async fn texts(&self, text: &'static str, arguments: Vec<Argument>) -> Vec<String> {
        match &self.pool {
            Pool::Sqlite(connection) => first_column(connection, text, &arguments),
            Pool::Postgres(pool) => {
                let rows = bound!(text, arguments).fetch_all(pool).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }

    /// Connections to PostgreSQL, in a test that runs only there.
    pub(crate) fn postgres_pool(&self) -> &PgPool {
        match &self.pool {
            Pool::Sqlite(_) => panic!("this test runs on PostgreSQL"),
            Pool::Postgres(pool) => pool,
        }
    }

    pub(crate) async fn close(self) {
        self.store.close().await;
        match self.pool {
            Pool::Sqlite(connection) => drop(connection),
            Pool::Postgres(pool) => pool.close().await,
        }
        match self.database {
            Database::Folder(folder) => folder.close().unwrap(),
            Database::Server { url, name } => {
                administer(&url, format!("DROP DATABASE {name} WITH (FORCE)")).await;
            }
        }
    }
}

impl Pool {
    /// Applies the first migrations from their files, without checksums, as programs before migration 5 did.
    async fn migrate_as_an_older_program(&self, schema: usize) {
        self.script("CREATE TABLE schema_migrations (version BIGINT NOT NULL PRIMARY KEY)".to_owned()).await;
        for (index, text) in migration_texts().into_iter().enumerate().take(schema) {
            self.script(text).await;
            self.script(format!("INSERT INTO schema_migrations (version) VALUES ({})", index + 1)).await;
        }
    }

    async fn script(&self, text: String) {
        match self {
            Self::Sqlite(connection) => connection.lock().execute_batch(&text).unwrap(),
            Self::Postgres(pool) => {
                sqlx::raw_sql(AssertSqlSafe(text)).execute(pool).await.unwrap();
            }
        }
    }
}

fn first_column<T: rusqlite::types::FromSql>(
    connection: &Mutex<rusqlite::Connection>,
    text: &str,
    arguments: &[Argument],
) -> Vec<T> {
    let connection = connection.lock();
    let mut statement = connection.prepare(text).unwrap();
    bind(&mut statement, arguments);
    let mut rows = statement.raw_query();
    let mut values = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        values.push(row.get(0).unwrap());
    }
    values
}

/// To SQLite, `$2` is a name and not a number.
fn bind(statement: &mut rusqlite::Statement<'_>, arguments: &[Argument]) {
    for (index, argument) in arguments.iter().enumerate() {
        let Some(place) = statement.parameter_index(&format!("${}", index + 1)).unwrap() else { continue };
        match argument {
            Argument::Text(text) => statement.raw_bind_parameter(place, text).unwrap(),
            Argument::Integer(integer) => statement.raw_bind_parameter(place, integer).unwrap(),
        }
    }
}

/// The texts of the repository's migrations, in order.
fn migration_texts() -> Vec<String> {
    let folder = Path::new("../../migrations");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

async fn administer(url: &str, command: String) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    connection.execute(AssertSqlSafe(command)).await.unwrap();
    connection.close().await.unwrap();
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<Option<&str>> for Argument {
    fn from(text: Option<&str>) -> Self {
        Self::Text(text.map(str::to_owned))
    }
}

impl From<&JobId> for Argument {
    fn from(id: &JobId) -> Self {
        id.as_str().into()
    }
}

impl From<&ProjectId> for Argument {
    fn from(id: &ProjectId) -> Self {
        id.as_str().into()
    }
}

impl From<i64> for Argument {
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}
