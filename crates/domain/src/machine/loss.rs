//! How a step loses its worker, and whether that counts against the step.

use crate::step::StepRun;

/// How a step lost its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The worker's process died while it ran other steps too. Any of them may be the cause, so it counts against none,
    /// and from now on each is run alone.
    Shared,
    /// The worker's process died while it ran only this step, or the step ended there without a result. It counts, and
    /// from now on the step is run alone, so that it harms no others.
    Alone,
    /// The worker lives, but cannot reach something that the step needs. It counts, so that the attempts end. It says
    /// nothing about the step, which may run beside others.
    Unreachable,
}

impl Loss {
    pub(super) fn record(self, run: &mut StepRun) {
        let counts = match self {
            // A step that is run alone has no others beside it. Only a program that does not know this rule runs it
            // beside others; without counting that, it could do so again and again.
            Self::Shared => run.alone,
            Self::Alone | Self::Unreachable => true,
        };
        run.losses += i64::from(counts);
        match self {
            Self::Shared | Self::Alone => run.alone = true,
            Self::Unreachable => {}
        }
    }
}
