//! Commits: all or nothing, and never over a concurrent change.

use auris_domain::job::JobStatus;
use auris_domain::machine::Command;
use auris_domain::money::Usd;
use auris_domain::usage::Usage;

use super::builders::{artifact_of, call_usage, complete, fail, held, keyed, step_events};
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};
use auris_store::{AudioProgress, Keyed, StoreError, SyncUsage};

fn synchronous(test: &TestStore) -> SyncUsage {
    call_usage(&test.project, "0.0000000001", NOW)
}

on_both_databases! {
    async fn of_two_concurrent_commits_one_succeeds_and_the_other_writes_nothing(test) {
        let id = test.job(&[&[], &[]]).await;
        let claimed = test.claim("worker").await;
        let mut late = test.prepare(&id, complete(&claimed[1])).await;
        late.artifacts.push(artifact_of(claimed[1].job()));
        test.complete(&claimed[0]).await.unwrap();
        let before = test.store.last_sequence(&id).await.unwrap();
        assert!(matches!(test.store.commit_run(late).await, Err(StoreError::Conflict)));
        assert_eq!(test.store.last_sequence(&id).await.unwrap(), before);
        assert!(test.store.artifacts_of(&id).await.unwrap().is_empty());
        assert_eq!(test.store.outputs(&id).await.unwrap().parse().unwrap().len(), 1);
        test.complete(&claimed[1]).await.unwrap();
        let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
        assert_eq!((stored.job.status(), stored.job.progress.percent), (JobStatus::Completed, 100));
    }

    async fn a_step_that_changed_since_it_was_loaded_rolls_its_job_back(test) {
        let id = test.job(&[&[], &[]]).await;
        let claimed = test.claim("worker").await;
        let commit = test.prepare(&id, complete(&claimed[0])).await;
        let version = commit.version;
        let last = test.store.last_sequence(&id).await.unwrap();
        test.sql("UPDATE steps SET attempt = 7 WHERE ordinal = 0", args![]).await;
        assert!(matches!(test.store.commit_run(commit).await, Err(StoreError::Conflict)));
        assert_eq!(test.store.load_run(&id).await.unwrap().unwrap().version, version);
        assert_eq!(test.store.last_sequence(&id).await.unwrap(), last);
        assert!(test.store.outputs(&id).await.unwrap().parse().unwrap().is_empty());
    }

    async fn a_job_ends_with_its_usage_and_every_step_is_booked_once(test) {
        let id = test.job(&[&[], &[0]]).await;
        let first = test.claim("worker").await.remove(0);
        test.complete(&first).await.unwrap();
        let second = test.claim("worker").await.remove(0);
        test.apply(&id, fail(&second)).await.unwrap();
        let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.job.status(), JobStatus::Failed);
        assert_eq!(stored.job.error().unwrap().code, "backend_error");
        let total: Usd = "0.35".parse().unwrap();
        assert_eq!(stored.job.usage().unwrap().cost_usd, total);
        assert_eq!(test.usage().await.cost_usd, total);
        assert_eq!(test.number("SELECT COUNT(*) AS n FROM ledger", args![]).await, 2);
    }

    async fn a_synchronous_call_is_booked_once_by_its_request(test) {
        let used = synchronous(test);
        test.store.record_sync_usage(&used, None).await.unwrap();
        test.store.record_sync_usage(&used, None).await.unwrap();
        let total = test.usage().await;
        assert_eq!(total, used.usage);
    }

    async fn a_ledger_entry_and_its_key_s_answer_are_written_together(test) {
        let (hold, answer) = held(&test.project, "one");
        test.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        let used = synchronous(test);
        test.store.record_sync_usage(&used, Some(&answer)).await.unwrap();
        assert_eq!(test.usage().await, used.usage);
        let known = test.store.lookup_key(&answer.scope, NOW).await.unwrap().unwrap();
        assert_eq!(known.answer.unwrap().body, answer.body);
    }

    async fn a_ledger_entry_under_a_lost_key_is_not_written(test) {
        let (lost, answer) = held(&test.project, "one");
        let (next, _) = held(&test.project, "two");
        test.store.reserve_key(&lost, NOW.plus_ms(1_000), NOW).await.unwrap();
        test.store.reserve_key(&next, NOW.plus_ms(9_000), NOW.plus_ms(1_000)).await.unwrap();
        let booked = test.store.record_sync_usage(&synchronous(test), Some(&answer)).await;
        assert!(matches!(booked, Err(StoreError::Conflict)));
        assert_eq!(test.usage().await, Usage::NONE);
    }

    async fn a_run_is_loaded_consistently_while_others_change_it(test) {
        let id = test.job(&[&[], &[], &[], &[], &[], &[]]).await;
        let claimed = test.claim("worker").await;
        let store = test.store.clone();
        let reader = tokio::spawn(async move {
            loop {
                let run = store.load_run(&id).await.unwrap().unwrap().run;
                let done = run.steps.iter().filter(|step| step.status().is_terminal()).count() as u64;
                assert_eq!(done, run.job.progress.completed_steps);
                if run.job.status().is_terminal() {
                    return;
                }
            }
        });
        for claimed in &claimed {
            test.complete(claimed).await.unwrap();
        }
        reader.await.unwrap();
    }

    async fn the_percentage_never_goes_down(test) {
        let id = test.job(&[&[], &[], &[]]).await;
        let claimed = test.claim("worker").await;
        let progress = |percent| Some(AudioProgress { percent, processed_seconds: Some(1.5), total_seconds: Some(3.0) });
        let commit = test.prepare(&id, complete(&claimed[0])).await;
        assert!(test.store.append_events(step_events(&id, (1, 1), vec![], progress(80))).await.unwrap());
        test.store.commit_run(commit).await.unwrap();
        assert!(test.store.append_events(step_events(&id, (1, 1), vec![], progress(20))).await.unwrap());
        let job = test.store.job(&test.project, &id).await.unwrap().unwrap().job;
        assert_eq!(job.progress.percent, 80);
        assert_eq!(job.progress.audio_seconds_processed, Some(1.5));
        assert!(test.store.append_events(step_events(&id, (1, 1), vec![], progress(100))).await.unwrap());
        let job = test.store.job(&test.project, &id).await.unwrap().unwrap().job;
        assert_eq!(job.progress.percent, 99);
    }

    async fn a_cancel_with_the_same_key_gets_the_same_answer(test) {
        let id = test.job(&[&[]]).await;
        let mut first = test.prepare(&id, Command::Cancel).await;
        first.idempotency = Some(keyed(&test.project, "cancel", "request"));
        assert_eq!(test.store.commit_run(first).await.unwrap(), Keyed::Done(()));
        let mut again = test.prepare(&id, Command::Cancel).await;
        again.result = None;
        again.idempotency = Some(keyed(&test.project, "cancel", "request"));
        assert!(matches!(test.store.commit_run(again.clone()).await.unwrap(), Keyed::Replayed(_)));
        again.idempotency = Some(keyed(&test.project, "cancel", "other"));
        assert_eq!(test.store.commit_run(again).await.unwrap(), Keyed::KeyReused);
        let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.job.status(), JobStatus::Cancelled);
    }

    async fn a_refused_commit_leaves_its_key_unused(test) {
        let id = test.job(&[&[]]).await;
        let mut stale = test.prepare(&id, Command::Cancel).await;
        stale.idempotency = Some(keyed(&test.project, "cancel", "request"));
        test.claim("worker").await;
        assert!(matches!(test.store.commit_run(stale.clone()).await, Err(StoreError::Conflict)));
        let scope = stale.idempotency.unwrap().scope;
        assert_eq!(test.store.lookup_key(&scope, NOW).await.unwrap(), None);
    }
}

/// A commit must not wait for the steps before it has its job: two commits could then wait for each other.
#[tokio::test]
async fn a_late_commit_conflicts_at_once_without_waiting_for_a_step() {
    let test = TestStore::postgres().await;
    let id = test.job(&[&[], &[]]).await;
    let claimed = test.claim("worker").await;
    let late = test.prepare(&id, complete(&claimed[1])).await;
    test.complete(&claimed[0]).await.unwrap();
    let mut rival = test.postgres_pool().begin().await.unwrap();
    let lock = "UPDATE steps SET losses = losses WHERE ordinal = 1";
    sqlx::query(lock).execute(&mut *rival).await.unwrap();
    assert!(matches!(test.store.commit_run(late).await, Err(StoreError::Conflict)));
    rival.rollback().await.unwrap();
    test.close().await;
}
