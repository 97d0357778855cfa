//! Leases that were granted before the clock was set back.

use auris_domain::id::RequestId;
use auris_domain::machine::Loss;
use auris_domain::money::Usd;

use super::builders::{held, idle_worker, new_job, run_of};
use super::on_both_databases;
use super::test_store::{NOW, TestStore};
use auris_store::{CallAdmission, CallHold, KeyHold, Keyed, ReceiverClaim};

const HOUR: i64 = 3_600_000;

fn usd(text: &str) -> Usd {
    text.parse().unwrap()
}

on_both_databases! {
    async fn steps_are_found_by_the_end_of_their_lease(test) {
        let job = test.job(&[&[]]).await;
        test.store.claim_steps(idle_worker("worker", HOUR), 1).await.unwrap();
        assert_eq!(test.store.steps_leased_after(NOW.plus_ms(HOUR), 9).await.unwrap(), []);
        let found = test.store.steps_leased_after(NOW, 9).await.unwrap();
        assert_eq!((found.len(), &found[0].0.job_id, found[0].0.loss), (1, &job, Loss::Alone));
        assert_eq!(found[0].1, NOW.plus_ms(HOUR));
    }

    async fn a_hold_that_was_taken_before_the_clock_was_set_back_is_released(test) {
        test.store.credit(&test.project, usd("1"), NOW).await.unwrap();
        let call = |bound: &str, lease_ms: i64| CallHold {
            request_id: RequestId::generate(NOW),
            project_id: test.project.clone(),
            bound: usd(bound),
            lease_until: NOW.plus_ms(lease_ms),
        };
        assert_eq!(test.store.hold_for_call(&call("0.4", 30_000), NOW).await.unwrap(), CallAdmission::Held);
        assert_eq!(test.store.hold_for_call(&call("0.6", HOUR), NOW).await.unwrap(), CallAdmission::Held);
        assert_eq!(test.store.hold_for_call(&call("0.6", 30_000), NOW).await.unwrap(), CallAdmission::Held);
        let more = test.store.hold_for_call(&call("0.1", 30_000), NOW).await.unwrap();
        assert!(matches!(more, CallAdmission::InsufficientBalance(_)), "{more:?}");
    }

    async fn a_key_that_was_reserved_before_the_clock_was_set_back_is_free(test) {
        let (lost, _) = held(&test.project, "one");
        let (next, _) = held(&test.project, "two");
        let until = NOW.plus_ms(30_000);
        test.store.reserve_key(&lost, NOW.plus_ms(HOUR), NOW).await.unwrap();
        assert!(!test.store.lookup_key(&lost.scope, NOW).await.unwrap().unwrap().is_in_use(NOW));
        assert_eq!(test.store.reserve_key(&next, until, NOW).await.unwrap(), Keyed::Done(()));
        assert!(test.store.lookup_key(&lost.scope, NOW).await.unwrap().unwrap().is_in_use(NOW));
        assert_eq!(test.store.reserve_key(&lost, until, NOW).await.unwrap(), Keyed::KeyInUse);
    }

    async fn a_key_that_was_held_before_the_clock_was_set_back_can_be_taken_over(test) {
        let (job, lost) = test.held_job("one", NOW.plus_ms(HOUR)).await;
        let next = KeyHold { holder: "two".into(), ..lost.clone() };
        let until = NOW.plus_ms(30_000);
        let known = test.store.lookup_key(&lost.scope, NOW).await.unwrap().unwrap();
        assert_eq!((known.is_in_use(NOW), known.job), (false, Some(job)));
        assert!(test.store.take_held_key(&next, until, NOW).await.unwrap());
        assert!(!test.store.take_held_key(&lost, until, NOW).await.unwrap(), "the next request waits");
    }

    async fn deliveries_that_were_claimed_before_the_clock_was_set_back_can_be_made_due(test) {
        for _ in 0..2 {
            let mut run = run_of(&test.project, &[&[]], NOW);
            run.job.webhook_url = Some("https://own.example/".into());
            test.store.create_job(new_job(run)).await.unwrap();
            for claimed in test.claim("worker").await {
                test.complete(&claimed).await.unwrap();
            }
        }
        let receiver = test.store.waiting_receivers().await.unwrap().remove(0).name;
        let wanted = [ReceiverClaim { receiver, limit: 1 }];
        for lease in [HOUR, 30_000] {
            test.store.claim_deliveries(&wanted, NOW, NOW.plus_ms(lease)).await.unwrap();
        }
        let due = || async { test.store.waiting_receivers().await.unwrap()[0].due_at };
        assert_eq!(due().await, NOW.plus_ms(30_000));
        assert_eq!(test.store.release_deliveries_leased_after(NOW.plus_ms(60_000), NOW).await.unwrap(), 1);
        assert_eq!(due().await, NOW);
    }
}
