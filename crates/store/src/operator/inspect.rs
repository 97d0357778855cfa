//! Facts about the database that an operator checks.

use crate::error::StoreError;
use crate::sql::{Database, args, statements};
use crate::store::Store;

statements! {
    VERSION = "SELECT 'SQLite ' || sqlite_version() AS version, 'C' AS collation, encoding, 'ok' AS health
            FROM pragma_encoding",
        postgres = "SELECT version() AS version, CAST(datcollate AS TEXT) AS collation,
                CAST(pg_encoding_to_char(encoding) AS TEXT) AS encoding, 'ok' AS health
            FROM pg_database WHERE datname = current_database()";
    HEALTH = "SELECT quick_check AS health FROM pragma_quick_check LIMIT 1", postgres = "SELECT 'ok' AS health";
    /// The only statement that reads the database's clock, to compare it with ours.
    TIME = "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS BIGINT) AS ms",
        postgres = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms";
    SIZE = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
        postgres = "SELECT pg_database_size(current_database()) AS bytes";
    CONNECTIONS = "SELECT 0 AS most, 0 AS used",
        postgres = "SELECT CAST(current_setting('max_connections') AS BIGINT) AS most,
                (SELECT COUNT(*) FROM pg_stat_activity) AS used";
}

/// Facts about a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    pub version: String,
    pub is_postgres: bool,
    /// Ids are compared in the collation `C`; any other orders them differently.
    pub collation: String,
    pub encoding: String,
    /// `ok`, or the first damage that SQLite found in its file.
    pub health: String,
    /// The server's clock, in milliseconds since the epoch.
    pub time_ms: i64,
    /// The number of connections that the server allows, and of those that are open; zero on SQLite.
    pub connections: (i64, i64),
    /// The number of migrations that were applied, and of those that this program knows.
    pub schema: (u32, u32),
}

impl Store {
    pub fn is_postgres(&self) -> bool {
        matches!(self.database(), Database::Postgres { .. })
    }

    /// The size of the database in bytes, without the log of SQLite.
    pub async fn database_bytes(&self) -> Result<u64, StoreError> {
        let row = self.database().row(&SIZE, args![]).await?;
        row.ok_or_else(|| StoreError::internal("the database returned no size"))?.count("bytes")
    }

    /// Collects the facts; changes nothing.
    pub async fn inspect(&self) -> Result<Inspection, StoreError> {
        let database = self.database();
        let missing = || StoreError::internal("the database returned no information about itself");
        let about = database.row(&VERSION, args![]).await?.ok_or_else(missing)?;
        let health = database.many_rows(&HEALTH, args![]).await?.into_iter().next().ok_or_else(missing)?;
        let connections = database.row(&CONNECTIONS, args![]).await?.ok_or_else(missing)?;
        let schema = self.schema_version().await?;
        // Read last, so that it is recent when the caller compares it.
        let time = database.row(&TIME, args![]).await?.ok_or_else(missing)?;
        Ok(Inspection {
            version: about.text("version")?,
            is_postgres: self.is_postgres(),
            collation: about.text("collation")?,
            encoding: about.text("encoding")?,
            health: health.text("health")?,
            time_ms: time.integer("ms")?,
            connections: (connections.integer("most")?, connections.integer("used")?),
            schema: (schema, Self::known_schema()),
        })
    }
}
