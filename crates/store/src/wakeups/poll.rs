//! Polling for changes of jobs, because wake-ups can be missed: those of other processes on SQLite always, on PostgreSQL
//! while the listening connection is down.

use super::local::Topics;
use crate::error::StoreError;
use crate::sql::{Database, listed_in_postgres, listed_in_sqlite, rows_argument, statements};

/// Maximum number of jobs per query.
const JOBS_PER_QUERY: usize = 50;

statements! {
    LAST_EVENTS = concat!("SELECT id, event_seq FROM jobs WHERE ", listed_in_sqlite!("id", "$1")),
        postgres = concat!("SELECT id, event_seq FROM jobs WHERE ", listed_in_postgres!("id", "$1"));
}

/// Wakes the waiters of jobs whose last event has changed.
pub(super) async fn poll_jobs(database: &Database, topics: &Topics) -> Result<(), StoreError> {
    for jobs in topics.waited_for().chunks(JOBS_PER_QUERY) {
        for row in database.rows(&LAST_EVENTS, vec![rows_argument(jobs)?]).await? {
            topics.polled(&row.parsed("id")?, row.integer("event_seq")?);
        }
    }
    Ok(())
}
