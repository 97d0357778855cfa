//! The rows that the real server wrote for one job, to be written again under other ids.

use auris_domain::id::{JobId, StepId};
use auris_domain::time::Clock;

use crate::sql::{Connection, Row, Statement, Value};

/// Every table that holds something of a job, and how its rows are found; owners before what points at them.
const TABLES: [(&str, &str); 9] = [
    ("projects", "id = (SELECT project_id FROM jobs WHERE id = $1)"),
    ("jobs", "id = $1"),
    ("job_requests", "job_id = $1"),
    ("steps", "job_id = $1"),
    ("artifacts", "job_id = $1 ORDER BY id"),
    ("events", "job_id = $1 ORDER BY sequence"),
    ("step_outputs", "job_id = $1"),
    ("ledger", "job_id = $1"),
    ("job_results", "job_id = $1"),
];
const ID_LENGTH: usize = 24;

/// One row as the server wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CapturedRow {
    pub(crate) table: &'static str,
    pub(crate) columns: Vec<(String, Value)>,
}

/// A statement that writes captured rows of one table again.
#[derive(Debug)]
pub(crate) struct Insert {
    statement: Statement,
    values: Vec<Value>,
}

/// The ids of a copy.
#[derive(Debug, Clone)]
pub(crate) struct CopyIds {
    pub(crate) job: String,
    pub(crate) step: String,
}

/// Everything that is stored of a job now.
pub(crate) async fn capture(connection: &mut Connection, job: &str) -> anyhow::Result<Vec<CapturedRow>> {
    let mut captured = Vec::new();
    for (table, condition) in TABLES {
        let select = format!("SELECT * FROM {table} WHERE {condition}");
        for row in connection.rows(&select.into(), &[job.into()]).await? {
            captured.push(CapturedRow::new(table, &row)?);
        }
    }
    Ok(captured)
}

impl CapturedRow {
    fn new(table: &'static str, row: &Row) -> anyhow::Result<Self> {
        Ok(Self { table, columns: row.named_values()? })
    }

    pub(crate) fn value(&self, column: &str) -> Value {
        let found = self.columns.iter().find(|(name, _)| name == column);
        found.map_or(Value::Text(None), |(_, value)| value.clone())
    }
}

/// A statement a row, but one for all events of a transaction, as the store has it.
pub(crate) fn inserts(rows: &[CapturedRow]) -> Vec<Insert> {
    let together = |one: &CapturedRow, next: &CapturedRow| one.table == "events" && next.table == "events";
    rows.chunk_by(together).map(Insert::new).collect()
}

impl Insert {
    fn new(rows: &[CapturedRow]) -> Self {
        let names: Vec<&str> = rows[0].columns.iter().map(|(name, _)| name.as_str()).collect();
        let places = |row: usize| {
            let places = (1..=names.len()).map(|place| format!("${}", row * names.len() + place));
            format!("({})", places.collect::<Vec<_>>().join(", "))
        };
        let places: Vec<String> = (0..rows.len()).map(places).collect();
        let (table, names) = (rows[0].table, names.join(", "));
        let statement = format!("INSERT INTO {table} ({names}) VALUES {}", places.join(", "));
        let values = rows.iter().flat_map(|row| row.columns.iter().map(|(_, value)| value.clone()));
        Self { statement: statement.into(), values: values.collect() }
    }

    pub(crate) fn statement(&self) -> &str {
        &self.statement
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    /// Writes the rows for another job.
    pub(crate) async fn write(&self, connection: &mut Connection, ids: &CopyIds) -> anyhow::Result<()> {
        let values: Vec<Value> = self.values.iter().map(|value| ids.rename(value)).collect();
        connection.write(&self.statement, &values).await.map(drop)
    }
}

impl CopyIds {
    pub(crate) fn generate() -> Self {
        let now = Clock::System.now();
        Self { job: JobId::generate(now).to_string(), step: StepId::generate(now).to_string() }
    }

    /// The job and its step get their new names, what else has an id gets a fresh one; all other values stay.
    fn rename(&self, value: &Value) -> Value {
        let Value::Text(Some(text)) = value else {
            return value.clone();
        };
        if text.len() != ID_LENGTH {
            return value.clone();
        }
        match text.get(..4) {
            Some("job_") => self.job.as_str().into(),
            Some("stp_") => self.step.as_str().into(),
            Some(prefix @ ("art_" | "evt_" | "led_")) => fresh(prefix),
            Some(_) | None => value.clone(),
        }
    }
}

fn fresh(prefix: &str) -> Value {
    let body = JobId::generate(Clock::System.now());
    Value::Text(Some(format!("{prefix}{}", &body.as_str()[4..])))
}
