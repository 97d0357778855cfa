//! Claims, leases and fencing by attempt.

use std::collections::HashSet;

use auris_domain::job::JobStatus;
use auris_domain::machine::{Command, Loss, StepHold};
use auris_domain::money::Usd;
use auris_domain::step::StepStatus;
use auris_domain::usage::Usage;

use super::builders::{complete, idle_worker, new_job, run_of, value};
use super::on_both_databases;
use super::test_store::{NOW, TestStore};
use auris_store::StoreError;

on_both_databases! {
    async fn two_hundred_claimers_claim_every_step_once(test) {
        for _ in 0..40 {
            test.job(&[&[], &[], &[]]).await;
        }
        let claimers = (0..200).map(|number| {
            let store = test.store.clone();
            tokio::spawn(async move {
                let worker = format!("worker-{number}");
                store.claim_steps(idle_worker(&worker, 1000), 3).await.unwrap().steps
            })
        });
        let claimed: Vec<_> = futures::future::try_join_all(claimers).await.unwrap().into_iter().flatten().collect();
        let unique: HashSet<_> = claimed.iter().map(|claimed| claimed.step().id.clone()).collect();
        assert_eq!(unique.len(), claimed.len(), "no step is claimed twice");
        assert_eq!(unique.len(), 120, "every step is claimed");
        assert!(test.claim("last").await.is_empty());
    }

    async fn the_oldest_job_is_claimed_first(test) {
        let mut made = Vec::new();
        for age in [5, 1, 3] {
            let run = run_of(&test.project, &[&[]], NOW.plus_ms(age));
            made.push((age, run.job.id.clone()));
            test.store.create_job(new_job(run)).await.unwrap();
        }
        made.sort();
        for (_, id) in made {
            let claims = test.store.claim_steps(idle_worker("worker", 1000), 1).await.unwrap();
            assert_eq!(claims.steps[0].job().id, id);
        }
        assert!(test.claim("worker").await.is_empty());
    }

    async fn a_claim_starts_the_job_and_writes_its_events(test) {
        let id = test.job(&[&[], &[0]]).await;
        let claimed = test.claim("worker").await;
        assert_eq!(claimed.len(), 1);
        assert_eq!((claimed[0].step().attempt(), claimed[0].step().status()), (1, StepStatus::InProgress));
        assert_eq!(claimed[0].job().status(), JobStatus::InProgress);
        let kinds: Vec<&str> = test.store.read_events(&id, 0, 100).await.unwrap().iter()
            .map(|event| event.kind.as_str()).collect();
        assert_eq!(kinds, ["job.queued", "job.step.queued", "job.in_progress", "job.step.in_progress"]);
    }

    async fn a_late_finish_of_a_lost_lease_is_refused(test) {
        test.job(&[&[]]).await;
        let slow = test.claim("slow").await.remove(0);
        let late = test.prepare(slow.job_id(), complete(&slow)).await;
        let lost = test.store.steps_leased_until(NOW.plus_ms(60_000), 10).await.unwrap();
        assert_eq!((lost.len(), lost[0].0.hold.attempt()), (1, 1));
        let loss = Loss::Alone;
        test.apply(slow.job_id(), Command::Lose { hold: StepHold::from_stored(0, 1), loss }).await.unwrap();
        let quick = test.claim("quick").await.remove(0);
        assert_eq!(quick.step().attempt(), 2);
        assert!(matches!(test.store.commit_run(late).await, Err(StoreError::Conflict)));
        let mut run = test.store.load_run(slow.job_id()).await.unwrap().unwrap().run;
        assert!(run.apply(complete(&slow), NOW.timestamp()).is_err());
        test.complete(&quick).await.unwrap();
    }

    async fn a_finish_that_bypasses_the_state_machine_is_refused_by_the_database(test) {
        test.job(&[&[]]).await;
        let claimed = test.claim("worker").await.remove(0);
        let mut forged = test.prepare(claimed.job_id(), complete(&claimed)).await;
        let mut run = test.store.load_run(claimed.job_id()).await.unwrap().unwrap().run;
        run.apply(Command::HandBack { hold: claimed.hold() }, NOW.timestamp()).unwrap();
        run.apply(Command::Start { ordinal: 0 }, NOW.timestamp()).unwrap();
        let hold = StepHold::from_stored(0, 2);
        let finish = Command::Complete { hold, resolved_model: None, usage: Usage::NONE };
        forged.changes = run.apply(finish, NOW.timestamp()).unwrap();
        forged.run = run;
        assert!(matches!(test.store.commit_run(forged).await, Err(StoreError::Conflict)));
        assert_eq!(test.store.last_sequence(claimed.job_id()).await.unwrap(), 4);
    }

    async fn leases_are_renewed_for_steps_that_are_still_held(test) {
        let id = test.job(&[&[], &[]]).await;
        let claimed = test.claim("worker").await;
        test.claim("stranger").await;
        test.complete(&claimed[0]).await.unwrap();
        let held = test.store.renew_leases("worker", NOW.plus_ms(120_000)).await.unwrap();
        assert_eq!(held.len(), 1);
        assert_eq!((held[0].hold.ordinal(), held[0].hold.attempt(), held[0].job_status), (1, 1, JobStatus::InProgress));
        assert!(test.store.steps_leased_until(NOW.plus_ms(119_999), 10).await.unwrap().is_empty());
        assert_eq!(test.store.steps_leased_until(NOW.plus_ms(120_000), 10).await.unwrap().len(), 1);
        test.apply(&id, Command::Cancel).await.unwrap();
        let held = test.store.renew_leases("worker", NOW.plus_ms(120_000)).await.unwrap();
        assert_eq!(held[0].job_status, JobStatus::Cancelling);
    }

    async fn a_step_beyond_the_budget_is_skipped_in_the_claim(test) {
        let mut run = run_of(&test.project, &[&[], &[]], NOW);
        run.job.max_cost_usd = Some("0.6".parse::<Usd>().unwrap());
        let id = run.job.id.clone();
        test.store.create_job(new_job(run)).await.unwrap();
        let claimed = test.claim("worker").await;
        assert_eq!(claimed.len(), 1);
        let steps = test.store.steps(&test.project, &id).await.unwrap().unwrap().parse().unwrap();
        assert_eq!(steps[1].step.status(), StepStatus::Skipped);
    }

    async fn a_step_whose_skipping_would_end_the_job_is_left_to_the_worker(test) {
        let mut run = run_of(&test.project, &[&[]], NOW);
        run.job.max_cost_usd = Some("0.1".parse::<Usd>().unwrap());
        let id = run.job.id.clone();
        test.store.create_job(new_job(run)).await.unwrap();
        let claims = test.store.claim_steps(idle_worker("worker", 1000), 10).await.unwrap();
        assert!(claims.steps.is_empty());
        assert_eq!(claims.ending, [(id.clone(), 0)]);
        test.apply(&id, Command::Start { ordinal: 0 }).await.unwrap();
        let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.job.status(), JobStatus::Failed);
        let events = test.store.read_events(&id, 2, 10).await.unwrap();
        let first = value(&events[0].data);
        assert_eq!((&first["status"], &first["completed_at"]), (&"in_progress".into(), &serde_json::Value::Null));
        assert_eq!(value(&events.last().unwrap().data)["status"], "failed");
    }
}
