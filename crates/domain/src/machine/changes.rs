//! What a command changed, in order.

use std::collections::BTreeSet;

use super::Run;
use crate::event::EventType;
use crate::job::JobState;
use crate::step::{Step, StepStatus};
use crate::time::Timestamp;

/// One change of a job or of one of its steps.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The state that the job moved to. One command can move a job twice (it starts and ends at once), so each change
    /// carries its own state.
    Job(JobState),
    /// The step's ordinal and the status that it moved to.
    Step(i64, StepStatus),
}

impl Change {
    /// The event that reports the change. Blocked steps are not reported: a step is only blocked when it is created.
    pub fn event(&self) -> Option<EventType> {
        match self {
            Self::Job(state) => Some(EventType::of_job(state.status())),
            Self::Step(_, status) => EventType::of_step(*status),
        }
    }
}

/// Collects the changes of one command, which all happen at the same time.
pub(super) struct ChangeLog {
    pub(super) now: Timestamp,
    pub(super) changes: Vec<Change>,
}

impl ChangeLog {
    pub(super) fn new(now: Timestamp) -> Self {
        Self { now, changes: Vec::new() }
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }
}

/// The ordinals of the steps that these changes moved.
pub fn moved_steps(changes: &[Change]) -> BTreeSet<i64> {
    let ordinal = |change: &Change| match change {
        Change::Job(_) => None,
        Change::Step(ordinal, _) => Some(*ordinal),
    };
    changes.iter().filter_map(ordinal).collect()
}

/// Whether these changes ended the job.
pub fn ends_job(changes: &[Change]) -> bool {
    changes.iter().any(|change| match change {
        Change::Job(state) => state.status().is_terminal(),
        Change::Step(..) => false,
    })
}

/// The steps that these changes ended.
pub fn ended_steps<'a>(run: &'a Run, changes: &[Change]) -> impl Iterator<Item = &'a Step> {
    let moved = moved_steps(changes).into_iter().filter_map(|ordinal| run.step(ordinal));
    moved.filter(|step| step.status().is_terminal())
}
