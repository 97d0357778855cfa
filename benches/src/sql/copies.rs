//! Fills a database with copies of one finished job, with SQL only.

use anyhow::ensure;
use auris_domain::id::ProjectId;

use super::database::{Database, DatabaseKind};
use super::job_rows::CapturedRow;
use super::{Connection, Value};

/// Added to every number, so that all have the same number of digits and sort as texts.
const FIRST: u64 = 10_000_000_000;

/// The id of the copy with this number. All copies sort before the ids that are generated today.
pub(crate) fn job_id(number: u64) -> String {
    format!("job_000000000{}", FIRST + number)
}

/// How many copies to write. The oldest tenth belongs to a project without any newer job.
pub(crate) struct Copies {
    pub(crate) count: u64,
    pub(crate) quiet_project: ProjectId,
}

/// Writes jobs like the captured one. No server may run on the database at the same time.
pub(crate) async fn fill(
    database: &Database,
    captured: &[CapturedRow],
    copies: &Copies,
) -> anyhow::Result<()> {
    let mut connection = database.connect().await?;
    // This database exists for minutes, so it need not survive a power cut.
    connection
        .script(match database.kind {
            DatabaseKind::Sqlite => {
                "PRAGMA foreign_keys = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
                 PRAGMA cache_size = -262144"
            }
            DatabaseKind::Postgres => "SET session_replication_role = replica",
        })
        .await?;
    connection.begin().await?;
    for row in captured {
        copy(&mut connection, row, copies).await?;
    }
    connection.commit().await?;
    match database.kind {
        // Users do not run ANALYZE on SQLite, so the bench does not either.
        DatabaseKind::Sqlite => Ok(()),
        // Autovacuum would do the same some seconds later.
        DatabaseKind::Postgres => connection.script("VACUUM (ANALYZE) jobs, job_results, steps").await,
    }
}

async fn copy(connection: &mut Connection, row: &CapturedRow, copies: &Copies) -> anyhow::Result<()> {
    let Copies { count, quiet_project } = copies;
    let names: Vec<&str> = row.columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut values: Vec<Value> = Vec::new();
    let mut expressions = Vec::new();
    for (name, value) in &row.columns {
        if let Some(id) = numbered_id(row.table, name) {
            expressions.push(id);
            continue;
        }
        values.push(value.clone());
        let place = values.len();
        expressions.push(match (value, name.as_str()) {
            (_, "project_id") => {
                format!(
                    "CASE WHEN n <= {} THEN '{quiet_project}' ELSE CAST(${place} AS TEXT) END",
                    count / 10
                )
            }
            (Value::Text(_), _) => format!("CAST(${place} AS TEXT)"),
            (Value::Integer(_), _) => format!("CAST(${place} AS BIGINT)"),
        });
    }
    let insert = format!(
        "WITH RECURSIVE numbers (n) AS
             (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
         INSERT INTO {} ({}) SELECT {} FROM numbers",
        row.table,
        names.join(", "),
        expressions.join(", ")
    );
    let written = connection.write(&insert.into(), &values).await?;
    ensure!(written == *count, "{} has {written} copies instead of {count}", row.table);
    Ok(())
}

fn numbered_id(table: &str, column: &str) -> Option<String> {
    match (table, column) {
        ("jobs", "id") | (_, "job_id") => Some(numbered("job_")),
        ("steps", "id") => Some(numbered("stp_")),
        _ => None,
    }
}

fn numbered(prefix: &str) -> String {
    format!("'{prefix}000000000' || CAST({FIRST} + n AS TEXT)")
}
