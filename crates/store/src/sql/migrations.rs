//! Migrations: numbered, embedded in the program, forward only, the same text for both databases.
//!
//! Not `sqlx::migrate`: it has no rule for a schema that is newer than the program, which rolling upgrades need.

use sha2::{Digest, Sha256};

use super::arguments::args;
use super::database::Database;
use super::statements::statements;
use super::transaction::Tx;
use crate::error::StoreError;

/// Every migration in order; the first has number 1.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../../../../migrations/0001_initial.sql"),
    include_str!("../../../../migrations/0002_webhooks.sql"),
    include_str!("../../../../migrations/0003_money.sql"),
    include_str!("../../../../migrations/0004_machines.sql"),
    include_str!("../../../../migrations/0005_checksums.sql"),
    include_str!("../../../../migrations/0006_orphan_blobs.sql"),
    include_str!("../../../../migrations/0007_steps.sql"),
    include_str!("../../../../migrations/0008_console.sql"),
    include_str!("../../../../migrations/0009_node_models.sql"),
];
/// The first migration with checksums in the table.
const CHECKSUMS: usize = 5;

const CREATE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT NOT NULL PRIMARY KEY)";

statements! {
    /// The number is arbitrary, but every node must use the same one.
    LOCK = "SELECT 1", postgres = "SELECT pg_advisory_xact_lock(4803190)";
    VERSION = "SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations";
    APPLIED = "INSERT INTO schema_migrations (version) VALUES ($1)";
    EXISTS = "SELECT 1 AS one FROM sqlite_master WHERE name = 'schema_migrations'",
        postgres = "SELECT 1 AS one FROM information_schema.tables
            WHERE table_schema = current_schema() AND table_name = 'schema_migrations'";
    /// A migration that removes something an older program needs sets `oldest` to the oldest program that can still run.
    OLDEST = "SELECT COALESCE(MAX(oldest), 0) AS oldest FROM schema_migrations WHERE version > $1";
    STORED_CHECKSUM = "SELECT checksum FROM schema_migrations WHERE version = $1";
    FILL_CHECKSUM = "UPDATE schema_migrations SET checksum = $2 WHERE version = $1 AND checksum IS NULL";
}

/// Brings the schema up to date in one transaction and returns the number of migrations that ran. Nodes that start at
/// the same time wait for each other. A schema that is newer than this program is accepted if its migrations only added:
/// then a newer node was started first, and this one is about to be replaced.
pub(crate) async fn migrate(database: &Database) -> Result<u32, StoreError> {
    let mut tx = database.begin().await?;
    tx.rows(&LOCK, args![]).await?;
    tx.script(CREATE).await?;
    let applied = applied(&mut tx).await?;
    if applied > MIGRATIONS.len() {
        let outcome = check_newer_schema(&mut tx, applied).await;
        tx.rollback().await?;
        return outcome.map(|()| 0);
    }
    if applied >= CHECKSUMS {
        check_checksums(&mut tx, applied).await?;
    }
    for (index, text) in MIGRATIONS.iter().enumerate().skip(applied) {
        tx.script(text).await?;
        tx.write(&APPLIED, args![number(index)]).await?;
    }
    for (index, text) in MIGRATIONS.iter().enumerate() {
        tx.write(&FILL_CHECKSUM, args![number(index), checksum(text)]).await?;
    }
    tx.commit().await?;
    Ok((MIGRATIONS.len() - applied) as u32)
}

/// The number of migrations that were applied; 0 for an empty database.
pub(crate) async fn schema_version(database: &Database) -> Result<u32, StoreError> {
    if database.row(&EXISTS, args![]).await?.is_none() {
        return Ok(0);
    }
    let row = database.row(&VERSION, args![]).await?;
    row.map_or(Ok(0), |row| row.count("version")).map(|version| version as u32)
}

/// Compares the checksums of the applied migrations without changing anything.
pub(crate) async fn verify(database: &Database) -> Result<(), StoreError> {
    let applied = schema_version(database).await? as usize;
    if applied < CHECKSUMS {
        return Ok(());
    }
    let mut tx = database.begin().await?;
    let outcome = check_checksums(&mut tx, applied).await;
    tx.rollback().await?;
    outcome
}

async fn check_newer_schema(tx: &mut Tx, applied: usize) -> Result<(), StoreError> {
    let known = MIGRATIONS.len();
    let row = tx.row(&OLDEST, args![known as i64]).await?;
    let oldest = row.map_or(Ok(0), |row| row.count("oldest"))?;
    if oldest > known as u64 {
        let message = format!(
            "the database has schema {applied}, which needs a program that knows schema {oldest}; this program knows \
             schema {known}. Install the newer version"
        );
        return Err(StoreError::internal(message));
    }
    check_checksums(tx, applied).await?;
    tracing::info!(applied, known, "the database schema is newer than this program and compatible with it");
    Ok(())
}

/// Refuses a database whose migrations had another text. Rows without a checksum were written by an older program.
async fn check_checksums(tx: &mut Tx, count: usize) -> Result<(), StoreError> {
    for (index, text) in MIGRATIONS.iter().enumerate().take(count) {
        let version = number(index);
        let row = tx.row(&STORED_CHECKSUM, args![version]).await?;
        let stored = row.map_or(Ok(None), |row| row.optional_text("checksum"))?;
        let known = checksum(text);
        if stored.as_ref().is_some_and(|stored| *stored != known) {
            let stored = stored.unwrap_or_default();
            let message = format!(
                "migration {version} was applied to this database with another text (SHA-256 {stored}; this program has \
                 {known}). A released migration must not be edited: run the program that applied it, or restore the \
                 migration's text and put the change into a new migration"
            );
            return Err(StoreError::internal(message));
        }
    }
    Ok(())
}

fn checksum(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

fn number(index: usize) -> i64 {
    index as i64 + 1
}

async fn applied(tx: &mut Tx) -> Result<usize, StoreError> {
    let row = tx.row(&VERSION, args![]).await?;
    let version = row.map_or(Ok(0), |row| row.count("version"))?;
    usize::try_from(version).map_err(|_| StoreError::Corrupt("the schema version is too large".into()))
}
