//! Runs recorded statements again, on one connection and with nothing in between.

use std::sync::Arc;

use super::recording::{Ids, Recording, Step};
use super::{Connection, Value};
use crate::measure::Work;

/// Operations that are replayed one after the other for the same job, again and again.
pub(crate) struct Replay {
    connection: Connection,
    operations: Vec<Arc<Recording>>,
    /// How many units one replay counts as.
    units: u64,
    /// Ids of existing jobs to read, in turn. Without them every replay works on a new job.
    jobs: Option<JobsToRead>,
}

/// Jobs that are read in turn.
#[derive(Clone)]
pub(crate) struct JobsToRead {
    pub(crate) ids: Arc<Vec<String>>,
    pub(crate) next: usize,
}

impl Replay {
    pub(crate) fn new(connection: Connection, operations: &[&Arc<Recording>], units: u64) -> Self {
        let operations = operations.iter().map(|operation| Arc::clone(operation)).collect();
        Self { connection, operations, units, jobs: None }
    }

    pub(crate) fn of_jobs(mut self, jobs: JobsToRead) -> Self {
        self.jobs = Some(jobs);
        self
    }

    fn next_job(&mut self) -> Option<(String, Value)> {
        let jobs = self.jobs.as_mut()?;
        jobs.next += 1;
        let id = jobs.ids[jobs.next % jobs.ids.len()].as_str();
        Some(("id".to_owned(), id.into()))
    }
}

impl Work for Replay {
    /// A claim that another worker won is tried again, as in the store.
    async fn once(&mut self) -> anyhow::Result<u64> {
        // The job that the operations so far worked on.
        let mut job: Vec<(String, Value)> = self.next_job().into_iter().collect();
        for recording in &self.operations {
            loop {
                let mut ids = recording.fresh_ids();
                ids.take_over(&job);
                if run(&mut self.connection, recording, &mut ids).await? {
                    job = ids.job_and_step();
                    break;
                }
            }
        }
        Ok(self.units)
    }
}

/// Whether the operation went as recorded; false if a claim found nothing to claim.
async fn run(connection: &mut Connection, recording: &Recording, ids: &mut Ids) -> anyhow::Result<bool> {
    let mut in_transaction = false;
    for step in &recording.steps {
        match step {
            Step::Begin => {
                connection.begin().await?;
                in_transaction = true;
            }
            Step::Commit => {
                connection.commit().await?;
                in_transaction = false;
            }
            Step::Run { statement, arguments } => {
                let values: Vec<_> = arguments.iter().map(|argument| argument.value(ids)).collect();
                let rows = connection.rows(statement, &values).await?;
                match rows.first() {
                    Some(row) if recording.is_claim => ids.take_over(&row.named_values()?),
                    None if recording.is_claim && in_transaction => {
                        connection.rollback().await?;
                        return Ok(false);
                    }
                    Some(_) | None => {}
                }
            }
        }
    }
    Ok(true)
}
