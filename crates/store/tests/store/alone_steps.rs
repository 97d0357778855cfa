//! Steps that must be run alone, because the process that ran them died.

use auris_domain::id::{JobId, ProjectId};
use auris_domain::machine::{ClaimedStep, Command, Loss};

use super::builders::{idle_worker, new_job, run_of};
use super::on_both_databases;
use super::test_store::{NOW, TestStore};
use auris_store::{Claims, StepWorker};

const LEASE: i64 = 60_000;

impl TestStore {
    /// Claims for a process that already runs this number of steps.
    async fn claim_beside(&self, running: usize, limit: u32) -> Claims {
        let worker = StepWorker { running, ..idle_worker("worker", LEASE) };
        self.store.claim_steps(worker, limit).await.unwrap()
    }

    /// Stores a job with one step.
    async fn job_at(&self, project: &ProjectId, ms: i64) -> JobId {
        let run = run_of(project, &[&[]], NOW.plus_ms(ms));
        let id = run.job.id.clone();
        self.store.create_job(new_job(run)).await.unwrap();
        id
    }

    /// Stores a job with one step that lost its worker while that ran nothing else.
    async fn lost_job_at(&self, project: &ProjectId, ms: i64) -> JobId {
        let id = self.job_at(project, ms).await;
        self.claim("mortal").await;
        self.lose_all().await;
        id
    }

    /// The leases of all running steps expire; returns how each step was lost.
    async fn lose_all(&self) -> Vec<Loss> {
        let lost = self.store.steps_leased_until(NOW.plus_ms(LEASE), 100).await.unwrap();
        for (step, _) in &lost {
            let command = Command::Lose { hold: step.hold, loss: step.loss };
            self.apply(&step.job_id, command).await.unwrap();
        }
        lost.into_iter().map(|(step, _)| step.loss).collect()
    }

    async fn complete_all(&self, claims: &Claims) {
        for claimed in &claims.steps {
            self.complete(claimed).await.unwrap();
        }
    }
}

fn jobs(claims: &Claims) -> Vec<JobId> {
    claims.steps.iter().map(|claimed| claimed.job_id().clone()).collect()
}

on_both_databases! {
    async fn steps_that_lose_their_worker_together_are_not_charged_and_are_then_claimed_one_by_one(test) {
        test.job(&[&[], &[]]).await;
        test.job_at(&test.project, 1).await;
        assert_eq!(test.claim("mortal").await.len(), 3);
        assert_eq!(test.lose_all().await, [Loss::Shared; 3]);
        for _ in 0..3 {
            let claims = test.claim_beside(0, 16).await;
            assert_eq!((claims.steps.len(), claims.is_alone()), (1, true));
            let step: &ClaimedStep = &claims.steps[0];
            assert_eq!((step.step().losses(), step.step().attempt()), (0, 2));
            test.complete_all(&claims).await;
        }
        assert!(test.claim_beside(0, 16).await.steps.is_empty());
    }

    async fn a_step_that_gets_company_later_is_lost_with_it(test) {
        test.job(&[&[]]).await;
        assert_eq!(test.claim_beside(0, 1).await.steps.len(), 1);
        let lost = test.store.steps_leased_until(NOW.plus_ms(LEASE), 9).await.unwrap();
        assert_eq!(lost[0].0.loss, Loss::Alone);
        test.job_at(&test.project, 1).await;
        let company = test.claim_beside(1, 1).await;
        assert_eq!(company.steps.len(), 1);
        // A companion that has ended still counts.
        test.complete_all(&company).await;
        assert_eq!(test.lose_all().await, [Loss::Shared]);
    }

    async fn company_in_an_earlier_attempt_does_not_count_for_a_later_one(test) {
        test.job(&[&[], &[]]).await;
        test.claim("mortal").await;
        test.lose_all().await;
        assert_eq!(test.claim_beside(0, 1).await.steps.len(), 1);
        assert_eq!(test.lose_all().await, [Loss::Alone]);
        let again = test.claim_beside(0, 1).await;
        assert_eq!(again.steps[0].step().losses(), 1);
    }

    async fn a_step_that_must_be_alone_waits_for_the_others_and_nothing_passes_it(test) {
        let alone = test.lost_job_at(&test.project, 0).await;
        let older = test.job_at(&test.project, -10).await;
        let newer = test.job_at(&test.project, 10).await;
        let claims = test.claim_beside(0, 16).await;
        assert_eq!((jobs(&claims), claims.alone_waits), (vec![older], true));
        for _ in 0..3 {
            let none = test.claim_beside(1, 16).await;
            assert_eq!((none.steps.len(), none.alone_waits), (0, true));
        }
        test.complete_all(&claims).await;
        let claims = test.claim_beside(0, 16).await;
        assert_eq!((jobs(&claims), claims.is_alone(), claims.alone_waits), (vec![alone], true, false));
        test.complete_all(&claims).await;
        assert_eq!(jobs(&test.claim_beside(0, 16).await), [newer]);
    }

    async fn other_projects_are_served_between_steps_that_must_be_alone(test) {
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        test.job(&[&[], &[]]).await;
        test.claim("mortal").await;
        test.lose_all().await;
        for ms in 0..8 {
            test.job_at(&other, ms).await;
        }
        let mut served = Vec::new();
        for _ in 0..5 {
            let claims = test.claim_beside(0, 4).await;
            served.push((claims.steps[0].job().project_id.clone(), claims.steps.len(), claims.alone_waits));
            test.complete_all(&claims).await;
        }
        let alone = (test.project.clone(), 1, false);
        let between = (other.clone(), 2, true);
        assert_eq!(served, [between.clone(), alone.clone(), between, alone, (other, 4, false)]);
    }

    async fn a_project_whose_step_must_be_alone_gets_no_extra_slot(test) {
        // Projects are served in the order of their ids, which are random here.
        let mut other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        for number in 0.. {
            if other > test.project {
                break;
            }
            other = test.store.create_project(&format!("other-{number}"), NOW).await.unwrap().unwrap().id;
        }
        test.lost_job_at(&test.project, 0).await;
        let behind = test.job_at(&other, 0).await;
        let busy = StepWorker { running: 1, ..idle_worker("worker", LEASE) };
        for served in [vec![behind], vec![]] {
            let claims = test.store.claim_for_idle_projects(busy, 1).await.unwrap();
            assert_eq!((jobs(&claims), claims.alone_waits), (served, false));
        }
    }
}
