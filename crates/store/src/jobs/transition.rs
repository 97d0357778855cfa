//! Writing a state change: the job, its steps, their events and the deliveries of a terminal event.

use auris_domain::event::EventType;
use auris_domain::job::Job;
use auris_domain::machine::{Change, Run, ended_steps, moved_steps};
use auris_domain::step::{Step, StepStatus};
use auris_domain::time::Millis;
use auris_domain::wire;
use serde::Serialize;

use super::events::{NewEvent, NumberedEvents, insert_events};
use super::read::decode_progress_into;
use crate::error::StoreError;
use crate::sql::{Argument, Tx, WritePair, args, optional_json, rows_argument, statements, to_json};
use crate::wakeups::Topic;
use crate::webhooks::{TerminalEvent, destinations, insert_deliveries};

/// The databases differ only in how they read the list of changed steps. The last line is a safeguard behind the state
/// machine: a step changes only from a status that allows it.
macro_rules! update_steps {
    ($changed:literal, $is_allowed:literal) => {
        concat!(
            "UPDATE steps SET status = changed.new_status, resolved_model = changed.model,
                started_at = changed.started, completed_at = changed.completed, attempt = changed.new_attempt,
                losses = changed.loss_count, alone = changed.runs_alone, shared = changed.is_shared,
                worker = changed.holder, lease_until_ms = changed.held_until, error = changed.failure,
                usage = changed.used
            FROM ",
            $changed,
            " WHERE steps.job_id = $1 AND steps.ordinal = changed.step_ordinal AND steps.attempt = changed.old_attempt
                AND ",
            $is_allowed
        )
    };
}

statements! {
    /// The percentage may have grown since the run was loaded, because progress is written without a new version. It
    /// never goes down.
    UPDATE_JOB: ReturningWrite = "UPDATE jobs SET version = version + 1, event_seq = event_seq + $3, status = $4,
            started_at = $5, completed_at = $6, percent = CASE WHEN percent > $7 THEN percent ELSE $7 END,
            completed_steps = $8, current_steps = $9, error = $10, usage = $11, hold_e10 = hold_e10 - $12
        WHERE id = $1 AND version = $2
        RETURNING event_seq, percent, audio_processed_ms, audio_total_ms, hold_e10";
    UPDATE_STEPS: ConditionalWrite = update_steps!("(SELECT value ->> 'step_ordinal' AS step_ordinal,
                value ->> 'new_status' AS new_status, value ->> 'model' AS model, value ->> 'started' AS started,
                value ->> 'completed' AS completed, value ->> 'new_attempt' AS new_attempt,
                value ->> 'loss_count' AS loss_count, value ->> 'runs_alone' AS runs_alone,
                value ->> 'is_shared' AS is_shared, value ->> 'holder' AS holder,
                value ->> 'held_until' AS held_until, value ->> 'failure' AS failure, value ->> 'used' AS used,
                value ->> 'old_attempt' AS old_attempt, value -> 'allowed_from' AS allowed_from
                FROM json_each($2)) AS changed",
            "steps.status IN (SELECT value FROM json_each(changed.allowed_from))"),
        postgres = update_steps!("jsonb_to_recordset(CAST($2 AS JSONB)) AS changed (step_ordinal BIGINT, new_status TEXT,
                model TEXT, started BIGINT, completed BIGINT, new_attempt BIGINT, loss_count BIGINT, runs_alone BIGINT,
                is_shared BIGINT, holder TEXT, held_until BIGINT, failure TEXT, used TEXT, old_attempt BIGINT,
                allowed_from JSONB)",
            "changed.allowed_from ? steps.status");
}

/// A run after some commands and the changes that they made: what a commit and a claim both write.
pub(crate) struct Transition<'a> {
    /// The version at which the run was loaded.
    pub(crate) version: i64,
    pub(crate) run: &'a mut Run,
    pub(crate) changes: &'a [Change],
    /// The lease on the steps that were started.
    pub(crate) lease: Option<StepLease<'a>>,
    pub(crate) now: Millis,
}

/// The worker that holds a step, and until when.
#[derive(Clone, Copy)]
pub(crate) struct StepLease<'a> {
    pub(crate) worker: &'a str,
    pub(crate) until: Millis,
    /// Whether the worker's process runs other steps too.
    pub(crate) shared: bool,
}

/// A changed step, as `UPDATE_STEPS` reads it.
#[derive(Serialize)]
struct ChangedStep<'a> {
    step_ordinal: i64,
    new_status: &'a str,
    model: &'a str,
    started: Option<i64>,
    completed: Option<i64>,
    new_attempt: i64,
    loss_count: i64,
    runs_alone: i64,
    is_shared: i64,
    holder: Option<&'a str>,
    held_until: Option<i64>,
    failure: Option<String>,
    used: Option<String>,
    old_attempt: i64,
    allowed_from: Vec<&'static str>,
}

/// What remains to be done after a transition is written.
pub(crate) struct WrittenTransition {
    pub(crate) topics: Vec<Topic>,
    /// The part of the hold that ended steps no longer need; `None` if nothing was held for the job.
    pub(crate) released: Option<i64>,
}

impl Transition<'_> {
    pub(crate) async fn write(&mut self, tx: &mut Tx) -> Result<WrittenTransition, StoreError> {
        let bounds = self.ended_bounds();
        let (last_event, has_hold) = self.update_run(tx, bounds.unwrap_or_default()).await?;
        let deliveries = self.write_events(tx, last_event).await?;
        let released = if has_hold { Some(held(bounds)?).filter(|released| *released > 0) } else { None };
        Ok(WrittenTransition { topics: topics(&self.run.job, self.changes, deliveries), released })
    }

    /// The sum of the cost bounds of the steps that ended. `None` if it exceeds what any balance can hold.
    fn ended_bounds(&self) -> Option<i64> {
        let mut ended = ended_steps(self.run, self.changes);
        ended.try_fold(0_i64, |sum, step| sum.checked_add(step.cost_bound.to_e10()?))
    }

    /// Writes the events and, for a terminal one, its deliveries; returns the number of deliveries.
    async fn write_events(&self, tx: &mut Tx, last_event: i64) -> Result<usize, StoreError> {
        let job = &self.run.job;
        let destinations = match self.terminal() {
            Some(_) => destinations(tx, job).await?,
            None => Vec::new(),
        };
        let events = describe(self.run, self.changes);
        let first = last_event - events.len() as i64 + 1;
        let numbered = NumberedEvents { job: &job.id, first, events: &events };
        let ids = insert_events(tx, numbered, self.now).await?;
        if let Some((index, kind)) = self.terminal() {
            let event = TerminalEvent { job, kind, id: &ids[index] };
            insert_deliveries(tx, &event, &destinations, self.now).await?;
        }
        Ok(destinations.len())
    }

    /// Updates the job and its steps, and copies the job's current progress into the run. Returns the number of the last
    /// event and whether something is held for the job.
    async fn update_run(&mut self, tx: &mut Tx, released: i64) -> Result<(i64, bool), StoreError> {
        let changed = moved_steps(self.changes);
        let steps = changed.iter().filter_map(|ordinal| self.run.step(*ordinal));
        let rows: Vec<ChangedStep<'_>> =
            steps.map(|step| self.changed_step(step)).collect::<Result<_, _>>()?;
        let pair = WritePair {
            first: &UPDATE_JOB,
            first_arguments: self.job_arguments(released)?,
            second: &UPDATE_STEPS,
            second_arguments: vec![Argument::from(&self.run.job.id), rows_argument(&rows)?],
        };
        let (row, touched) = tx.write_pair(pair).await?.ok_or(StoreError::Conflict)?;
        if touched != changed.len() as u64 {
            return Err(StoreError::Conflict);
        }
        decode_progress_into(&row, &mut self.run.job.progress)?;
        Ok((row.integer("event_seq")?, row.optional_integer("hold_e10")?.is_some()))
    }

    fn job_arguments(&self, released: i64) -> Result<Vec<Argument>, StoreError> {
        let job = &self.run.job;
        Ok(args![
            &job.id,
            self.version,
            self.changes.len() as i64,
            job.status().as_str(),
            job.started_at(),
            job.completed_at(),
            i64::from(job.progress.percent),
            job.progress.completed_steps,
            to_json(&job.progress.current_steps)?,
            optional_json(job.error())?,
            optional_json(job.usage())?,
            released,
        ])
    }

    fn changed_step<'a>(&'a self, step: &'a Step) -> Result<ChangedStep<'a>, StoreError> {
        let is_started = step.status() == StepStatus::InProgress;
        let lease = self.lease.filter(|_| is_started);
        Ok(ChangedStep {
            step_ordinal: step.ordinal,
            new_status: step.status().as_str(),
            model: step.resolved_model(),
            started: step.started_at().map(|at| at.0),
            completed: step.completed_at().map(|at| at.0),
            new_attempt: step.attempt(),
            loss_count: step.losses(),
            runs_alone: i64::from(step.runs_alone()),
            is_shared: i64::from(lease.is_some_and(|lease| lease.shared)),
            holder: lease.map(|lease| lease.worker),
            held_until: lease.map(|lease| lease.until.0),
            failure: optional_json(step.error())?,
            used: optional_json(step.usage())?,
            old_attempt: step.attempt() - i64::from(is_started),
            allowed_from: step.status().predecessors().iter().map(|status| status.as_str()).collect(),
        })
    }

    /// The index and kind of the terminal event among the changes, if there is one.
    fn terminal(&self) -> Option<(usize, EventType)> {
        self.changes.iter().enumerate().find_map(|(index, change)| match change {
            Change::Job(state) if state.status().is_terminal() => {
                Some((index, EventType::of_job(state.status())))
            }
            Change::Job(_) | Change::Step(..) => None,
        })
    }
}

/// The events for the changes, without content, which is added when they are read.
pub(crate) fn describe(run: &Run, changes: &[Change]) -> Vec<NewEvent> {
    changes.iter().filter_map(|change| event_for(run, change)).collect()
}

fn event_for(run: &Run, change: &Change) -> Option<NewEvent> {
    let kind = change.event()?;
    match change {
        Change::Job(state) => {
            Some(NewEvent { kind, step_id: None, data: wire::job_in_state(&run.job, state) })
        }
        Change::Step(ordinal, _) => {
            let step = run.step(*ordinal)?;
            Some(NewEvent { kind, step_id: Some(step.id.clone()), data: wire::step(step) })
        }
    }
}

/// The amount that was held for these bounds. Nothing is held for a job whose bound exceeds every balance, because such a
/// job is not admitted.
fn held(bounds: Option<i64>) -> Result<i64, StoreError> {
    bounds.ok_or_else(|| StoreError::internal("the bound of a step exceeds the amount that was held for it"))
}

fn topics(job: &Job, changes: &[Change], deliveries: usize) -> Vec<Topic> {
    let mut topics = Vec::new();
    if !changes.is_empty() {
        topics.push(Topic::Job(job.id.clone()));
    }
    let queued = |change: &Change| matches!(change, Change::Step(_, StepStatus::Queued));
    if changes.iter().any(queued) {
        topics.push(Topic::Steps);
    }
    if deliveries > 0 {
        topics.push(Topic::Deliveries);
    }
    topics
}
