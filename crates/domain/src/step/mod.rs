//! A step of a job: one stage or task, its state and what it is asked to do.

mod failure;
pub mod output;
mod output_size;
mod schema_text;
pub mod spec;
mod spec_column;
mod state;

use crate::id::{JobId, StepId};
use crate::model::{Capability, Rate};
use crate::money::Usd;
use crate::time::Timestamp;
use crate::usage::{Units, Usage};

pub(crate) use failure::StepPlace;
pub use failure::{Cause, Failure, StepCode};
pub use output::{StageOutput, StepOutput};
pub use schema_text::SchemaText;
pub use spec::{StepSpec, TextStage};
pub use state::{EndColumns, StepState, StepStatus};

/// A step without its output and response, which are stored beside it because they can be large. Its state can be read by
/// everybody and changed only by the state machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub id: StepId,
    pub job_id: JobId,
    /// Its index in the step list: steps come after those they need, then in request order.
    pub ordinal: i64,
    /// `transcription`, `summary`, … or `tasks/ID`.
    pub key: String,
    pub requested_model: Option<String>,
    pub created_at: Timestamp,
    /// Ordinals of the steps that must complete first.
    pub needs: Vec<i64>,
    /// The prices at the time the job was created; later changes of the catalogue do not apply.
    pub rates: Vec<Rate>,
    /// The most that the step can cost.
    pub cost_bound: Usd,
    pub capability: Capability,
    /// `None` if the step was read only to be shown or changed.
    pub work: Option<StepWork>,
    pub(crate) run: StepRun,
}

/// What a worker needs to run a step. It can be large, because a task can have a JSON Schema.
#[derive(Debug, Clone, PartialEq)]
pub struct StepWork {
    pub spec: StepSpec,
    /// The units that the step's cost bound pays for.
    pub unit_bound: Units,
}

/// Everything of a step except its state; the fields are those of `Step`.
#[derive(Debug, Clone, PartialEq)]
pub struct StepDetails {
    pub id: StepId,
    pub job_id: JobId,
    pub ordinal: i64,
    pub key: String,
    pub requested_model: Option<String>,
    pub created_at: Timestamp,
    pub needs: Vec<i64>,
    pub rates: Vec<Rate>,
    pub cost_bound: Usd,
    pub capability: Capability,
    pub work: Option<StepWork>,
}

/// The part of a step that changes while its job runs. A `Step` keeps it private, so that only the state machine changes
/// it there.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRun {
    pub state: StepState,
    pub resolved_model: String,
    pub started_at: Option<Timestamp>,
    /// Number of the current attempt. A result of another attempt is refused.
    pub attempt: i64,
    /// How many lost workers count against the step.
    pub losses: i64,
    /// Whether a worker may run the step only while it runs nothing else.
    pub alone: bool,
}

impl StepRun {
    /// A step that no worker has started: queued if it needs nothing, else blocked.
    pub(crate) fn new(needs: &[i64], resolved_model: String) -> Self {
        let state = if needs.is_empty() { StepState::Queued } else { StepState::Blocked };
        Self { state, resolved_model, started_at: None, attempt: 0, losses: 0, alone: false }
    }
}

impl Step {
    /// The step that the store has recorded.
    pub fn restore(details: StepDetails, run: StepRun) -> Self {
        Self {
            id: details.id,
            job_id: details.job_id,
            ordinal: details.ordinal,
            key: details.key,
            requested_model: details.requested_model,
            created_at: details.created_at,
            needs: details.needs,
            rates: details.rates,
            cost_bound: details.cost_bound,
            capability: details.capability,
            work: details.work,
            run,
        }
    }

    pub fn capability(&self) -> Capability {
        self.capability
    }

    pub fn status(&self) -> StepStatus {
        self.run.state.status()
    }

    pub fn state(&self) -> &StepState {
        &self.run.state
    }

    /// The model that the plan chose or, once the step has completed, the one that ran.
    pub fn resolved_model(&self) -> &str {
        &self.run.resolved_model
    }

    pub fn started_at(&self) -> Option<Timestamp> {
        self.run.started_at
    }

    pub fn completed_at(&self) -> Option<Timestamp> {
        self.run.state.ended_at()
    }

    pub fn error(&self) -> Option<&Failure> {
        self.run.state.error()
    }

    pub fn usage(&self) -> Option<&Usage> {
        self.run.state.usage()
    }

    pub fn attempt(&self) -> i64 {
        self.run.attempt
    }

    /// How many lost workers count against the step.
    pub fn losses(&self) -> i64 {
        self.run.losses
    }

    /// Whether a worker may run the step only while it runs nothing else, because a process died with it.
    pub fn runs_alone(&self) -> bool {
        self.run.alone
    }

    pub(crate) fn failure(&self, cause: Cause) -> Failure {
        let place = StepPlace { id: self.id.clone(), key: self.key.clone(), attempts: self.run.attempt };
        cause.at_step(place)
    }
}
