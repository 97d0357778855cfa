//! Claims, leases and the fence.

use std::collections::HashSet;

use auris_domain::job::JobStatus;
use auris_domain::machine::Command;
use auris_domain::money::Usd;
use auris_domain::step::StepStatus;

use super::bed::{Bed, NOW};
use super::build::{complete, new_job, run_of};
use super::on_both;
use crate::StoreError;

on_both! {
    async fn two_hundred_claimers_never_claim_twice(bed) {
        for _ in 0..40 {
            bed.job(&[&[], &[], &[]]).await;
        }
        let claimers = (0..200).map(|number| {
            let store = bed.store.clone();
            tokio::spawn(async move {
                let worker = format!("worker-{number}");
                store.claim_steps(&worker, 3, NOW, NOW.plus_ms(1000)).await.unwrap().steps
            })
        });
        let claimed: Vec<_> = futures::future::try_join_all(claimers).await.unwrap().concat();
        let mut unique: HashSet<_> = claimed.iter().map(|claimed| claimed.step.id.clone()).collect();
        assert_eq!(unique.len(), claimed.len());
        unique.extend(bed.claim("last").await.into_iter().map(|claimed| claimed.step.id));
        assert_eq!(unique.len(), 120);
    }

    async fn the_oldest_job_is_served_first(bed) {
        let mut made = Vec::new();
        for age in [5, 1, 3] {
            let run = run_of(&bed.project, &[&[]], NOW.plus_ms(age));
            made.push((age, run.job.id.clone()));
            bed.store.create_job(new_job(run)).await.unwrap();
        }
        made.sort();
        for (_, id) in made {
            let claims = bed.store.claim_steps("worker", 1, NOW, NOW.plus_ms(1000)).await.unwrap();
            assert_eq!(claims.steps[0].job.id, id);
        }
        assert!(bed.claim("worker").await.is_empty());
    }

    async fn a_claim_starts_the_job_and_tells_of_it(bed) {
        let id = bed.job(&[&[], &[0]]).await;
        let claimed = bed.claim("worker").await;
        assert_eq!(claimed.len(), 1);
        assert_eq!((claimed[0].step.attempt, claimed[0].step.status), (1, StepStatus::InProgress));
        assert_eq!(claimed[0].job.status, JobStatus::InProgress);
        let kinds: Vec<&str> = bed.store.read_events(&id, 0, 100).await.unwrap().iter()
            .map(|event| event.kind.as_str()).collect();
        assert_eq!(kinds, ["job.queued", "job.step.queued", "job.in_progress", "job.step.in_progress"]);
    }

    async fn a_late_finish_of_a_lost_lease_is_refused(bed) {
        bed.job(&[&[]]).await;
        let slow = bed.claim("slow").await.remove(0);
        let late = bed.prepare(&slow.job.id, complete(&slow)).await;
        let lost = bed.store.lost_steps(NOW.plus_ms(60_000), 10).await.unwrap();
        assert_eq!((lost.len(), lost[0].attempt), (1, 1));
        bed.apply(&slow.job.id, Command::Lose { ordinal: 0, attempt: 1 }).await.unwrap();
        let quick = bed.claim("quick").await.remove(0);
        assert_eq!(quick.step.attempt, 2);
        assert!(matches!(bed.store.commit_run(late).await, Err(StoreError::Conflict)));
        let mut run = bed.store.load_run(&slow.job.id).await.unwrap().unwrap().run;
        assert!(run.apply(complete(&slow), NOW.timestamp()).is_err());
        bed.complete(&quick).await.unwrap();
    }

    async fn a_finish_that_skips_the_machine_is_stopped_by_the_database(bed) {
        bed.job(&[&[]]).await;
        let claimed = bed.claim("worker").await.remove(0);
        let mut forged = bed.prepare(&claimed.job.id, complete(&claimed)).await;
        forged.run.steps[0].attempt = 7;
        assert!(matches!(bed.store.commit_run(forged).await, Err(StoreError::Conflict)));
        assert_eq!(bed.store.last_sequence(&claimed.job.id).await.unwrap(), 4);
    }

    async fn leases_are_renewed_for_what_is_still_held(bed) {
        let id = bed.job(&[&[], &[]]).await;
        let claimed = bed.claim("worker").await;
        bed.claim("stranger").await;
        bed.complete(&claimed[0]).await.unwrap();
        let later = NOW.plus_ms(50_000);
        let held = bed.store.renew_leases("worker", later, NOW.plus_ms(120_000)).await.unwrap();
        assert_eq!(held.len(), 1);
        assert_eq!((held[0].ordinal, held[0].attempt, held[0].job_status), (1, 1, JobStatus::InProgress));
        assert!(bed.store.lost_steps(NOW.plus_ms(119_999), 10).await.unwrap().is_empty());
        assert_eq!(bed.store.lost_steps(NOW.plus_ms(120_000), 10).await.unwrap().len(), 1);
        bed.apply(&id, Command::Cancel).await.unwrap();
        let held = bed.store.renew_leases("worker", later, NOW.plus_ms(120_000)).await.unwrap();
        assert_eq!(held[0].job_status, JobStatus::Cancelling);
    }

    async fn a_step_beyond_the_budget_is_skipped_in_the_claim(bed) {
        let mut run = run_of(&bed.project, &[&[], &[]], NOW);
        run.job.max_cost_usd = Some("0.6".parse::<Usd>().unwrap());
        let id = run.job.id.clone();
        bed.store.create_job(new_job(run)).await.unwrap();
        let claimed = bed.claim("worker").await;
        assert_eq!(claimed.len(), 1);
        let steps = bed.store.steps(&bed.project, &id).await.unwrap().unwrap();
        assert_eq!(steps[1].step.status, StepStatus::Skipped);
    }

    async fn a_budget_that_would_end_the_job_is_left_to_the_runner(bed) {
        let mut run = run_of(&bed.project, &[&[]], NOW);
        run.job.max_cost_usd = Some("0.1".parse::<Usd>().unwrap());
        let id = run.job.id.clone();
        bed.store.create_job(new_job(run)).await.unwrap();
        let claims = bed.store.claim_steps("worker", 10, NOW, NOW.plus_ms(1000)).await.unwrap();
        assert!(claims.steps.is_empty());
        assert_eq!(claims.ending, [(id.clone(), 0)]);
        bed.apply(&id, Command::Start { ordinal: 0 }).await.unwrap();
        let stored = bed.store.job(&bed.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.job.status, JobStatus::Failed);
        let events = bed.store.read_events(&id, 2, 10).await.unwrap();
        assert_eq!(events[0].data["status"], "in_progress");
        assert_eq!(events[0].data["completed_at"], serde_json::Value::Null);
        assert_eq!(events.last().unwrap().data["status"], "failed");
    }
}
