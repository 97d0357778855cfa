//! The rows that the real server wrote for one job, to be copied under other ids.

use super::{Connection, Row, Value};

/// What a list and a claim read of a finished job, and how its rows are found. Events and content are not copied.
const TABLES: [(&str, &str); 3] =
    [("jobs", "id = $1"), ("job_results", "job_id = $1"), ("steps", "job_id = $1")];

/// One row as the server wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CapturedRow {
    pub(crate) table: &'static str,
    pub(crate) columns: Vec<(String, Value)>,
}

/// The rows of a job as they are now.
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
}
