//! The states from before a command, so that a command that is refused halfway changes nothing.

use super::Run;
use crate::job::JobRun;
use crate::step::StepRun;

pub(super) struct SavedStates {
    job: JobRun,
    steps: Vec<StepRun>,
}

impl SavedStates {
    pub(super) fn of(run: &Run) -> Self {
        Self { job: run.job.run.clone(), steps: run.steps.iter().map(|step| step.run.clone()).collect() }
    }

    pub(super) fn restore(self, run: &mut Run) {
        run.job.run = self.job;
        for (step, saved) in run.steps.iter_mut().zip(self.steps) {
            step.run = saved;
        }
    }
}
