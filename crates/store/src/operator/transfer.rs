//! Export of all rows as of one moment, and their import into another installation.

use std::collections::{BTreeMap, BTreeSet};

use auris_domain::artifact::ArtifactStatus;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use serde_json::{Map, Value};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Column, Postgres, Row as _, Transaction};

use crate::cluster::shared_values::INSTALLATION;
use crate::error::StoreError;
use crate::sql::{Argument, CellValue, Database, SqliteRow, SqliteSnapshot, Tx, args, statements};
use crate::store::Store;

/// Not exported: each database records its own migrations, the orphans among its own blobs, its own nodes and the tasks
/// for their models, and who is signed in.
const NOT_EXPORTED: [&str; 6] =
    ["schema_migrations", "orphan_blobs", "nodes", "model_tasks", "sessions", "sign_in_links"];

statements! {
    COLUMNS = "SELECT m.name AS table_name, c.name AS column_name FROM sqlite_master AS m
            JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'",
        postgres = "SELECT CAST(table_name AS TEXT) AS table_name, CAST(column_name AS TEXT) AS column_name
            FROM information_schema.columns WHERE table_schema = current_schema()";
    REFERENCES = "SELECT m.name AS child, f.\"table\" AS parent FROM sqlite_master AS m
            JOIN pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'",
        postgres = "SELECT CAST(c.relname AS TEXT) AS child, CAST(p.relname AS TEXT) AS parent FROM pg_constraint AS k
            JOIN pg_class AS c ON c.oid = k.conrelid JOIN pg_class AS p ON p.oid = k.confrelid
            WHERE k.contype = 'f' AND c.relnamespace = CAST(current_schema() AS regnamespace)";
    OCCUPIED = "SELECT 1 AS one FROM jobs UNION ALL SELECT 1 FROM api_keys UNION ALL SELECT 1 FROM endpoints LIMIT 1";
    /// Removes the empty project that a first start creates.
    CLEAR_PROJECTS = "DELETE FROM projects";
}

/// An exported row: its columns by name, with texts and integers as values.
pub type CarriedRow = Map<String, Value>;

/// The blob that an exported row names, and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedBlob {
    pub key: String,
    pub bytes: u64,
}

/// All rows as of the moment when the snapshot was taken, unaffected by later writes.
pub struct Snapshot {
    tx: SnapshotTx,
    /// A table comes after all tables that it refers to.
    pub tables: Vec<String>,
}

enum SnapshotTx {
    Sqlite(SqliteSnapshot),
    Postgres(Transaction<'static, Postgres>),
}

/// An import in progress: its rows take effect together when it is committed.
pub struct Restoration {
    tx: Tx,
    columns: BTreeMap<String, BTreeSet<String>>,
}

impl Store {
    /// Takes a snapshot of all rows; it does not block writers.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let tables = in_order(&self.columns().await?, &self.references().await?);
        let tx = match self.database() {
            Database::Sqlite { readers, .. } => SnapshotTx::Sqlite(readers.snapshot().await?),
            Database::Postgres { pool, .. } => {
                let mut tx = pool.begin().await?;
                let text = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";
                sqlx::raw_sql(text).execute(&mut *tx).await?;
                SnapshotTx::Postgres(tx)
            }
        };
        Ok(Snapshot { tx, tables })
    }

    /// Begins an import; `None` if there are jobs, keys or endpoints already, which could conflict with it.
    pub async fn restore(&self) -> Result<Option<Restoration>, StoreError> {
        let columns = self.columns().await?;
        let mut tx = self.database().begin().await?;
        if tx.row(&OCCUPIED, args![]).await?.is_some() {
            tx.rollback().await?;
            return Ok(None);
        }
        tx.write(&CLEAR_PROJECTS, args![]).await?;
        Ok(Some(Restoration { tx, columns }))
    }

    async fn columns(&self) -> Result<BTreeMap<String, BTreeSet<String>>, StoreError> {
        let mut columns: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in self.database().many_rows(&COLUMNS, args![]).await? {
            let table = row.text("table_name")?;
            if !NOT_EXPORTED.contains(&table.as_str()) {
                columns.entry(table).or_default().insert(row.text("column_name")?);
            }
        }
        Ok(columns)
    }

    async fn references(&self) -> Result<Vec<(String, String)>, StoreError> {
        let rows = self.database().many_rows(&REFERENCES, args![]).await?;
        rows.iter().map(|row| Ok((row.text("child")?, row.text("parent")?))).collect()
    }
}

impl Snapshot {
    pub fn rows<'a>(&'a mut self, table: &str) -> BoxStream<'a, Result<CarriedRow, StoreError>> {
        // The name comes from the database's list of tables. The import gets its own installation id.
        let condition = match table {
            "agreements" => format!(" WHERE name <> '{INSTALLATION}'"),
            _ => String::new(),
        };
        let text = format!("SELECT * FROM {table}{condition}");
        match &mut self.tx {
            SnapshotTx::Sqlite(tx) => tx.rows(text).map_ok(|row| exported(&row)).boxed(),
            SnapshotTx::Postgres(tx) => {
                let rows = sqlx::query(AssertSqlSafe(text)).fetch(&mut **tx);
                let exported = |row| std::future::ready(exported_from_postgres(&row));
                rows.map_err(StoreError::from).and_then(exported).boxed()
            }
        }
    }
}

impl NamedBlob {
    /// The blob of a row of this table; `None` if its rows name no blobs, or if the content was deleted.
    pub fn of(table: &str, row: &CarriedRow) -> Result<Option<Self>, StoreError> {
        let status = row.get("status").and_then(Value::as_str);
        if table != "artifacts" || status != Some(ArtifactStatus::Available.as_str()) {
            return Ok(None);
        }
        let invalid = |column: &str| {
            StoreError::Corrupt(format!("the column `{column}` of `artifacts` has an unexpected value"))
        };
        let key = row.get("blob_key").and_then(Value::as_str).ok_or_else(|| invalid("blob_key"))?;
        let bytes = row.get("bytes").and_then(Value::as_u64).ok_or_else(|| invalid("bytes"))?;
        Ok(Some(Self { key: key.to_owned(), bytes }))
    }
}

impl Restoration {
    pub async fn insert(&mut self, table: &str, row: &CarriedRow) -> Result<(), StoreError> {
        // A NULL parameter still needs a type, which is unknown here, so NULL columns are left out.
        let present = row.iter().filter(|(_, value)| !value.is_null());
        let (names, values): (Vec<&str>, Vec<&Value>) =
            present.map(|(name, value)| (name.as_str(), value)).unzip();
        let text = self.insert_text(table, &names)?;
        let arguments = values.into_iter().map(argument).collect::<Result<Vec<_>, _>>()?;
        self.tx.write_text(text, arguments).await.map(drop)
    }

    pub async fn commit(self) -> Result<(), StoreError> {
        self.tx.commit().await
    }

    /// The insert for a table and its columns. Names from an import are not trusted as SQL: both must be in this schema.
    fn insert_text(&self, table: &str, names: &[&str]) -> Result<String, StoreError> {
        let known = self.columns.get(table);
        if !known.is_some_and(|known| names.iter().all(|name| known.contains(*name))) {
            let message = format!("this schema has no table `{table}` with the columns {names:?}");
            return Err(StoreError::Corrupt(message));
        }
        let parameters: Vec<String> = (1..=names.len()).map(|number| format!("${number}")).collect();
        let names = names.join(", ");
        let parameters = parameters.join(", ");
        Ok(format!("INSERT INTO {table} ({names}) VALUES ({parameters}) ON CONFLICT DO NOTHING"))
    }
}

/// Orders tables so that each comes after all tables that it refers to.
fn in_order(columns: &BTreeMap<String, BTreeSet<String>>, references: &[(String, String)]) -> Vec<String> {
    let mut ordered: Vec<String> = Vec::new();
    while ordered.len() < columns.len() {
        let is_placed = |table: &String| ordered.contains(table);
        let is_next = |table: &&String| {
            let parents = references.iter().filter(|(child, parent)| child == *table && parent != child);
            !is_placed(table) && parents.into_iter().all(|(_, parent)| is_placed(parent))
        };
        match columns.keys().find(is_next) {
            Some(next) => ordered.push(next.clone()),
            // Tables that refer to each other in a cycle, which no migration creates; then no order is right.
            None => return columns.keys().cloned().collect(),
        }
    }
    ordered
}

fn exported(row: &SqliteRow) -> CarriedRow {
    let value = |value| match value {
        CellValue::Null => Value::Null,
        CellValue::Integer(integer) => Value::from(integer),
        CellValue::Text(text) => Value::from(text),
    };
    row.iter().map(|(name, cell)| (name.to_owned(), value(cell))).collect()
}

fn exported_from_postgres(row: &PgRow) -> Result<CarriedRow, StoreError> {
    let mut values = CarriedRow::new();
    for (index, column) in row.columns().iter().enumerate() {
        // Every column is an integer or a text, and the driver does not read an integer as text.
        let value = match row.try_get::<Option<i64>, _>(index) {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(row.try_get::<Option<String>, _>(index)?),
        };
        values.insert(column.name().to_owned(), value);
    }
    Ok(values)
}

fn argument(value: &Value) -> Result<Argument, StoreError> {
    match value {
        Value::String(text) => Ok(Argument::Text(Some(text.clone()))),
        Value::Number(number) if number.is_i64() => Ok(Argument::Integer(number.as_i64())),
        Value::Null | Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            Err(StoreError::Corrupt(format!(
                "invalid value in the import: `{value}` is neither text nor an integer"
            )))
        }
    }
}
