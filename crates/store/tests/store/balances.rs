//! Balances: held, settled, given back, and never overdrawn.

use auris_domain::id::{ProjectId, RequestId};
use auris_domain::machine::Command;
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::project::Balance;
use auris_domain::time::Millis;

use super::bed::{Bed, NOW};
use super::build::{complete, fail, keyed, new_job, run_of, usage};
use super::on_both;
use crate::money::balances::{hold_in, settle_in};
use crate::{CallAdmission, CallHold, Creation, Credit, SyncUsage};

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

impl Bed {
    async fn credited(&self, amount: &str) {
        let booked = self.store.credit(&self.project, usd(amount), NOW).await.unwrap();
        assert!(matches!(booked, Credit::Booked(_)), "{booked:?}");
    }

    async fn has(&self, total: &str, held: &str) {
        let balance = self.store.balance(&self.project).await.unwrap();
        assert_eq!(balance, Some(Balance { total: usd(total), held: usd(held) }));
    }

    /// Each step of it can cost 0.5.
    async fn try_job(&self, needs: &[&[i64]]) -> Creation {
        self.store.create_job(new_job(run_of(&self.project, needs, NOW))).await.unwrap()
    }
}

on_both! {
    async fn a_job_holds_its_bound_and_pays_what_it_cost(bed) {
        bed.credited("2").await;
        bed.job(&[&[], &[]]).await;
        bed.has("2", "1").await;
        let claimed = bed.claim("worker").await;
        bed.has("2", "1").await;
        bed.complete(&claimed[0]).await.unwrap();
        bed.has("1.75", "0.5").await;
        bed.complete(&claimed[1]).await.unwrap();
        bed.has("1.5", "0").await;
    }

    async fn what_failed_was_cancelled_or_skipped_gives_its_hold_back(bed) {
        bed.credited("2").await;
        bed.job(&[&[], &[0], &[1]]).await;
        let claimed = bed.claim("worker").await;
        let Command::Fail { ordinal, attempt, cause, .. } = fail(&claimed[0]) else { unreachable!() };
        let failed = Command::Fail { ordinal, attempt, cause, usage: None };
        bed.apply(&claimed[0].job.id, failed).await.unwrap();
        bed.has("2", "0").await;
        let id = bed.job(&[&[], &[0]]).await;
        bed.has("2", "1").await;
        bed.apply(&id, Command::Cancel).await.unwrap();
        bed.has("2", "0").await;
    }

    async fn a_step_that_the_budget_skips_in_a_claim_gives_its_hold_back(bed) {
        bed.credited("2").await;
        let mut run = run_of(&bed.project, &[&[], &[]], NOW);
        run.job.max_cost_usd = Some(usd("0.6"));
        bed.store.create_job(new_job(run)).await.unwrap();
        bed.has("2", "1").await;
        let claimed = bed.claim("worker").await;
        bed.has("2", "0.5").await;
        bed.complete(&claimed[0]).await.unwrap();
        bed.has("1.75", "0").await;
    }

    async fn a_step_run_again_is_held_and_charged_once(bed) {
        bed.credited("1").await;
        bed.job(&[&[]]).await;
        for _ in 0..2 {
            let lost = bed.claim("mortal").await.remove(0);
            bed.apply(&lost.job.id, Command::Lose { ordinal: 0, attempt: lost.step.attempt }).await.unwrap();
            bed.has("1", "0.5").await;
        }
        let last = bed.claim("worker").await.remove(0);
        bed.complete(&last).await.unwrap();
        bed.has("0.75", "0").await;
        assert_eq!(bed.store.usage_of(&bed.project).await.unwrap().cost_usd, usd("0.25"));
    }

    async fn a_request_that_the_balance_does_not_cover_leaves_nothing(bed) {
        bed.credited("1.2").await;
        bed.job(&[&[], &[]]).await;
        let mut new = new_job(run_of(&bed.project, &[&[]], NOW));
        new.idempotency = Some(keyed(&bed.project, "key", "request"));
        let Creation::InsufficientBalance(shortfall) = bed.store.create_job(new.clone()).await.unwrap() else {
            panic!("it was admitted")
        };
        assert_eq!((shortfall.needed, shortfall.balance.available()), (usd("0.5"), usd("0.2")));
        assert_eq!(bed.number("SELECT COUNT(*) AS n FROM jobs", crate::sql::database::args![]).await, 1);
        bed.credited("0.3").await;
        assert_eq!(bed.store.create_job(new.clone()).await.unwrap(), Creation::Created);
        new.run = run_of(&bed.project, &[&[]], NOW);
        assert!(matches!(bed.store.create_job(new).await.unwrap(), Creation::Replayed(_)));
        bed.has("1.5", "1.5").await;
    }

    async fn two_hundred_rivals_share_a_balance_for_fifty(bed) {
        bed.credited("25.4999999999").await;
        let nodes = [bed.store.clone(), bed.other_node().await, bed.other_node().await];
        let rivals = (0..200).map(|number| {
            let (store, run) = (nodes[number % 3].clone(), run_of(&bed.project, &[&[]], NOW));
            tokio::spawn(async move { store.create_job(new_job(run)).await.unwrap() })
        });
        let made = futures::future::try_join_all(rivals).await.unwrap();
        assert_eq!(made.iter().filter(|made| **made == Creation::Created).count(), 50);
        bed.has("25.4999999999", "25").await;
        for node in &nodes[1..] {
            node.close().await;
        }
    }

    async fn a_call_holds_its_bound_and_pays_what_it_cost(bed) {
        bed.credited("1").await;
        let first = call(&bed.project, "0.7", NOW.plus_ms(1_000));
        assert_eq!(bed.store.hold_for_call(&first, NOW).await.unwrap(), CallAdmission::Held);
        bed.has("1", "0.7").await;
        let second = call(&bed.project, "0.4", NOW.plus_ms(1_000));
        let refused = bed.store.hold_for_call(&second, NOW).await.unwrap();
        assert!(matches!(refused, CallAdmission::InsufficientBalance(_)));
        for _ in 0..2 {
            bed.store.record_sync_usage(&used(&first, "0.5"), None).await.unwrap();
            bed.has("0.5", "0").await;
        }
        assert_eq!(bed.store.hold_for_call(&second, NOW).await.unwrap(), CallAdmission::Held);
        bed.store.release_hold(&second.request_id).await.unwrap();
        bed.store.release_hold(&second.request_id).await.unwrap();
        bed.has("0.5", "0").await;
    }

    async fn what_a_dead_process_held_is_given_back(bed) {
        bed.credited("1").await;
        let dead = call(&bed.project, "0.7", NOW.plus_ms(1_000));
        bed.store.hold_for_call(&dead, NOW).await.unwrap();
        bed.store.extend_hold(&dead.request_id, NOW.plus_ms(2_000)).await.unwrap();
        let next = call(&bed.project, "0.6", NOW.plus_ms(9_000));
        let early = bed.store.hold_for_call(&next, NOW.plus_ms(1_999)).await.unwrap();
        assert!(matches!(early, CallAdmission::InsufficientBalance(_)));
        // Nobody swept, and still the balance is there for those who ask.
        assert_eq!(bed.store.hold_for_call(&next, NOW.plus_ms(2_000)).await.unwrap(), CallAdmission::Held);
        bed.has("1", "0.6").await;
        // The dead one was only slow: it pays what is left, or nothing at all.
        bed.store.record_sync_usage(&used(&dead, "0.7"), None).await.unwrap();
        bed.has("1", "0.6").await;
        assert_eq!(bed.store.release_expired_holds(NOW.plus_ms(9_000)).await.unwrap(), 1);
        bed.has("1", "0").await;
    }

    async fn a_project_without_a_balance_holds_nothing_and_is_booked_all_the_same(bed) {
        assert_eq!(bed.store.balance(&bed.project).await.unwrap(), None);
        let free = call(&bed.project, "5", NOW.plus_ms(1_000));
        assert_eq!(bed.store.hold_for_call(&free, NOW).await.unwrap(), CallAdmission::Unlimited);
        bed.job(&[&[]]).await;
        bed.credited("3").await;
        let claimed = bed.claim("worker").await.remove(0);
        bed.apply(&claimed.job.id, complete(&claimed)).await.unwrap();
        bed.has("3", "0").await;
        assert_eq!(bed.store.usage_of(&bed.project).await.unwrap().cost_usd, usd("0.25"));
    }

    async fn a_balance_is_taken_back_down_to_what_is_held_and_lifted_at_any_time(bed) {
        bed.credited("2").await;
        bed.job(&[&[]]).await;
        let refused = bed.store.credit(&bed.project, usd("-1.6"), NOW).await.unwrap();
        assert!(matches!(refused, Credit::Refused(_)));
        bed.credited("-1.5").await;
        bed.has("0.5", "0.5").await;
        assert!(matches!(bed.try_job(&[&[]]).await, Creation::InsufficientBalance(_)));
        assert_eq!(bed.store.lift_balance(&bed.project, NOW).await.unwrap(), Some(usd("0.5")));
        assert_eq!(bed.store.lift_balance(&bed.project, NOW).await.unwrap(), None);
        assert_eq!(bed.try_job(&[&[]]).await, Creation::Created);
        let low = bed.store.credit(&bed.project, usd("0.4"), NOW).await.unwrap();
        assert!(matches!(low, Credit::Refused(balance) if balance.held == usd("0.5")), "{low:?}");
        for claimed in bed.claim("worker").await {
            bed.complete(&claimed).await.unwrap();
        }
        bed.credited("0.4").await;
        bed.has("0.4", "0").await;
    }

    async fn a_limit_that_is_lifted_between_look_and_hold_refuses_nobody(bed) {
        bed.credited("2").await;
        bed.store.lift_balance(&bed.project, NOW).await.unwrap();
        let mut tx = bed.store.database().begin().await.unwrap();
        assert_eq!(hold_in(&mut tx, &bed.project, 30_000_000_000).await.unwrap(), None);
        assert!(!settle_in(&mut tx, &bed.project, 30_000_000_000, 1).await.unwrap());
        tx.commit().await.unwrap();
        bed.credited("1").await;
        bed.has("1", "0").await;
    }

    async fn an_amount_past_all_measure_is_refused(bed) {
        for amount in ["400000001", "9999999999", "79228162514264337593543950335"] {
            let refused = bed.store.credit(&bed.project, usd(amount), NOW).await.unwrap();
            assert!(matches!(refused, Credit::Refused(_)), "{amount}");
        }
        assert_eq!(bed.store.balance(&bed.project).await.unwrap(), None);
        bed.credited("0").await;
        bed.has("0", "0").await;
    }
}
