//! How a moved run is written: the job, its steps, their events and the deliveries of a terminal event.

use std::collections::BTreeSet;

use auris_domain::event::EventType;
use auris_domain::job::{Job, JobStatus};
use auris_domain::machine::{Change, Run};
use auris_domain::step::{Step, StepStatus};
use auris_domain::time::Millis;
use serde::Serialize;
use serde_json::{Value, json};

use crate::db::{Argument, Tx, args};
use crate::decode::{optional_json, to_json};
use crate::deliveries::{addresses, insert_deliveries};
use crate::error::StoreError;
use crate::events::{NewEvent, insert_events};
use crate::jobs::decode_moved;
use crate::notify::Topic;
use crate::statements::statements;

/// The only difference between the databases is how they read JSON. The last line is the third net under the state machine:
/// a step moves only from where it may.
macro_rules! move_steps {
    ($moved:literal) => {
        concat!(
            "UPDATE steps SET status = moved.new_status, resolved_model = moved.model, started_at = moved.started,
                completed_at = moved.completed, attempt = moved.new_attempt, losses = moved.lost,
                worker = moved.holder, lease_until_ms = moved.held_until, error = moved.fault, usage = moved.used
            FROM ",
            $moved,
            " WHERE steps.job_id = $1 AND steps.ordinal = moved.place AND steps.attempt = moved.old_attempt
                AND steps.status IN (moved.from_1, moved.from_2, moved.from_3)"
        )
    };
}

statements! {
    /// The percentage may have been moved by progress since the run was loaded, and never goes down.
    MOVE_JOB = "UPDATE jobs SET version = version + 1, event_seq = event_seq + $3, status = $4, started_at = $5,
            completed_at = $6, percent = CASE WHEN percent > $7 THEN percent ELSE $7 END, completed_steps = $8,
            current_steps = $9, error = $10, usage = $11, hold_e10 = hold_e10 - $12
        WHERE id = $1 AND version = $2
        RETURNING event_seq, percent, audio_processed_ms, audio_total_ms, hold_e10";
    /// The steps of a job that moved come as one JSON array.
    MOVE_STEPS = move_steps!("(SELECT value ->> 'place' AS place, value ->> 'new_status' AS new_status,
                value ->> 'model' AS model, value ->> 'started' AS started, value ->> 'completed' AS completed,
                value ->> 'new_attempt' AS new_attempt, value ->> 'lost' AS lost, value ->> 'holder' AS holder,
                value ->> 'held_until' AS held_until, value ->> 'fault' AS fault, value ->> 'used' AS used,
                value ->> 'old_attempt' AS old_attempt, value ->> 'from_1' AS from_1, value ->> 'from_2' AS from_2,
                value ->> 'from_3' AS from_3 FROM json_each($2)) AS moved"),
        postgres = move_steps!("jsonb_to_recordset(CAST($2 AS JSONB)) AS moved (place BIGINT, new_status TEXT, model TEXT,
                started BIGINT, completed BIGINT, new_attempt BIGINT, lost BIGINT, holder TEXT, held_until BIGINT,
                fault TEXT, used TEXT, old_attempt BIGINT, from_1 TEXT, from_2 TEXT, from_3 TEXT)");
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

/// A step that moved, as its statement reads it.
#[derive(Serialize)]
struct MovedStep<'a> {
    place: i64,
    new_status: &'a str,
    model: Option<&'a str>,
    started: Option<i64>,
    completed: Option<i64>,
    new_attempt: i64,
    lost: i64,
    holder: Option<&'a str>,
    held_until: Option<i64>,
    fault: Option<String>,
    used: Option<String>,
    old_attempt: i64,
    from_1: &'a str,
    from_2: &'a str,
    from_3: &'a str,
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
        let changed = changed_steps(self.changes);
        let steps: Vec<&Step> = changed.iter().filter_map(|ordinal| self.run.step(*ordinal)).collect();
        let moved: Vec<MovedStep<'_>> =
            steps.into_iter().map(|step| self.moved_step(step)).collect::<Result<_, _>>()?;
        let steps = args![&self.run.job.id, to_json(&moved)?];
        let job = self.moved_job(released)?;
        let moved = tx.row_and_touched((&MOVE_JOB, job), (&MOVE_STEPS, steps)).await?;
        let (row, touched) = moved.ok_or(StoreError::Conflict)?;
        if touched != changed.len() as u64 {
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

    fn moved_step<'a>(&'a self, step: &'a Step) -> Result<MovedStep<'a>, StoreError> {
        let started = step.status == StepStatus::InProgress;
        let lease = self.lease.filter(|_| started);
        let [from_1, from_2, from_3] = predecessors(step.status).map(StepStatus::as_str);
        Ok(MovedStep {
            place: step.ordinal,
            new_status: step.status.as_str(),
            model: step.resolved_model.as_deref(),
            started: step.started_at.map(|at| at.0),
            completed: step.completed_at.map(|at| at.0),
            new_attempt: step.attempt,
            lost: step.losses,
            holder: lease.map(|(worker, _)| worker),
            held_until: lease.map(|(_, until)| until.0),
            fault: optional_json(step.error.as_ref())?,
            used: optional_json(step.usage.as_ref())?,
            old_attempt: step.attempt - i64::from(started),
            from_1,
            from_2,
            from_3,
        })
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
