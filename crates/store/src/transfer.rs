//! All rows at one moment, to be carried to another installation, and the way back in.

use std::collections::{BTreeMap, BTreeSet};

use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, Column, Database as Driver, Decode, Postgres, Sqlite, Transaction, Type};

use crate::db::{Argument, Database, Tx, args};
use crate::error::StoreError;
use crate::statements::{Statement, statements};
use crate::store::Store;

/// The migrations of a database are its own.
const NOT_CARRIED: &str = "schema_migrations";

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
    /// The project of a first start, with nothing in it.
    CLEAR_PROJECTS = "DELETE FROM projects";
}

/// A row as it is carried: its columns by name, texts and whole numbers.
pub type CarriedRow = Map<String, Value>;

/// Everything as it was when the snapshot was taken, however much is written meanwhile.
pub struct Snapshot {
    tx: SnapshotTx,
    /// Those that others refer to stand first.
    pub tables: Vec<String>,
}

enum SnapshotTx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

/// Rows on their way in: all of them count when it is committed, none before.
pub struct Restoration {
    tx: Tx,
    columns: BTreeMap<String, BTreeSet<String>>,
    inserts: BTreeMap<(String, Vec<String>), Statement>,
}

impl Store {
    /// Reads everything as of now, without keeping anybody from writing.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let tables = in_order(&self.columns().await?, &self.references().await?);
        let tx = match self.database() {
            Database::Sqlite { readers, .. } => SnapshotTx::Sqlite(readers.begin().await?),
            Database::Postgres { pool, .. } => {
                let mut tx = pool.begin().await?;
                let text = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";
                sqlx::raw_sql(text).execute(&mut *tx).await?;
                SnapshotTx::Postgres(tx)
            }
        };
        Ok(Snapshot { tx, tables })
    }

    /// Begins to take rows in; `None` where there are jobs, keys or endpoints already, which they could meet.
    pub async fn restore(&self) -> Result<Option<Restoration>, StoreError> {
        let columns = self.columns().await?;
        let mut tx = self.database().begin().await?;
        if tx.row(&OCCUPIED, args![]).await?.is_some() {
            tx.rollback().await?;
            return Ok(None);
        }
        tx.write(&CLEAR_PROJECTS, args![]).await?;
        Ok(Some(Restoration { tx, columns, inserts: BTreeMap::new() }))
    }

    async fn columns(&self) -> Result<BTreeMap<String, BTreeSet<String>>, StoreError> {
        let mut columns: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in self.database().rows(&COLUMNS, args![]).await? {
            let table = row.text("table_name")?;
            if table != NOT_CARRIED {
                columns.entry(table).or_default().insert(row.text("column_name")?);
            }
        }
        Ok(columns)
    }

    async fn references(&self) -> Result<Vec<(String, String)>, StoreError> {
        let rows = self.database().rows(&REFERENCES, args![]).await?;
        rows.iter().map(|row| Ok((row.text("child")?, row.text("parent")?))).collect()
    }
}

impl Snapshot {
    pub fn rows<'a>(&'a mut self, table: &str) -> BoxStream<'a, Result<CarriedRow, StoreError>> {
        // The name comes from the database's own list of tables.
        let text = AssertSqlSafe(format!("SELECT * FROM {table}"));
        match &mut self.tx {
            SnapshotTx::Sqlite(tx) => {
                let rows = sqlx::query(text).fetch(&mut **tx);
                rows.map_err(StoreError::from).and_then(|row| std::future::ready(carried(&row))).boxed()
            }
            SnapshotTx::Postgres(tx) => {
                let rows = sqlx::query(text).fetch(&mut **tx);
                rows.map_err(StoreError::from).and_then(|row| std::future::ready(carried(&row))).boxed()
            }
        }
    }
}

impl Restoration {
    pub async fn insert(&mut self, table: &str, row: &CarriedRow) -> Result<(), StoreError> {
        // A parameter that is NULL has a type all the same, which nobody here knows: such columns are left out.
        let row = row.iter().filter(|(_, value)| !value.is_null());
        let (names, values): (Vec<String>, Vec<&Value>) =
            row.map(|(name, value)| (name.clone(), value)).unzip();
        let statement = self.statement(table, names)?;
        let arguments = values.into_iter().map(argument).collect::<Result<Vec<_>, _>>()?;
        self.tx.write(&statement, arguments).await.map(drop)
    }

    pub async fn commit(self) -> Result<(), StoreError> {
        self.tx.commit().await
    }

    /// One statement for each table and set of columns. What a file says is no SQL: both names must be ours.
    fn statement(&mut self, table: &str, names: Vec<String>) -> Result<Statement, StoreError> {
        let place = (table.to_owned(), names);
        if let Some(statement) = self.inserts.get(&place) {
            return Ok(*statement);
        }
        let known = self.columns.get(table);
        if !known.is_some_and(|known| place.1.iter().all(|name| known.contains(name))) {
            let message = format!("`{table}` with the columns {:?} is not of this schema", place.1);
            return Err(StoreError::Corrupt(message));
        }
        let values: Vec<String> = (1..=place.1.len()).map(|number| format!("${number}")).collect();
        let text = format!(
            "INSERT INTO {table} ({}) VALUES ({}) ON CONFLICT DO NOTHING",
            place.1.join(", "),
            values.join(", ")
        );
        // As many as there are tables, for the life of a command.
        let text: &'static str = Box::leak(text.into_boxed_str());
        let statement = Statement { sqlite: text, postgres: text };
        self.inserts.insert(place, statement);
        Ok(statement)
    }
}

/// A table stands behind all that it refers to.
fn in_order(columns: &BTreeMap<String, BTreeSet<String>>, references: &[(String, String)]) -> Vec<String> {
    let mut ordered: Vec<String> = Vec::new();
    while ordered.len() < columns.len() {
        let stands = |table: &String| ordered.contains(table);
        let is_next = |table: &&String| {
            let parents = references.iter().filter(|(child, parent)| child == *table && parent != child);
            !stands(table) && parents.into_iter().all(|(_, parent)| stands(parent))
        };
        match columns.keys().find(is_next) {
            Some(next) => ordered.push(next.clone()),
            // A circle of references, which no migration makes: any order is as good.
            None => return columns.keys().cloned().collect(),
        }
    }
    ordered
}

fn carried<R, D>(row: &R) -> Result<CarriedRow, StoreError>
where
    R: sqlx::Row<Database = D>,
    D: Driver<Row = R>,
    usize: sqlx::ColumnIndex<R>,
    for<'r> Option<i64>: Decode<'r, D>,
    for<'r> Option<String>: Decode<'r, D>,
    Option<i64>: Type<D>,
    Option<String>: Type<D>,
{
    let mut carried = CarriedRow::new();
    for (index, column) in row.columns().iter().enumerate() {
        // Every column is a whole number or a text; a number is no text to either driver.
        let value = match row.try_get::<Option<i64>, _>(index) {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(row.try_get::<Option<String>, _>(index)?),
        };
        carried.insert(column.name().to_owned(), value);
    }
    Ok(carried)
}

fn argument(value: &Value) -> Result<Argument, StoreError> {
    match value {
        Value::String(text) => Ok(Argument::Text(Some(text.clone()))),
        Value::Number(number) if number.is_i64() => Ok(Argument::Integer(number.as_i64())),
        Value::Null | Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            Err(StoreError::Corrupt(format!("`{value}` stands in no row")))
        }
    }
}
