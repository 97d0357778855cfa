//! Random jobs and random commands.

use rand::RngExt;
use rand::rngs::StdRng;

use super::super::{Command, Loss, Run, StepHold};
use crate::id::{JobId, ProjectId};
use crate::job::{FailurePolicy, Job, JobDetails, JobStatus, Operation, Progress};
use crate::metadata::Metadata;
use crate::money::Usd;
use crate::plan::{self, PlannedStep};
use crate::step::spec::{StepSpec, TaskSpec};
use crate::step::{Cause, Step, StepCode, StepStatus};
use crate::time::Millis;
use crate::usage::{Units, Usage};

const NOW: Millis = Millis(1_763_200_000_000);

pub(super) fn planned(index: usize, needs: Vec<i64>, cost_bound: &str) -> PlannedStep {
    PlannedStep {
        requested_model: None,
        resolved_model: "model".into(),
        needs,
        rates: vec![],
        cost_bound: cost_bound.parse().unwrap(),
        unit_bound: Units::default(),
        spec: StepSpec::Task(Box::new(TaskSpec { id: format!("t{index}"), ..TaskSpec::default() })),
    }
}

pub(super) fn run(
    planned: Vec<PlannedStep>,
    id: &JobId,
    policy: FailurePolicy,
    max_cost: Option<Usd>,
) -> Run {
    let total_steps = planned.len() as u64;
    let job = Job::queued(JobDetails {
        id: id.clone(),
        project_id: ProjectId::generate(NOW),
        operation: Operation::Analysis,
        created_at: NOW.timestamp(),
        progress: Progress {
            percent: 0,
            queue_position: None,
            completed_steps: 0,
            total_steps,
            current_steps: vec![],
            audio_seconds_processed: None,
            audio_seconds_total: None,
        },
        metadata: Metadata::default(),
        expires_at: NOW.timestamp().plus_seconds(1_000_000),
        result_deleted_at: None,
        failure_policy: policy,
        max_cost_usd: max_cost,
        webhook_url: None,
    });
    let steps = plan::steps(planned, id, NOW);
    Run { job, steps }
}

/// One to eight steps; each needs some of the steps before it.
pub(super) fn random_run(random: &mut StdRng) -> Run {
    let count = random.random_range(1..=8);
    let density = random.random_range(0.0..0.8);
    let steps = (0..count).map(|index: usize| {
        let needs = (0..index as i64).filter(|_| random.random_bool(density)).collect();
        planned(index, needs, &money(random, 100))
    });
    let steps: Vec<PlannedStep> = steps.collect();
    let policy =
        if random.random_bool(0.5) { FailurePolicy::FailFast } else { FailurePolicy::ContinueIndependent };
    let max_cost = random.random_bool(0.4).then(|| money(random, 300).parse().unwrap());
    run(steps, &JobId::generate(NOW), policy, max_cost)
}

/// An amount with ten fractional digits, so that the tests notice a lost digit.
fn money(random: &mut StdRng, limit: u32) -> String {
    format!("{}.{:010}", random.random_range(0..limit), random.random_range(0..10_000_000_000_u64))
}

/// Any command, allowed in this state or not. Cancels are rare, because they end a walk early.
pub(super) fn any_command(run: &Run, random: &mut StdRng) -> Command {
    let ordinal = random.random_range(-1..=run.steps.len() as i64);
    let held = run.step(ordinal).map_or(1, |step| step.attempt());
    let attempt = held + if random.random_bool(0.2) { random.random_range(-1..=1) } else { 0 };
    match random.random_range(0..100) {
        0..=39 => Command::Start { ordinal },
        40..=44 => Command::SkipOverBudget { ordinal },
        45..=66 => complete(run, ordinal, attempt, random),
        67..=76 => fail(run, ordinal, attempt, random),
        77..=81 => Command::Stop { hold: StepHold::from_stored(ordinal, attempt) },
        82..=88 => Command::HandBack { hold: StepHold::from_stored(ordinal, attempt) },
        89..=96 => Command::Lose { hold: StepHold::from_stored(ordinal, attempt), loss: loss(random) },
        _ => Command::Cancel,
    }
}

/// What a worker would do next: start a queued step or finish a running one. `None` if the job has ended.
pub(super) fn driving_command(run: &Run, random: &mut StdRng) -> Option<Command> {
    let live: Vec<&Step> = run
        .steps
        .iter()
        .filter(|step| matches!(step.status(), StepStatus::Queued | StepStatus::InProgress))
        .collect();
    let step = live.get(random.random_range(0..live.len().max(1)))?;
    Some(if step.status() == StepStatus::Queued {
        Command::Start { ordinal: step.ordinal }
    } else if run.job.status() == JobStatus::Cancelling {
        Command::Stop { hold: StepHold::from_stored(step.ordinal, step.attempt()) }
    } else {
        complete(run, step.ordinal, step.attempt(), random)
    })
}

fn complete(run: &Run, ordinal: i64, attempt: i64, random: &mut StdRng) -> Command {
    let hold = StepHold::from_stored(ordinal, attempt);
    Command::Complete { hold, resolved_model: None, usage: usage(run, ordinal, random) }
}

fn loss(random: &mut StdRng) -> Loss {
    [Loss::Shared, Loss::Alone, Loss::Unreachable][random.random_range(0..3)]
}

fn fail(run: &Run, ordinal: i64, attempt: i64, random: &mut StdRng) -> Command {
    Command::Fail {
        hold: StepHold::from_stored(ordinal, attempt),
        cause: Cause::new(StepCode::BackendError, "The model did not answer."),
        usage: random.random_bool(0.5).then(|| usage(run, ordinal, random)),
    }
}

/// Usage whose cost is within the bound of the step, sometimes exactly at it.
fn usage(run: &Run, ordinal: i64, random: &mut StdRng) -> Usage {
    let bound = run.step(ordinal).map_or(Usd::ZERO, |step| step.cost_bound);
    let saved: Usd = money(random, 100).parse().unwrap();
    let cost_usd = if random.random_bool(0.3) || saved > bound { bound } else { bound - saved };
    Usage {
        audio_seconds: random.random_range(0..1000),
        input_tokens: random.random_range(0..1000),
        output_tokens: random.random_range(0..1000),
        characters: random.random_range(0..1000),
        cost_usd,
    }
}
