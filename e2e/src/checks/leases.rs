//! What must be true of a server on SQLite whose callers have left: its steps end, and nothing stays leased or held.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::data_folder::DATABASE;
use crate::eventually_within;

/// What is waited for, and the rows that must disappear. A key whose caller went away has the lease 0.
const ROWS: [(&str, &str); 6] = [
    ("all steps to end", "steps WHERE completed_at IS NULL OR lease_until_ms IS NOT NULL"),
    ("no delivery to be leased", "deliveries WHERE lease_until_ms IS NOT NULL"),
    ("no idempotency key to be in use", "idempotency_keys WHERE lease_until_ms > 0"),
    ("no synchronous call to hold credit", "holds"),
    ("no job to hold credit", "jobs WHERE hold_e10 > 0"),
    ("no balance to have a held amount", "balances WHERE held_e10 <> 0"),
];

/// Waits for each of these. Reads the database while the server runs.
pub async fn are_released(data: &Path, limit: Duration) {
    let database = Connection::open_with_flags(data.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_ONLY);
    let database = database.expect("the database can be opened");
    for (what, rows) in ROWS {
        eventually_within(limit, what, || async { (count(&database, rows) == 0).then_some(()) }).await;
    }
}

fn count(database: &Connection, rows: &str) -> i64 {
    let statement = format!("SELECT COUNT(*) FROM {rows}");
    database.query_row(&statement, (), |row| row.get(0)).expect("the table exists")
}
