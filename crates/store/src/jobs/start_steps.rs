//! Starts steps of one job for a worker, as far as the job's budget allows.

use auris_domain::machine::{Change, ClaimedStep, Command, Run};
use auris_domain::step::{Step, StepStatus};
use auris_domain::time::Timestamp;

use crate::error::StoreError;

/// What became of the steps that a worker wanted to start.
#[derive(Default)]
pub(super) struct StartedSteps {
    pub(super) changes: Vec<Change>,
    /// Ordinals of the steps that exceed the budget and whose skipping would end the job. They were not changed.
    pub(super) ending: Vec<i64>,
}

/// What starting a step does to its job.
enum Start {
    Started(Box<Run>, Vec<Change>),
    /// The step exceeds the budget, and skipping it ends the job.
    EndsJob,
    /// Another worker was faster: the candidates were read before the job's row was locked.
    Stale,
}

/// Applies `Start` to each of the steps.
pub(super) fn start_steps(run: &mut Run, ordinals: &[i64], now: Timestamp) -> StartedSteps {
    let mut started = StartedSteps::default();
    for ordinal in ordinals {
        match start(run, *ordinal, now) {
            Start::Started(after, changes) => {
                *run = *after;
                started.changes.extend(changes);
            }
            Start::EndsJob => started.ending.push(*ordinal),
            Start::Stale => {}
        }
    }
    started
}

fn start(run: &Run, ordinal: i64, now: Timestamp) -> Start {
    let mut after = run.clone();
    match after.apply(Command::Start { ordinal }, now) {
        Ok(_) if after.job.status().is_terminal() => Start::EndsJob,
        Ok(changes) => Start::Started(Box::new(after), changes),
        Err(_) => Start::Stale,
    }
}

impl StartedSteps {
    /// Those of the steps that were started; a step beyond the budget was skipped instead.
    pub(super) fn claimed(&self, run: &Run, ordinals: &[i64]) -> Result<Vec<ClaimedStep>, StoreError> {
        let steps = ordinals.iter().filter_map(|ordinal| run.step(*ordinal));
        let started = steps.filter(|step| self.is_started(step));
        let claimed = started.map(|step| ClaimedStep::new(run.job.clone(), step.clone()));
        let missing = || StoreError::Corrupt("a queued step has no spec".into());
        claimed.map(|step| step.ok_or_else(missing)).collect()
    }

    fn is_started(&self, step: &Step) -> bool {
        let is_changed =
            |change: &Change| matches!(change, Change::Step(ordinal, _) if *ordinal == step.ordinal);
        step.status() == StepStatus::InProgress && self.changes.iter().any(is_changed)
    }
}
