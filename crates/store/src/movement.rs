//! How a moved run is written: the job, its steps, their events and the deliveries of a terminal event.

use std::collections::BTreeSet;

use auris_domain::event::EventType;
use auris_domain::job::{Job, JobStatus};
use auris_domain::machine::{Change, Run};
use auris_domain::step::{Step, StepStatus};
use auris_domain::time::Millis;
use serde_json::{Value, json};

use crate::db::{Argument, Tx, args};
use crate::decode::{optional_json, to_json};
use crate::deliveries::{addresses, insert_deliveries};
use crate::error::StoreError;
use crate::events::{NewEvent, insert_events};
use crate::jobs::decode_moved;
use crate::notify::Topic;
use crate::statements::statements;

statements! {
    /// The percentage may have been moved by progress since the run was loaded, and never goes down.
    MOVE_JOB = "UPDATE jobs SET version = version + 1, event_seq = event_seq + $3, status = $4, started_at = $5,
            completed_at = $6, percent = CASE WHEN percent > $7 THEN percent ELSE $7 END, completed_steps = $8,
            current_steps = $9, error = $10, usage = $11, hold_e10 = hold_e10 - $12
        WHERE id = $1 AND version = $2
        RETURNING event_seq, percent, audio_processed_ms, audio_total_ms, hold_e10";
    /// The last line is the third net under the state machine: a step moves only from where it may.
    MOVE_STEP = "UPDATE steps SET status = $3, resolved_model = $4, started_at = $5, completed_at = $6, attempt = $7,
            losses = $8, worker = $9, lease_until_ms = $10, error = $11, usage = $12
        WHERE job_id = $1 AND ordinal = $2 AND attempt = $13 AND status IN ($14, $15, $16)";
}

/// The part of a commit that a claim shares: a run after some commands, and what they changed.
pub(crate) struct Movement<'a> {
    pub(crate) version: i64,
    pub(crate) run: &'a mut Run,
    pub(crate) changes: &'a [Change],
    /// Who holds the steps that were started, and until when.
    pub(crate) lease: Option<(&'a str, Millis)>,
    pub(crate) now: Millis,
}

/// What is left to do when a movement is written.
pub(crate) struct Written {
    pub(crate) topics: Vec<Topic>,
    /// What ended steps no longer need of the balance; `None` where nothing was held for the job.
    pub(crate) released: Option<i64>,
}

impl Movement<'_> {
    pub(crate) async fn write(&mut self, tx: &mut Tx) -> Result<Written, StoreError> {
        let released: i64 = ended_steps(self.run, self.changes).map(bound_e10).sum();
        let (last, held) = self.move_run(tx, released).await?;
        let addresses = match self.terminal() {
            Some(_) => addresses(tx, &self.run.job).await?,
            None => Vec::new(),
        };
        let job = &self.run.job;
        let events = describe(self.run, self.changes);
        let first = last - events.len() as i64 + 1;
        let ids = insert_events(tx, &job.id, first, &events, self.now).await?;
        if let Some((place, kind)) = self.terminal() {
            insert_deliveries(tx, job, &addresses, (kind, &ids[place]), self.now).await?;
        }
        let released = Some(released).filter(|released| held && *released > 0);
        Ok(Written { topics: topics(job, self.changes, addresses.len()), released })
    }

    /// Takes the event numbers, and tells the run how far the job's progress has come in the meantime.
    async fn move_run(&mut self, tx: &mut Tx, released: i64) -> Result<(i64, bool), StoreError> {
        let ordinals = changed_steps(self.changes);
        let mut steps = Vec::with_capacity(ordinals.len());
        for ordinal in &ordinals {
            let step = self
                .run
                .step(*ordinal)
                .ok_or_else(|| StoreError::internal("a change names a step that the run does not have"))?;
            steps.push((&MOVE_STEP, self.moved_step(step)?));
        }
        let moved = tx.row_and_touched((&MOVE_JOB, self.moved_job(released)?), steps).await?;
        let (row, touched) = moved.ok_or(StoreError::Conflict)?;
        if touched != ordinals.len() as u64 {
            return Err(StoreError::Conflict);
        }
        decode_moved(&row, &mut self.run.job.progress)?;
        Ok((row.integer("event_seq")?, row.optional_integer("hold_e10")?.is_some()))
    }

    fn moved_job(&self, released: i64) -> Result<Vec<Argument>, StoreError> {
        let job = &self.run.job;
        Ok(args![
            &job.id,
            self.version,
            self.changes.len() as i64,
            job.status.as_str(),
            job.started_at,
            job.completed_at,
            i64::from(job.progress.percent),
            job.progress.completed_steps,
            to_json(&job.progress.current_steps)?,
            optional_json(job.error.as_ref())?,
            optional_json(job.usage.as_ref())?,
            released,
        ])
    }

    fn moved_step(&self, step: &Step) -> Result<Vec<Argument>, StoreError> {
        let started = step.status == StepStatus::InProgress;
        let lease = self.lease.filter(|_| started);
        let [first, second, third] = predecessors(step.status);
        Ok(args![
            &step.job_id,
            step.ordinal,
            step.status.as_str(),
            step.resolved_model.as_deref(),
            step.started_at,
            step.completed_at,
            step.attempt,
            step.losses,
            lease.map(|(worker, _)| worker),
            lease.map(|(_, until)| until.0),
            optional_json(step.error.as_ref())?,
            optional_json(step.usage.as_ref())?,
            step.attempt - i64::from(started),
            first.as_str(),
            second.as_str(),
            third.as_str(),
        ])
    }

    /// The terminal event, if there is one among the changes, and its place among them.
    fn terminal(&self) -> Option<(usize, EventType)> {
        self.changes.iter().enumerate().find_map(|(place, change)| match change {
            Change::Job(kind) if kind.is_terminal() => Some((place, *kind)),
            Change::Job(_) | Change::Step(..) => None,
        })
    }
}

/// The events that tell of the changes, without content: that is put in when they are read.
pub(crate) fn describe(run: &Run, changes: &[Change]) -> Vec<NewEvent> {
    changes
        .iter()
        .map(|change| match change {
            Change::Job(kind) => NewEvent { kind: *kind, step_id: None, data: job_at(&run.job, *kind) },
            Change::Step(ordinal, kind) => NewEvent {
                kind: *kind,
                step_id: run.step(*ordinal).map(|step| step.id.clone()),
                data: run.step(*ordinal).map_or(Value::Null, |step| step.wire(None, None)),
            },
        })
        .collect()
}

/// One command can move a job twice (it starts, and ends at once): the first event shows it as it was then.
fn job_at(job: &Job, kind: EventType) -> Value {
    let mut data = job.wire(None);
    let told = JobStatus::ALL.into_iter().find(|status| EventType::of_job(*status) == kind);
    if let Some(status) = told.filter(|status| *status != job.status) {
        data["status"] = json!(status);
        for later in ["completed_at", "error", "usage"] {
            data[later] = Value::Null;
        }
    }
    data
}

/// The steps that these changes ended.
pub(crate) fn ended_steps<'a>(run: &'a Run, changes: &[Change]) -> impl Iterator<Item = &'a Step> {
    let changed = changed_steps(changes).into_iter().filter_map(|ordinal| run.step(ordinal));
    changed.filter(|step| step.status.is_terminal())
}

/// What is held for a step. One that is too dear for any balance never got past the admission.
fn bound_e10(step: &Step) -> i64 {
    step.cost_bound.to_e10().unwrap_or_default()
}

fn changed_steps(changes: &[Change]) -> BTreeSet<i64> {
    changes
        .iter()
        .filter_map(|change| match change {
            Change::Job(_) => None,
            Change::Step(ordinal, _) => Some(*ordinal),
        })
        .collect()
}

/// Where a step may have come from; the last one is repeated where there are fewer than three.
fn predecessors(status: StepStatus) -> [StepStatus; 3] {
    use StepStatus::{Blocked, InProgress, Queued};
    match status {
        StepStatus::Blocked => [Blocked, Blocked, Blocked],
        StepStatus::Queued => [Blocked, InProgress, InProgress],
        StepStatus::InProgress => [Queued, Queued, Queued],
        StepStatus::Completed | StepStatus::Failed => [InProgress, InProgress, InProgress],
        StepStatus::Skipped => [Blocked, Queued, Queued],
        StepStatus::Cancelled => [Blocked, Queued, InProgress],
    }
}

fn topics(job: &Job, changes: &[Change], deliveries: usize) -> Vec<Topic> {
    let mut topics = Vec::new();
    if !changes.is_empty() {
        topics.push(Topic::Job(job.id.clone()));
    }
    let queued = |change: &Change| matches!(change, Change::Step(_, EventType::StepQueued));
    if changes.iter().any(queued) {
        topics.push(Topic::Steps);
    }
    if deliveries > 0 {
        topics.push(Topic::Deliveries);
    }
    topics
}
