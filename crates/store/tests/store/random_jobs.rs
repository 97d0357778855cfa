//! Thousands of random jobs and calls that fail, are cancelled, lost, run again and told twice, from several nodes at
//! once: whatever happens, the books balance to the last digit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use auris_domain::id::{JobId, ProjectId, RequestId};
use auris_domain::job::FailurePolicy;
use auris_domain::machine::{Command, Run};
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::step::{Cause, Step, StepCode};
use auris_domain::usage::Usage;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::bed::{Bed, NOW};
use super::build::{keyed, new_job, run_of, usage};
use super::on_both;
use crate::sql::database::{Database, args};
use crate::sql::statements::Statement;
use crate::{
    CallAdmission, CallHold, ClaimedStep, Creation, Credit, JobResult, RunCommit, Span, StepOutput, Store,
    StoreError, SyncUsage,
};

const WORKERS: u64 = 8;
const JOBS: usize = 2_000;

on_both! {
    async fn the_books_of_two_thousand_random_jobs_balance_to_the_digit(bed) {
        let seed = rand::random::<u64>();
        eprintln!("seed {seed}");
        let other = bed.store.create_project("poor", NOW).await.unwrap().unwrap().id;
        let free = bed.store.create_project("free", NOW).await.unwrap().unwrap().id;
        bed.store.credit(&bed.project, "100000".parse().unwrap(), NOW).await.unwrap();
        bed.store.credit(&other, "3".parse().unwrap(), NOW).await.unwrap();
        let projects = [bed.project.clone(), other, free];
        let made = Arc::new(AtomicUsize::new(0));
        let nodes = [bed.store.clone(), second_node(bed).await];
        let workers = (0..WORKERS).map(|number| {
            let worker = Chaos {
                store: nodes[number as usize % 2].clone(),
                name: format!("worker-{number}"),
                dice: StdRng::seed_from_u64(seed ^ number),
                projects: projects.clone(),
                made: Arc::clone(&made),
            };
            tokio::spawn(worker.rage())
        });
        futures::future::try_join_all(workers).await.unwrap();
        books_balance(bed).await;
        everything_ends(bed).await;
        books_balance(bed).await;
        nothing_is_held(bed).await;
        for project in &projects {
            jobs_cost_what_their_steps_cost(&bed.store, project).await;
        }
        nodes[1].close().await;
    }
}

/// SQLite is for one process.
async fn second_node(bed: &Bed) -> Store {
    match bed.store.database() {
        Database::Sqlite { .. } => bed.store.clone(),
        Database::Postgres { .. } => bed.other_node().await,
    }
}

/// A node that does everything that can happen, in any order.
struct Chaos {
    store: Store,
    name: String,
    dice: StdRng,
    projects: [ProjectId; 3],
    made: Arc<AtomicUsize>,
}

impl Chaos {
    async fn rage(mut self) {
        while self.made.load(Ordering::SeqCst) < JOBS {
            match self.dice.random_range(0..10) {
                0..4 => self.make_job().await,
                4..8 => self.work().await,
                8 => self.call().await,
                _ => self.administer().await,
            }
        }
    }

    fn amount(&mut self) -> Usd {
        let scale = [1, 10_000, 1_000_000_000, 5_000_000_000][self.dice.random_range(0..4)];
        Usd::from_e10(self.dice.random_range(0..=scale))
    }

    fn at_most(&mut self, bound: Usd) -> Usage {
        let cost = Usd::from_e10(self.dice.random_range(0..=bound.to_e10().unwrap()));
        Usage { cost_usd: cost, ..usage("0") }
    }

    fn run(&mut self) -> Run {
        let project = self.projects[self.dice.random_range(0..3)].clone();
        let shapes: [&[&[i64]]; 4] = [&[&[]], &[&[], &[]], &[&[], &[0], &[0]], &[&[], &[], &[0, 1], &[2]]];
        let mut run = run_of(&project, shapes[self.dice.random_range(0..4)], NOW);
        for step in &mut run.steps {
            step.cost_bound = self.amount();
        }
        let total: Usd = run.steps.iter().map(|step| step.cost_bound).sum();
        if self.dice.random_bool(0.3) {
            // Sometimes less than the steps can cost, so that some are skipped over budget.
            let part = self.dice.random_range(0..=total.to_e10().unwrap());
            run.job.max_cost_usd = Some(Usd::from_e10(part));
        }
        if self.dice.random_bool(0.5) {
            run.job.failure_policy = FailurePolicy::ContinueIndependent;
        }
        run
    }

    /// Half of the jobs have a key and are sent twice.
    async fn make_job(&mut self) {
        let mut new = new_job(self.run());
        let key = self.made.fetch_add(1, Ordering::SeqCst).to_string();
        if self.dice.random_bool(0.5) {
            new.idempotency = Some(keyed(&new.run.job.project_id, &key, "request"));
        }
        let mut again = new.clone();
        let id = new.run.job.id.clone();
        match self.store.create_job(new).await.unwrap() {
            Creation::Created => {}
            Creation::InsufficientBalance(short) => {
                assert!(short.needed > short.balance.available(), "{short:?}");
                return;
            }
            other => panic!("{other:?}"),
        }
        if again.idempotency.is_some() {
            again.run = run_of(&again.run.job.project_id, &[&[]], NOW);
            assert!(matches!(self.store.create_job(again).await.unwrap(), Creation::Replayed(_)));
        }
        if self.dice.random_bool(0.1) {
            advance(&self.store, &id, Command::Cancel).await;
        }
    }

    async fn work(&mut self) {
        let limit = self.dice.random_range(1..5);
        let claims = self.store.claim_steps(&self.name, limit, NOW, NOW.plus_ms(1)).await.unwrap();
        for (job, ordinal) in claims.ending {
            advance(&self.store, &job, Command::SkipOverBudget { ordinal }).await;
        }
        for claimed in claims.steps {
            self.end(claimed).await;
        }
        if self.dice.random_bool(0.1) {
            collect_lost(&self.store).await;
        }
    }

    async fn end(&mut self, claimed: ClaimedStep) {
        let (ordinal, attempt) = (claimed.step.ordinal, claimed.step.attempt);
        let job = &claimed.job.id;
        let command = match self.dice.random_range(0..10) {
            0..5 => self.completion(&claimed.step),
            5 => self.failure(&claimed.step),
            6 => Command::HandBack { ordinal, attempt },
            7 => {
                advance(&self.store, job, Command::Cancel).await;
                Command::Stop { ordinal, attempt }
            }
            // The process dies here; its lease is over already.
            _ => return,
        };
        advance(&self.store, job, command.clone()).await;
        if self.dice.random_bool(0.2) {
            advance(&self.store, job, command).await;
        }
    }

    fn completion(&mut self, step: &Step) -> Command {
        Command::Complete {
            ordinal: step.ordinal,
            attempt: step.attempt,
            resolved_model: Some("model".into()),
            usage: self.at_most(step.cost_bound),
        }
    }

    fn failure(&mut self, step: &Step) -> Command {
        let usage = self.dice.random_bool(0.3).then(|| self.at_most(step.cost_bound));
        let cause = Cause::new(StepCode::BackendError, "the upstream said no");
        Command::Fail { ordinal: step.ordinal, attempt: step.attempt, cause, usage }
    }

    async fn call(&mut self) {
        let project_id = self.projects[self.dice.random_range(0..3)].clone();
        let bound = self.amount();
        let call =
            CallHold { request_id: RequestId::generate(NOW), project_id, bound, lease_until: NOW.plus_ms(1) };
        let held = match self.store.hold_for_call(&call, NOW).await.unwrap() {
            CallAdmission::Held => true,
            CallAdmission::Unlimited => false,
            CallAdmission::InsufficientBalance(_) => return,
        };
        let used = SyncUsage {
            request_id: call.request_id.clone(),
            project_id: call.project_id.clone(),
            model: "model".into(),
            capability: Capability::Transcription,
            usage: self.at_most(bound),
            held,
            now: NOW,
        };
        match self.dice.random_range(0..4) {
            0 => self.store.release_hold(&call.request_id).await.unwrap(),
            // The process dies; whoever sweeps gives it back.
            1 => drop(self.store.release_expired_holds(NOW.plus_ms(1)).await.unwrap()),
            _ => {
                for _ in 0..self.dice.random_range(1..3) {
                    self.store.record_sync_usage(&used, None).await.unwrap();
                }
            }
        }
    }

    async fn administer(&mut self) {
        let project = &self.projects[self.dice.random_range(0..2)].clone();
        let amount = self.amount();
        let amount = if self.dice.random_bool(0.5) { amount } else { amount.negated() };
        if let Credit::Refused(balance) = self.store.credit(project, amount, NOW).await.unwrap() {
            assert!(amount.is_negative(), "{balance:?}");
        }
    }
}

/// As a runner does it: load, apply, commit, and again if a rival was faster. A command that fits no more is dropped.
async fn advance(store: &Store, job: &JobId, command: Command) {
    loop {
        let loaded = store.load_run(job).await.unwrap().unwrap();
        let mut run = loaded.run;
        let Ok(changes) = run.apply(command.clone(), NOW.timestamp()) else { return };
        if changes.is_empty() {
            return;
        }
        let step_output = match command {
            Command::Complete { ordinal, .. } => {
                Some(StepOutput { ordinal, output: "".into(), response: "".into() })
            }
            _ => None,
        };
        let ended = run.job.status.is_terminal();
        let commit = RunCommit {
            version: loaded.version,
            result: ended.then(|| JobResult { full: "".into(), light: "".into() }),
            run,
            changes,
            step_output,
            artifacts: Vec::new(),
            lease: None,
            now: NOW,
            idempotency: None,
        };
        match store.commit_run(commit).await {
            Ok(_) => return,
            Err(StoreError::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

async fn collect_lost(store: &Store) {
    for lost in store.lost_steps(NOW.plus_ms(1), 20).await.unwrap() {
        let command = Command::Lose { ordinal: lost.ordinal, attempt: lost.attempt };
        advance(store, &lost.job_id, command).await;
    }
}

async fn everything_ends(bed: &Bed) {
    let unended = "SELECT COUNT(*) AS n FROM jobs WHERE completed_at IS NULL";
    while bed.number(unended, args![]).await > 0 {
        collect_lost(&bed.store).await;
        let claims = bed.store.claim_steps("last", 100, NOW, NOW.plus_ms(1_000)).await.unwrap();
        for (job, ordinal) in claims.ending {
            advance(&bed.store, &job, Command::SkipOverBudget { ordinal }).await;
        }
        for claimed in claims.steps {
            let (ordinal, attempt) = (claimed.step.ordinal, claimed.step.attempt);
            let usage = Usage { cost_usd: claimed.step.cost_bound, ..usage("0") };
            let resolved_model = None;
            let command = Command::Complete { ordinal, attempt, resolved_model, usage };
            advance(&bed.store, &claimed.job.id, command).await;
        }
    }
    bed.store.release_expired_holds(NOW.plus_ms(1)).await.unwrap();
}

/// Every balance is what was paid in less what was paid for, and what is held of it is what jobs and calls hold.
async fn books_balance(bed: &Bed) {
    for project in bed.store.projects().await.unwrap() {
        let paid = amounts(
            &bed.store,
            "SELECT amount FROM ledger WHERE project_id = $1 AND from_balance = 1",
            &project.id,
        );
        let paid: Usd = paid.await.into_iter().sum();
        let total = project.balance.map_or(Usd::ZERO, |balance| balance.total);
        assert_eq!(total, Usd::ZERO - paid, "{}", project.name);
        assert!(!total.is_negative());
        let held = "SELECT COALESCE(CAST(SUM(held) AS BIGINT), 0) AS n FROM
            (SELECT hold_e10 AS held FROM jobs WHERE project_id = $1 AND hold_e10 IS NOT NULL
             UNION ALL SELECT amount_e10 FROM holds WHERE project_id = $1) AS every";
        let held = Usd::from_e10(bed.number(held, args![&project.id]).await);
        assert_eq!(project.balance.map_or(Usd::ZERO, |balance| balance.held), held, "{}", project.name);
    }
}

async fn nothing_is_held(bed: &Bed) {
    for held in [
        "SELECT CAST(COALESCE(SUM(held_e10), 0) AS BIGINT) AS n FROM balances",
        "SELECT COUNT(*) AS n FROM holds",
    ] {
        assert_eq!(bed.number(held, args![]).await, 0);
    }
}

async fn amounts(store: &Store, text: &'static str, id: &ProjectId) -> Vec<Usd> {
    let rows = store.database().rows(&Statement { sqlite: text, postgres: text }, args![id]).await.unwrap();
    rows.iter().map(|row| Usd::parse_signed(&row.text("amount").unwrap()).unwrap()).collect()
}

/// Of every job: its cost is its steps', no step passed its bound, the job not its own, and the ledger says the same.
async fn jobs_cost_what_their_steps_cost(store: &Store, project: &ProjectId) {
    let (mut after, mut total) = (None, Usd::ZERO);
    loop {
        let (page, more) = store.list_jobs(project, after.as_ref(), 100).await.unwrap();
        for stored in &page {
            let steps = store.steps(project, &stored.job.id).await.unwrap().unwrap();
            let costs =
                steps.iter().filter_map(|stored| stored.step.usage.as_ref().map(|used| used.cost_usd));
            let cost: Usd = costs.sum();
            assert_eq!(stored.job.usage.as_ref().unwrap().cost_usd, cost);
            assert!(stored.job.max_cost_usd.is_none_or(|bound| cost <= bound));
            total = total + cost;
        }
        after = page.last().map(|stored| stored.job.id.clone());
        if !more {
            break;
        }
    }
    let steps = "SELECT amount FROM ledger WHERE project_id = $1 AND step_id IS NOT NULL";
    assert_eq!(amounts(store, steps, project).await.into_iter().sum::<Usd>(), total);
    let calls = "SELECT amount FROM ledger WHERE project_id = $1 AND request_id IS NOT NULL";
    let calls: Usd = amounts(store, calls, project).await.into_iter().sum();
    let lines = store.usage_lines(project, Span::default()).await.unwrap();
    assert_eq!(lines.iter().map(|line| line.usage.cost_usd).sum::<Usd>(), total + calls);
}
