//! Balances: amounts are held, settled and released, and never overdrawn.

use auris_domain::id::{ProjectId, RequestId};
use auris_domain::machine::{Command, Loss};
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::project::Balance;
use auris_domain::step::{Cause, StepCode};
use auris_domain::time::Millis;

use super::builders::{complete, fail, keyed, new_job, run_of, usage};
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};
use auris_store::recording::{self, Recorded};
use auris_store::{CallAdmission, CallHold, Creation, Credit, Keyed, SyncUsage};

fn usd(text: &str) -> Usd {
    Usd::parse_signed(text).unwrap()
}

fn call(project: &ProjectId, bound: &str, lease_until: Millis) -> CallHold {
    CallHold {
        request_id: RequestId::generate(NOW),
        project_id: project.clone(),
        bound: usd(bound),
        lease_until,
    }
}

fn used(call: &CallHold, cost: &str) -> SyncUsage {
    SyncUsage {
        request_id: call.request_id.clone(),
        project_id: call.project_id.clone(),
        model: "model".into(),
        capability: Capability::Transcription,
        usage: usage(cost),
        held: true,
        now: NOW,
    }
}

impl TestStore {
    async fn credited(&self, amount: &str) {
        let booked = self.store.credit(&self.project, usd(amount), NOW).await.unwrap();
        assert!(matches!(booked, Credit::Booked(_)), "{booked:?}");
    }

    async fn has(&self, total: &str, held: &str) {
        let balance = self.store.balance(&self.project).await.unwrap();
        assert_eq!(balance, Some(Balance { total: usd(total), held: usd(held) }));
    }

    /// Each step can cost up to 0.5.
    async fn try_job(&self, needs: &[&[i64]]) -> Keyed<Creation> {
        self.store.create_job(new_job(run_of(&self.project, needs, NOW))).await.unwrap()
    }
}

/// Runs the operation and returns whether it changed a balance. Nothing may follow the change but the commit: the row is
/// locked from the change on, and every job of the project needs it.
async fn changes_balance_last(operation: impl Future) -> bool {
    let (_, steps) = recording::record(operation).await;
    let is_change = |step: &Recorded| match step {
        Recorded::Statement { text, .. } => text.contains("UPDATE balances"),
        Recorded::Begin | Recorded::Commit => false,
    };
    let Some(change) = steps.iter().position(is_change) else { return false };
    assert!(matches!(steps[change + 1..], [] | [Recorded::Commit, ..]), "{steps:#?}");
    true
}

on_both_databases! {
    async fn the_balance_is_the_last_row_that_a_transaction_locks(test) {
        test.credited("5").await;
        assert!(changes_balance_last(test.job(&[&[], &[]])).await);
        let claimed = test.claim("worker").await;
        assert!(changes_balance_last(test.complete(&claimed[0])).await);
        assert!(changes_balance_last(test.apply(claimed[1].job_id(), fail(&claimed[1]))).await);
        let cancelled = test.job(&[&[]]).await;
        assert!(changes_balance_last(test.apply(&cancelled, Command::Cancel)).await);
        let mut run = run_of(&test.project, &[&[], &[]], NOW);
        run.job.max_cost_usd = Some(usd("0.6"));
        test.store.create_job(new_job(run)).await.unwrap();
        assert!(changes_balance_last(test.claim("worker")).await);
    }

    async fn a_job_holds_its_maximum_cost_and_pays_its_actual_cost(test) {
        test.credited("2").await;
        test.job(&[&[], &[]]).await;
        test.has("2", "1").await;
        let claimed = test.claim("worker").await;
        test.has("2", "1").await;
        test.complete(&claimed[0]).await.unwrap();
        test.has("1.75", "0.5").await;
        test.complete(&claimed[1]).await.unwrap();
        test.has("1.5", "0").await;
    }

    async fn failed_cancelled_and_skipped_steps_release_their_hold(test) {
        test.credited("2").await;
        test.job(&[&[], &[0], &[1]]).await;
        let claimed = test.claim("worker").await;
        let cause = Cause::new(StepCode::BackendError, "the upstream said no");
        let failed = Command::Fail { hold: claimed[0].hold(), cause, usage: None };
        test.apply(claimed[0].job_id(), failed).await.unwrap();
        test.has("2", "0").await;
        let id = test.job(&[&[], &[0]]).await;
        test.has("2", "1").await;
        test.apply(&id, Command::Cancel).await.unwrap();
        test.has("2", "0").await;
    }

    async fn a_step_that_a_claim_skips_over_budget_releases_its_hold(test) {
        test.credited("2").await;
        let mut run = run_of(&test.project, &[&[], &[]], NOW);
        run.job.max_cost_usd = Some(usd("0.6"));
        test.store.create_job(new_job(run)).await.unwrap();
        test.has("2", "1").await;
        let claimed = test.claim("worker").await;
        test.has("2", "0.5").await;
        test.complete(&claimed[0]).await.unwrap();
        test.has("1.75", "0").await;
    }

    async fn a_step_that_runs_again_is_held_and_charged_once(test) {
        test.credited("1").await;
        test.job(&[&[]]).await;
        for _ in 0..2 {
            let lost = test.claim("mortal").await.remove(0);
            let command = Command::Lose { hold: lost.hold(), loss: Loss::Alone };
            test.apply(lost.job_id(), command).await.unwrap();
            test.has("1", "0.5").await;
        }
        let last = test.claim("worker").await.remove(0);
        test.complete(&last).await.unwrap();
        test.has("0.75", "0").await;
        assert_eq!(test.usage().await.cost_usd, usd("0.25"));
    }

    async fn a_job_that_the_balance_does_not_cover_writes_nothing(test) {
        test.credited("1.2").await;
        test.job(&[&[], &[]]).await;
        let mut new = new_job(run_of(&test.project, &[&[]], NOW));
        new.idempotency = Some(keyed(&test.project, "key", "request"));
        let refused = test.store.create_job(new.clone()).await.unwrap();
        let Keyed::Done(Creation::InsufficientBalance(shortfall)) = refused else { panic!("{refused:?}") };
        assert_eq!((shortfall.needed, shortfall.balance.available()), (usd("0.5"), usd("0.2")));
        assert_eq!(test.number("SELECT COUNT(*) AS n FROM jobs", args![]).await, 1);
        test.credited("0.3").await;
        assert_eq!(test.store.create_job(new.clone()).await.unwrap(), Keyed::Done(Creation::Created));
        new.run = run_of(&test.project, &[&[]], NOW);
        assert!(matches!(test.store.create_job(new).await.unwrap(), Keyed::Replayed(_)));
        test.has("1.5", "1.5").await;
    }

    async fn of_two_hundred_concurrent_jobs_the_balance_admits_fifty(test) {
        test.credited("25.4999999999").await;
        let nodes = [test.store.clone(), test.other_node().await, test.other_node().await];
        let creations = (0..200).map(|number| {
            let store = nodes[number % 3].clone();
            let run = run_of(&test.project, &[&[]], NOW);
            tokio::spawn(async move { store.create_job(new_job(run)).await.unwrap() })
        });
        let made = futures::future::try_join_all(creations).await.unwrap();
        assert_eq!(made.iter().filter(|made| **made == Keyed::Done(Creation::Created)).count(), 50);
        test.has("25.4999999999", "25").await;
        for node in &nodes[1..] {
            node.close().await;
        }
    }

    async fn a_call_holds_its_maximum_cost_and_pays_its_actual_cost(test) {
        test.credited("1").await;
        let first = call(&test.project, "0.7", NOW.plus_ms(1_000));
        assert_eq!(test.store.hold_for_call(&first, NOW).await.unwrap(), CallAdmission::Held);
        test.has("1", "0.7").await;
        let second = call(&test.project, "0.4", NOW.plus_ms(1_000));
        let refused = test.store.hold_for_call(&second, NOW).await.unwrap();
        assert!(matches!(refused, CallAdmission::InsufficientBalance(_)));
        for _ in 0..2 {
            test.store.record_sync_usage(&used(&first, "0.5"), None).await.unwrap();
            test.has("0.5", "0").await;
        }
        assert_eq!(test.store.hold_for_call(&second, NOW).await.unwrap(), CallAdmission::Held);
        test.store.release_hold(&second.request_id).await.unwrap();
        test.store.release_hold(&second.request_id).await.unwrap();
        test.has("0.5", "0").await;
    }

    async fn the_hold_of_a_dead_process_is_released(test) {
        test.credited("1").await;
        let dead = call(&test.project, "0.7", NOW.plus_ms(1_000));
        test.store.hold_for_call(&dead, NOW).await.unwrap();
        test.store.extend_hold(&dead.request_id, NOW.plus_ms(2_000)).await.unwrap();
        let next = call(&test.project, "0.6", NOW.plus_ms(9_000));
        let early = test.store.hold_for_call(&next, NOW.plus_ms(1_999)).await.unwrap();
        assert!(matches!(early, CallAdmission::InsufficientBalance(_)));
        // No sweep ran: the request itself releases the expired hold.
        assert_eq!(test.store.hold_for_call(&next, NOW.plus_ms(2_000)).await.unwrap(), CallAdmission::Held);
        test.has("1", "0.6").await;
        // The process was only slow: its call is charged if the balance still covers it, and here it does not.
        test.store.record_sync_usage(&used(&dead, "0.7"), None).await.unwrap();
        test.has("1", "0.6").await;
        assert_eq!(test.store.release_expired_holds(NOW.plus_ms(9_000)).await.unwrap(), 1);
        test.has("1", "0").await;
    }

    async fn a_project_without_a_balance_holds_nothing_and_its_usage_is_booked(test) {
        assert_eq!(test.store.balance(&test.project).await.unwrap(), None);
        let free = call(&test.project, "5", NOW.plus_ms(1_000));
        assert_eq!(test.store.hold_for_call(&free, NOW).await.unwrap(), CallAdmission::Unlimited);
        test.job(&[&[]]).await;
        test.credited("3").await;
        let claimed = test.claim("worker").await.remove(0);
        test.apply(claimed.job_id(), complete(&claimed)).await.unwrap();
        test.has("3", "0").await;
        assert_eq!(test.usage().await.cost_usd, usd("0.25"));
    }

    async fn a_balance_can_be_reduced_to_the_held_amount_and_lifted_at_any_time(test) {
        test.credited("2").await;
        test.job(&[&[]]).await;
        let refused = test.store.credit(&test.project, usd("-1.6"), NOW).await.unwrap();
        assert!(matches!(refused, Credit::Refused(_)));
        test.credited("-1.5").await;
        test.has("0.5", "0.5").await;
        assert!(matches!(test.try_job(&[&[]]).await, Keyed::Done(Creation::InsufficientBalance(_))));
        assert_eq!(test.store.lift_balance(&test.project, NOW).await.unwrap(), Some(usd("0.5")));
        assert_eq!(test.store.lift_balance(&test.project, NOW).await.unwrap(), None);
        assert_eq!(test.try_job(&[&[]]).await, Keyed::Done(Creation::Created));
        let low = test.store.credit(&test.project, usd("0.4"), NOW).await.unwrap();
        assert!(matches!(low, Credit::Refused(balance) if balance.held == usd("0.5")), "{low:?}");
        for claimed in test.claim("worker").await {
            test.complete(&claimed).await.unwrap();
        }
        test.credited("0.4").await;
        test.has("0.4", "0").await;
    }

    async fn the_cost_of_work_that_ends_after_the_limit_was_lifted_is_not_charged(test) {
        test.credited("2").await;
        test.job(&[&[]]).await;
        let claimed = test.claim("worker").await.remove(0);
        let held = call(&test.project, "0.5", NOW.plus_ms(1_000));
        test.store.hold_for_call(&held, NOW).await.unwrap();
        assert_eq!(test.store.lift_balance(&test.project, NOW).await.unwrap(), Some(usd("2")));
        test.complete(&claimed).await.unwrap();
        test.store.record_sync_usage(&used(&held, "0.1"), None).await.unwrap();
        assert_eq!(test.usage().await.cost_usd, usd("0.35"));
        let paid = "SELECT COUNT(*) AS n FROM ledger WHERE kind <> 'credit' AND from_balance = 1";
        assert_eq!(test.number(paid, args![]).await, 0);
        test.credited("1").await;
        test.has("1", "0").await;
    }

    async fn an_amount_above_the_maximum_balance_is_refused(test) {
        for amount in ["400000001", "9999999999", "79228162514264337593543950335"] {
            let refused = test.store.credit(&test.project, usd(amount), NOW).await.unwrap();
            assert!(matches!(refused, Credit::Refused(_)), "{amount}");
        }
        assert_eq!(test.store.balance(&test.project).await.unwrap(), None);
        test.credited("0").await;
        test.has("0", "0").await;
    }
}
