//! Migrations: numbered, embedded, forward only, the same text for both databases.

use crate::db::{Tx, args};
use crate::error::StoreError;
use crate::statements::Statement;
use crate::store::Store;

/// Every migration in order; the first is number 1.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../../../migrations/0001_initial.sql"),
    include_str!("../../../migrations/0002_webhooks.sql"),
    include_str!("../../../migrations/0003_money.sql"),
    include_str!("../../../migrations/0004_machines.sql"),
];

/// Any number will do, as long as every node uses the same one.
const LOCK: Statement = Statement { sqlite: "SELECT 1", postgres: "SELECT pg_advisory_xact_lock(4803190)" };
const CREATE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT NOT NULL PRIMARY KEY)";
const VERSION: Statement = same("SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations");
const APPLIED: Statement = same("INSERT INTO schema_migrations (version) VALUES ($1)");
const EXISTS: Statement = Statement {
    sqlite: "SELECT 1 AS one FROM sqlite_master WHERE name = 'schema_migrations'",
    postgres: "SELECT 1 AS one FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_name = 'schema_migrations'",
};
/// A migration that takes away what older programs need says in `oldest` which is the oldest that can still run.
const OLDEST: Statement =
    same("SELECT COALESCE(MAX(oldest), 0) AS oldest FROM schema_migrations WHERE version > $1");

const fn same(text: &'static str) -> Statement {
    Statement { sqlite: text, postgres: text }
}

impl Store {
    /// Brings the schema up to date, in one transaction, however many nodes start at once; returns how many migrations
    /// ran. A schema that is ahead of this program is fine as long as its migrations only added: then a newer node was
    /// faster, and this one is about to be replaced.
    pub async fn migrate(&self) -> Result<u32, StoreError> {
        self.migrate_to(MIGRATIONS).await
    }

    pub(crate) async fn migrate_to(&self, migrations: &[&'static str]) -> Result<u32, StoreError> {
        let mut tx = self.database().begin().await?;
        tx.rows(&LOCK, args![]).await?;
        tx.script(CREATE).await?;
        let applied = applied(&mut tx).await?;
        if applied > migrations.len() {
            let outcome = can_run(&mut tx, applied).await;
            tx.rollback().await?;
            return outcome.map(|()| 0);
        }
        for (index, text) in migrations.iter().enumerate().skip(applied) {
            tx.script(text).await?;
            tx.write(&APPLIED, args![index as i64 + 1]).await?;
        }
        tx.commit().await?;
        Ok((migrations.len() - applied) as u32)
    }

    /// How many migrations the database has seen; 0 for an empty one.
    pub async fn schema_version(&self) -> Result<u32, StoreError> {
        if self.database().row(&EXISTS, args![]).await?.is_none() {
            return Ok(0);
        }
        let row = self.database().row(&VERSION, args![]).await?;
        row.map_or(Ok(0), |row| row.count("version")).map(|version| version as u32)
    }

    /// How many migrations this program knows.
    pub fn known_schema() -> u32 {
        MIGRATIONS.len() as u32
    }
}

async fn can_run(tx: &mut Tx, applied: usize) -> Result<(), StoreError> {
    let known = MIGRATIONS.len();
    let row = tx.row(&OLDEST, args![known as i64]).await?;
    let oldest = row.map_or(Ok(0), |row| row.count("oldest"))?;
    if oldest > known as u64 {
        let message = format!(
            "the database has schema {applied}, which needs a program that knows schema {oldest}; this one knows {known}. \
             Install the newer version"
        );
        return Err(StoreError::internal(message));
    }
    tracing::info!(applied, known, "the database is ahead of this program; its migrations only added");
    Ok(())
}

async fn applied(tx: &mut Tx) -> Result<usize, StoreError> {
    let row = tx.row(&VERSION, args![]).await?;
    let version = row.map_or(Ok(0), |row| row.count("version"))?;
    usize::try_from(version).map_err(|_| StoreError::Corrupt("the schema's version is too large".into()))
}
