//! The schema of the database: brought up to date, or checked.

use serde::Serialize;

use super::error::Context;
use super::{Operator, OperatorError, Result};

/// What to do about a schema that is older than this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaPolicy {
    Migrate,
    /// Refuse to work: the operator migrates with `auris migrate`.
    Check,
}

/// What a migration did.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Migration {
    /// The schema's version before, and now.
    pub before: u32,
    pub schema: u32,
    /// The version that this program knows.
    pub known: u32,
    /// How many migrations ran.
    pub ran: u32,
}

impl Operator {
    /// Applies all pending migrations.
    pub async fn migrate(&self) -> Result<Migration> {
        let before = self.store.schema_version().await?;
        let ran = self.store.migrate().await.context(|| "cannot migrate the database".into())?;
        let schema = self.store.schema_version().await?;
        Ok(Migration { before, schema, known: auris_store::Store::known_schema(), ran })
    }

    /// Migrates the schema, or refuses one that is too old.
    pub async fn prepare_schema(&self, policy: SchemaPolicy) -> Result<()> {
        match policy {
            SchemaPolicy::Migrate => self.migrate().await.map(drop),
            SchemaPolicy::Check => self.check_schema().await,
        }
    }

    async fn check_schema(&self) -> Result<()> {
        let schema = self.store.schema_version().await?;
        let known = auris_store::Store::known_schema();
        if schema >= known {
            return self.store.verify_migrations().await.context(|| "cannot use the database".into());
        }
        let message = format!(
            "the database has schema {schema}, this program needs {known}, and `database.migrate` is false; run \
             `auris migrate`"
        );
        Err(OperatorError::conflict(message))
    }
}
