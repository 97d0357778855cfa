//! Reading steps, and the leases of running ones.

use auris_domain::id::{JobId, ProjectId, StepId};
use auris_domain::job::JobStatus;
use auris_domain::model::Capability;
use auris_domain::step::{Step, StepStatus};
use auris_domain::time::Millis;
use serde_json::Value;

use crate::error::StoreError;
use crate::sql::{Row, args, statements};
use crate::store::Store;

/// Aliased so that a step and its job can be selected in one row.
macro_rules! step_columns {
    () => {
        "steps.id AS step_id, steps.job_id, steps.ordinal, steps.step_key, steps.capability,
         steps.status AS step_status, steps.requested_model, steps.resolved_model,
         steps.created_at AS step_created_at, steps.started_at AS step_started_at,
         steps.completed_at AS step_completed_at, steps.attempt, steps.losses, steps.error AS step_error,
         steps.usage AS step_usage, steps.needs, steps.rates, steps.cost_bound, steps.spec"
    };
}
pub(crate) use step_columns;

statements! {
    STORED_STEPS = concat!("SELECT ", step_columns!(), ", output, response FROM jobs
        JOIN steps ON steps.job_id = jobs.id
        LEFT JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
        WHERE jobs.id = $1 AND jobs.project_id = $2 ORDER BY steps.ordinal");
    STORED_STEP = concat!("SELECT ", step_columns!(), ", output, response FROM jobs
        JOIN steps ON steps.job_id = jobs.id
        LEFT JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
        WHERE jobs.id = $1 AND jobs.project_id = $2 AND steps.id = $3");
    OUTPUTS = "SELECT step_key, output FROM steps
        JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
        WHERE steps.job_id = $1 AND status = 'completed' ORDER BY steps.ordinal";
    /// Skips a step that another transaction is writing: waiting for it while holding others could deadlock.
    RENEW = "UPDATE steps SET lease_until_ms = $2 WHERE worker = $1 AND status = 'in_progress'",
        postgres = "UPDATE steps SET lease_until_ms = $2 WHERE id IN
            (SELECT id FROM steps WHERE worker = $1 AND status = 'in_progress' FOR NO KEY UPDATE SKIP LOCKED)";
    HELD = "SELECT steps.job_id, steps.ordinal, steps.attempt, jobs.status AS job_status
        FROM steps JOIN jobs ON jobs.id = steps.job_id
        WHERE steps.worker = $1 AND steps.status = 'in_progress' ORDER BY steps.job_id, steps.ordinal";
    LOST = "SELECT job_id, ordinal, attempt FROM steps
        WHERE status = 'in_progress' AND lease_until_ms <= $1 ORDER BY lease_until_ms LIMIT $2";
}

/// A step and its output.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredStep {
    pub step: Step,
    pub output: Option<Value>,
    pub response: Option<Value>,
}

/// A step that a worker still holds. If its job is being cancelled, the worker stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldStep {
    pub job_id: JobId,
    pub ordinal: i64,
    pub attempt: i64,
    pub job_status: JobStatus,
}

/// A step whose lease has expired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostStep {
    pub job_id: JobId,
    pub ordinal: i64,
    pub attempt: i64,
}

impl Store {
    /// All steps of a job in order; `None` if the project has no such job.
    pub async fn steps(
        &self,
        project: &ProjectId,
        job: &JobId,
    ) -> Result<Option<Vec<StoredStep>>, StoreError> {
        let rows = self.database().rows(&STORED_STEPS, args![job, project]).await?;
        let steps: Vec<StoredStep> = rows.iter().map(decode_stored).collect::<Result<_, _>>()?;
        // A job has at least one step.
        Ok((!steps.is_empty()).then_some(steps))
    }

    /// One step of a job, if the job belongs to the project.
    pub async fn step(
        &self,
        project: &ProjectId,
        job: &JobId,
        step: &StepId,
    ) -> Result<Option<StoredStep>, StoreError> {
        let arguments = args![job, project, step];
        let row = self.database().row(&STORED_STEP, arguments).await?;
        row.as_ref().map(decode_stored).transpose()
    }

    /// The outputs of a job's completed steps with their step keys, in order.
    pub async fn outputs(&self, job: &JobId) -> Result<Vec<(String, Value)>, StoreError> {
        let rows = self.database().rows(&OUTPUTS, args![job]).await?;
        rows.iter().map(|row| Ok((row.text("step_key")?, row.json("output")?))).collect()
    }

    /// Extends the leases of all steps that the worker runs and returns them. The worker no longer holds a step that is
    /// missing from the result.
    pub async fn renew_leases(&self, worker: &str, until: Millis) -> Result<Vec<HeldStep>, StoreError> {
        let held = self.database().rows(&HELD, args![worker]).await?;
        if !held.is_empty() {
            self.database().write(&RENEW, args![worker, until]).await?;
        }
        held.iter().map(decode_held).collect()
    }

    /// Steps whose lease expired, the longest expired first.
    pub async fn lost_steps(&self, now: Millis, limit: u32) -> Result<Vec<LostStep>, StoreError> {
        let rows = self.database().rows(&LOST, args![now, limit]).await?;
        rows.iter()
            .map(|row| {
                Ok(LostStep {
                    job_id: row.parsed("job_id")?,
                    ordinal: row.integer("ordinal")?,
                    attempt: row.integer("attempt")?,
                })
            })
            .collect()
    }
}

/// The steps of a run. Each must be at the index that is its ordinal.
pub(crate) fn decode_steps(rows: &[Row]) -> Result<Vec<Step>, StoreError> {
    let steps: Vec<Step> = rows.iter().map(decode_step).collect::<Result<_, _>>()?;
    let in_place = |(index, step): (usize, &Step)| step.ordinal == index as i64;
    if !steps.iter().enumerate().all(in_place) {
        return Err(StoreError::Corrupt("a job has missing steps".into()));
    }
    Ok(steps)
}

fn decode_step(row: &Row) -> Result<Step, StoreError> {
    Ok(Step {
        id: row.parsed("step_id")?,
        job_id: row.parsed("job_id")?,
        ordinal: row.integer("ordinal")?,
        key: row.text("step_key")?,
        capability: row.word("capability", read_capability)?,
        status: row.word("step_status", StepStatus::parse)?,
        requested_model: row.optional_text("requested_model")?,
        resolved_model: row.optional_text("resolved_model")?,
        created_at: row.moment("step_created_at")?,
        started_at: row.optional_moment("step_started_at")?,
        completed_at: row.optional_moment("step_completed_at")?,
        error: row.optional_json("step_error")?,
        usage: row.optional_json("step_usage")?,
        needs: row.json("needs")?,
        rates: row.json("rates")?,
        cost_bound: row.parsed("cost_bound")?,
        spec: row.json("spec")?,
        attempt: row.integer("attempt")?,
        losses: row.integer("losses")?,
    })
}

fn decode_stored(row: &Row) -> Result<StoredStep, StoreError> {
    Ok(StoredStep {
        step: decode_step(row)?,
        output: row.optional_json("output")?,
        response: row.optional_json("response")?,
    })
}

fn decode_held(row: &Row) -> Result<HeldStep, StoreError> {
    Ok(HeldStep {
        job_id: row.parsed("job_id")?,
        ordinal: row.integer("ordinal")?,
        attempt: row.integer("attempt")?,
        job_status: row.word("job_status", JobStatus::parse)?,
    })
}

fn read_capability(text: &str) -> Option<Capability> {
    serde_json::from_value(Value::String(text.to_owned())).ok()
}
