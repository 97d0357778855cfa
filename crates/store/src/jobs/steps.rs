//! Reading steps, and the leases of running ones.

use auris_domain::id::{JobId, ProjectId, StepId};
use auris_domain::job::JobStatus;
use auris_domain::machine::{Loss, StepHold};
use auris_domain::step::{EndColumns, Step, StepDetails, StepOutput, StepRun, StepState, StepWork};
use auris_domain::time::Millis;
use auris_domain::wire::JsonText;

use crate::error::StoreError;
use crate::sql::{Row, Unread, args, statements, unreadable};
use crate::store::Store;

/// What the `spec` column contains after the job's content was deleted.
pub(crate) const DELETED_SPEC: &str = "{}";

/// The columns of a step without its spec, which can have hundreds of kilobytes: it is read only to run the step. Aliased
/// so that a step and its job can be selected in one row.
macro_rules! step_columns {
    () => {
        "steps.id AS step_id, steps.job_id, steps.ordinal, steps.step_key, steps.capability,
         steps.status AS step_status, steps.requested_model, steps.resolved_model,
         steps.created_at AS step_created_at, steps.started_at AS step_started_at,
         steps.completed_at AS step_completed_at, steps.attempt, steps.losses, steps.alone,
         steps.error AS step_error, steps.usage AS step_usage, steps.needs, steps.rates, steps.cost_bound"
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
    OUTPUTS = "SELECT step_key, capability, output FROM steps
        JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
        WHERE steps.job_id = $1 AND status = 'completed' ORDER BY steps.ordinal";
    /// Skips a step that another transaction is writing: waiting for it while holding others could deadlock.
    RENEW = "UPDATE steps SET lease_until_ms = $2 WHERE worker = $1 AND status = 'in_progress'",
        postgres = "UPDATE steps SET lease_until_ms = $2 WHERE id IN
            (SELECT id FROM steps WHERE worker = $1 AND status = 'in_progress' FOR NO KEY UPDATE SKIP LOCKED)";
    HELD = "SELECT steps.job_id, steps.ordinal, steps.attempt, jobs.status AS job_status
        FROM steps JOIN jobs ON jobs.id = steps.job_id
        WHERE steps.worker = $1 AND steps.status = 'in_progress' ORDER BY steps.job_id, steps.ordinal";
    LEASED_UNTIL = "SELECT job_id, ordinal, attempt, shared, lease_until_ms FROM steps
        WHERE status = 'in_progress' AND lease_until_ms <= $1 ORDER BY lease_until_ms LIMIT $2";
    LEASED_AFTER = "SELECT job_id, ordinal, attempt, shared, lease_until_ms FROM steps
        WHERE status = 'in_progress' AND lease_until_ms > $1 ORDER BY lease_until_ms LIMIT $2";
}

/// A step and its output.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredStep {
    pub step: Step,
    pub output: Option<JsonText>,
    pub response: Option<JsonText>,
}

/// A step that a worker still holds. If its job is being cancelled, the worker stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldStep {
    pub job_id: JobId,
    pub hold: StepHold,
    pub job_status: JobStatus,
}

/// A running step, with the loss to record if its worker has died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostStep {
    pub job_id: JobId,
    pub hold: StepHold,
    pub loss: Loss,
}

impl Store {
    /// All steps of a job in order; `None` if the project has no such job.
    pub async fn steps(
        &self,
        project: &ProjectId,
        job: &JobId,
    ) -> Result<Option<Unread<Vec<StoredStep>>>, StoreError> {
        let rows = self.database().many_rows(&STORED_STEPS, args![job, project]).await?;
        // A job has at least one step.
        Ok((!rows.is_empty()).then(|| Unread::of_rows(rows, |rows| each(rows, decode_stored))))
    }

    /// One step of a job, if the job belongs to the project.
    pub async fn step(
        &self,
        project: &ProjectId,
        job: &JobId,
        step: &StepId,
    ) -> Result<Option<Unread<StoredStep>>, StoreError> {
        let arguments = args![job, project, step];
        let row = self.database().many_rows(&STORED_STEP, arguments).await?.pop();
        Ok(row.map(|row| Unread::of_row(row, |row| decode_stored(&row))))
    }

    /// The outputs of a job's completed steps with their step keys, in order.
    pub async fn outputs(&self, job: &JobId) -> Result<Unread<Vec<(String, StepOutput)>>, StoreError> {
        let rows = self.database().many_rows(&OUTPUTS, args![job]).await?;
        Ok(Unread::of_rows(rows, |rows| each(rows, decode_output)))
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

    /// Running steps whose lease ends at the given time or earlier, each with the end of its lease; the earliest first.
    pub async fn steps_leased_until(
        &self,
        time: Millis,
        limit: u32,
    ) -> Result<Vec<(LostStep, Millis)>, StoreError> {
        let rows = self.database().rows(&LEASED_UNTIL, args![time, limit]).await?;
        rows.iter().map(decode_leased).collect()
    }

    /// Running steps whose lease ends after the given time, each with the end of its lease.
    pub async fn steps_leased_after(
        &self,
        time: Millis,
        limit: u32,
    ) -> Result<Vec<(LostStep, Millis)>, StoreError> {
        let rows = self.database().rows(&LEASED_AFTER, args![time, limit]).await?;
        rows.iter().map(decode_leased).collect()
    }
}

/// The steps of a run, each read by `decode`. Each must be at the index that is its ordinal.
pub(crate) fn decode_steps(
    rows: &[Row],
    decode: fn(&Row) -> Result<Step, StoreError>,
) -> Result<Vec<Step>, StoreError> {
    let steps: Vec<Step> = rows.iter().map(decode).collect::<Result<_, _>>()?;
    let in_place = |(index, step): (usize, &Step)| step.ordinal == index as i64;
    if !steps.iter().enumerate().all(in_place) {
        return Err(StoreError::Corrupt("a job has missing steps".into()));
    }
    Ok(steps)
}

/// A step without its work.
pub(crate) fn decode_step(row: &Row) -> Result<Step, StoreError> {
    let details = StepDetails {
        id: row.parsed("step_id")?,
        job_id: row.parsed("job_id")?,
        ordinal: row.integer("ordinal")?,
        key: row.text("step_key")?,
        requested_model: row.optional_text("requested_model")?,
        created_at: row.moment("step_created_at")?,
        needs: row.json("needs")?,
        rates: row.json("rates")?,
        cost_bound: row.parsed("cost_bound")?,
        capability: row.parsed("capability")?,
        work: None,
    };
    Ok(Step::restore(details, decode_step_run(row)?))
}

/// A step with its work, if the row has it.
pub(crate) fn decode_step_with_work(row: &Row) -> Result<Step, StoreError> {
    let mut step = decode_step(row)?;
    let text = row.optional_text("spec")?.filter(|text| text != DELETED_SPEC);
    let read = |text: String| StepWork::from_column(step.capability, &text).map_err(|_| unreadable("spec"));
    step.work = text.map(read).transpose()?;
    Ok(step)
}

fn decode_step_run(row: &Row) -> Result<StepRun, StoreError> {
    let end = EndColumns {
        at: row.optional_moment("step_completed_at")?,
        error: row.optional_json("step_error")?,
        usage: row.optional_json("step_usage")?,
    };
    let state = StepState::from_columns(row.parsed("step_status")?, end)
        .ok_or_else(|| StoreError::Corrupt("an ended step has no end time, error or usage".into()))?;
    Ok(StepRun {
        state,
        resolved_model: row.text("resolved_model")?,
        started_at: row.optional_moment("step_started_at")?,
        attempt: row.integer("attempt")?,
        losses: row.integer("losses")?,
        alone: row.integer("alone")? != 0,
    })
}

fn decode_output(row: &Row) -> Result<(String, StepOutput), StoreError> {
    let output = StepOutput::from_column(row.parsed("capability")?, &row.text("output")?);
    Ok((row.text("step_key")?, output.map_err(|_| unreadable("output"))?))
}

/// Decodes rows that may be large: each is dropped before the next one is decoded.
fn each<T>(rows: Vec<Row>, decode: fn(&Row) -> Result<T, StoreError>) -> Result<Vec<T>, StoreError> {
    rows.into_iter().map(|row| decode(&row)).collect()
}

fn decode_stored(row: &Row) -> Result<StoredStep, StoreError> {
    Ok(StoredStep {
        step: decode_step(row)?,
        output: row.optional_json_text("output")?,
        response: row.optional_json_text("response")?,
    })
}

fn decode_hold(row: &Row) -> Result<StepHold, StoreError> {
    Ok(StepHold::from_stored(row.integer("ordinal")?, row.integer("attempt")?))
}

fn decode_lost(row: &Row) -> Result<LostStep, StoreError> {
    let loss = if row.integer("shared")? == 0 { Loss::Alone } else { Loss::Shared };
    Ok(LostStep { job_id: row.parsed("job_id")?, hold: decode_hold(row)?, loss })
}

fn decode_leased(row: &Row) -> Result<(LostStep, Millis), StoreError> {
    Ok((decode_lost(row)?, Millis(row.integer("lease_until_ms")?)))
}

fn decode_held(row: &Row) -> Result<HeldStep, StoreError> {
    Ok(HeldStep {
        job_id: row.parsed("job_id")?,
        hold: decode_hold(row)?,
        job_status: row.parsed("job_status")?,
    })
}
