//! Thousands of random jobs and calls that fail, are cancelled, lost, run again and reported twice, from several nodes at
//! once: in the end the ledger balances to the last digit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use auris_domain::id::{JobId, ProjectId, RequestId};
use auris_domain::job::FailurePolicy;
use auris_domain::machine::{ClaimedStep, Command, Run, StepHold};
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::result::JobResult;
use auris_domain::step::{Cause, StepCode};
use auris_domain::usage::Usage;
use auris_domain::wire::JsonText;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::builders::{idle_worker, keyed, new_job, run_of, usage};
use super::on_both_databases;
use super::test_store::{NOW, Pool, TestStore, args};
use auris_store::{
    CallAdmission, CallHold, Creation, Credit, Keyed, RunCommit, Span, StepContent, Store, StoreError,
    SyncUsage,
};

const WORKERS: u64 = 8;
const JOBS: usize = 2_000;

on_both_databases! {
    async fn the_ledger_of_two_thousand_random_jobs_balances_to_the_last_digit(test) {
        let seed = rand::random::<u64>();
        eprintln!("seed {seed}");
        let other = test.store.create_project("poor", NOW).await.unwrap().unwrap().id;
        let free = test.store.create_project("free", NOW).await.unwrap().unwrap().id;
        test.store.credit(&test.project, "100000".parse().unwrap(), NOW).await.unwrap();
        test.store.credit(&other, "3".parse().unwrap(), NOW).await.unwrap();
        let projects = [test.project.clone(), other, free];
        let made = Arc::new(AtomicUsize::new(0));
        let nodes = [test.store.clone(), second_node(test).await];
        let workers = (0..WORKERS).map(|number| {
            let worker = ChaosWorker {
                store: nodes[number as usize % 2].clone(),
                name: format!("worker-{number}"),
                dice: StdRng::seed_from_u64(seed ^ number),
                projects: projects.clone(),
                made: Arc::clone(&made),
            };
            tokio::spawn(worker.run_randomly())
        });
        futures::future::try_join_all(workers).await.unwrap();
        check_ledger(test).await;
        finish_everything(test).await;
        check_ledger(test).await;
        check_nothing_is_held(test).await;
        for project in &projects {
            check_costs_of_jobs(test, project).await;
        }
        nodes[1].close().await;
    }
}

/// Only one process uses a SQLite file.
async fn second_node(test: &TestStore) -> Store {
    match &test.pool {
        Pool::Sqlite(_) => test.store.clone(),
        Pool::Postgres(_) => test.other_node().await,
    }
}

/// A node that does everything that can happen, in random order.
struct ChaosWorker {
    store: Store,
    name: String,
    dice: StdRng,
    projects: [ProjectId; 3],
    made: Arc<AtomicUsize>,
}

impl ChaosWorker {
    async fn run_randomly(mut self) {
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
            Keyed::Done(Creation::Created) => {}
            Keyed::Done(Creation::InsufficientBalance(short)) => {
                assert!(short.needed > short.balance.available(), "{short:?}");
                return;
            }
            other => panic!("{other:?}"),
        }
        if again.idempotency.is_some() {
            again.run = run_of(&again.run.job.project_id, &[&[]], NOW);
            assert!(matches!(self.store.create_job(again).await.unwrap(), Keyed::Replayed(_)));
        }
        if self.dice.random_bool(0.1) {
            advance(&self.store, &id, Command::Cancel).await;
        }
    }

    async fn work(&mut self) {
        let limit = self.dice.random_range(1..5);
        let claims = self.store.claim_steps(idle_worker(&self.name, 1), limit).await.unwrap();
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
        let hold = claimed.hold();
        let bound = claimed.step().cost_bound;
        let job = claimed.job_id();
        let command = match self.dice.random_range(0..10) {
            0..5 => self.completion(hold, bound),
            5 => self.failure(hold, bound),
            6 => Command::HandBack { hold },
            7 => {
                advance(&self.store, job, Command::Cancel).await;
                Command::Stop { hold }
            }
            // The process dies here; its lease has already expired.
            _ => return,
        };
        advance(&self.store, job, command.clone()).await;
        if self.dice.random_bool(0.2) {
            advance(&self.store, job, command).await;
        }
    }

    fn completion(&mut self, hold: StepHold, bound: Usd) -> Command {
        let usage = self.at_most(bound);
        Command::Complete { hold, resolved_model: Some("model".into()), usage }
    }

    fn failure(&mut self, hold: StepHold, bound: Usd) -> Command {
        let usage = self.dice.random_bool(0.3).then(|| self.at_most(bound));
        let cause = Cause::new(StepCode::BackendError, "the upstream said no");
        Command::Fail { hold, cause, usage }
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
            // The process dies, and a sweep releases its hold.
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

/// Loads, applies and commits as a worker does, and again after a conflict. A command that is no longer valid is dropped.
async fn advance(store: &Store, job: &JobId, command: Command) {
    let empty = JsonText::of("");
    loop {
        let loaded = store.load_run(job).await.unwrap().unwrap();
        let mut run = loaded.run;
        let Ok(changes) = run.apply(command.clone(), NOW.timestamp()) else { return };
        if changes.is_empty() {
            return;
        }
        let step_content = match command {
            Command::Complete { hold, .. } => {
                Some(StepContent { ordinal: hold.ordinal(), output: empty.clone(), response: empty.clone() })
            }
            _ => None,
        };
        let ended = run.job.status().is_terminal();
        let commit = RunCommit {
            version: loaded.version,
            result: ended.then(|| JobResult { full: empty.clone(), light: empty.clone() }),
            run,
            changes,
            step_content,
            artifacts: Vec::new(),
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
    for (lost, _) in store.steps_leased_until(NOW.plus_ms(1), 20).await.unwrap() {
        let command = Command::Lose { hold: lost.hold, loss: lost.loss };
        advance(store, &lost.job_id, command).await;
    }
}

async fn finish_everything(test: &TestStore) {
    let unended = "SELECT COUNT(*) AS n FROM jobs WHERE completed_at IS NULL";
    while test.number(unended, args![]).await > 0 {
        collect_lost(&test.store).await;
        let claims = test.store.claim_steps(idle_worker("last", 1_000), 100).await.unwrap();
        for (job, ordinal) in claims.ending {
            advance(&test.store, &job, Command::SkipOverBudget { ordinal }).await;
        }
        for claimed in claims.steps {
            let hold = claimed.hold();
            let usage = Usage { cost_usd: claimed.step().cost_bound, ..usage("0") };
            let resolved_model = None;
            let command = Command::Complete { hold, resolved_model, usage };
            advance(&test.store, claimed.job_id(), command).await;
        }
    }
    test.store.release_expired_holds(NOW.plus_ms(1)).await.unwrap();
}

/// Every balance is its credits minus its costs, and the held amount is the sum of the holds of jobs and calls.
async fn check_ledger(test: &TestStore) {
    for project in test.store.projects().await.unwrap() {
        let paid = amounts(
            test,
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
        let held = Usd::from_e10(test.number(held, args![&project.id]).await);
        assert_eq!(project.balance.map_or(Usd::ZERO, |balance| balance.held), held, "{}", project.name);
    }
}

async fn check_nothing_is_held(test: &TestStore) {
    for held in [
        "SELECT CAST(COALESCE(SUM(held_e10), 0) AS BIGINT) AS n FROM balances",
        "SELECT COUNT(*) AS n FROM holds",
    ] {
        assert_eq!(test.number(held, args![]).await, 0);
    }
}

async fn amounts(test: &TestStore, text: &'static str, id: &ProjectId) -> Vec<Usd> {
    let amounts = test.texts(text, args![id]).await;
    amounts.iter().map(|amount| Usd::parse_signed(amount).unwrap()).collect()
}

/// The cost of every job is the sum of its steps' costs and within its limit, and the ledger has the same sum.
async fn check_costs_of_jobs(test: &TestStore, project: &ProjectId) {
    let store = &test.store;
    let mut after = None;
    let mut total = Usd::ZERO;
    loop {
        let (page, more) = store.list_jobs(project, after.as_ref(), 100).await.unwrap();
        for stored in &page {
            let steps = store.steps(project, &stored.job.id).await.unwrap().unwrap().parse().unwrap();
            let costs = steps.iter().filter_map(|stored| stored.step.usage().map(|used| used.cost_usd));
            let cost: Usd = costs.sum();
            assert_eq!(stored.job.usage().unwrap().cost_usd, cost);
            assert!(stored.job.max_cost_usd.is_none_or(|bound| cost <= bound));
            total = total + cost;
        }
        after = page.last().map(|stored| stored.job.id.clone());
        if !more {
            break;
        }
    }
    let steps = "SELECT amount FROM ledger WHERE project_id = $1 AND step_id IS NOT NULL";
    assert_eq!(amounts(test, steps, project).await.into_iter().sum::<Usd>(), total);
    let calls = "SELECT amount FROM ledger WHERE project_id = $1 AND request_id IS NOT NULL";
    let calls: Usd = amounts(test, calls, project).await.into_iter().sum();
    let lines = store.usage_lines(project, Span::default()).await.unwrap();
    assert_eq!(lines.iter().map(|line| line.usage.cost_usd).sum::<Usd>(), total + calls);
}
