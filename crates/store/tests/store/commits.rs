//! Commits: all of it or nothing, and never over somebody else's.

use auris_domain::id::RequestId;
use auris_domain::job::JobStatus;
use auris_domain::machine::Command;
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::usage::Usage;

use super::bed::{Bed, NOW};
use super::build::{artifact_of, complete, fail, held, keyed, usage};
use super::on_both;
use crate::sql::database::args;
use crate::sql::statements::Statement;
use crate::{AudioProgress, CommitOutcome, StoreError, SyncUsage};

fn synchronous(bed: &Bed) -> SyncUsage {
    SyncUsage {
        request_id: RequestId::generate(NOW),
        project_id: bed.project.clone(),
        model: "model".into(),
        capability: Capability::Transcription,
        usage: usage("0.0000000001"),
        held: false,
        now: NOW,
    }
}

on_both! {
    async fn of_two_rivals_one_commits_and_the_other_wrote_nothing(bed) {
        let id = bed.job(&[&[], &[]]).await;
        let claimed = bed.claim("worker").await;
        let mut late = bed.prepare(&id, complete(&claimed[1])).await;
        late.artifacts.push(artifact_of(&claimed[1].job));
        bed.complete(&claimed[0]).await.unwrap();
        let before = bed.store.last_sequence(&id).await.unwrap();
        assert!(matches!(bed.store.commit_run(late).await, Err(StoreError::Conflict)));
        assert_eq!(bed.store.last_sequence(&id).await.unwrap(), before);
        assert!(bed.store.artifacts_of(&id).await.unwrap().is_empty());
        assert_eq!(bed.store.outputs(&id).await.unwrap().len(), 1);
        bed.complete(&claimed[1]).await.unwrap();
        let stored = bed.store.job(&bed.project, &id).await.unwrap().unwrap();
        assert_eq!((stored.job.status, stored.job.progress.percent), (JobStatus::Completed, 100));
    }

    async fn a_step_that_is_not_where_it_was_loaded_takes_its_job_s_move_back(bed) {
        let id = bed.job(&[&[], &[]]).await;
        let claimed = bed.claim("worker").await;
        let commit = bed.prepare(&id, complete(&claimed[0])).await;
        let (version, last) = (commit.version, bed.store.last_sequence(&id).await.unwrap());
        bed.sql("UPDATE steps SET attempt = 7 WHERE ordinal = 0", args![]).await;
        assert!(matches!(bed.store.commit_run(commit).await, Err(StoreError::Conflict)));
        assert_eq!(bed.store.load_run(&id).await.unwrap().unwrap().version, version);
        assert_eq!(bed.store.last_sequence(&id).await.unwrap(), last);
        assert!(bed.store.outputs(&id).await.unwrap().is_empty());
    }

    async fn a_job_ends_with_its_usage_and_every_step_is_booked_once(bed) {
        let id = bed.job(&[&[], &[0]]).await;
        let first = bed.claim("worker").await.remove(0);
        bed.complete(&first).await.unwrap();
        let second = bed.claim("worker").await.remove(0);
        bed.apply(&id, fail(&second)).await.unwrap();
        let stored = bed.store.job(&bed.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.job.status, JobStatus::Failed);
        assert_eq!(stored.job.error.unwrap().code, "backend_error");
        let total: Usd = "0.35".parse().unwrap();
        assert_eq!(stored.job.usage.unwrap().cost_usd, total);
        assert_eq!(bed.store.usage_of(&bed.project).await.unwrap().cost_usd, total);
        assert_eq!(bed.number("SELECT COUNT(*) AS n FROM ledger", args![]).await, 2);
    }

    async fn a_synchronous_call_is_booked_once_by_its_request(bed) {
        let used = synchronous(bed);
        bed.store.record_sync_usage(&used, None).await.unwrap();
        bed.store.record_sync_usage(&used, None).await.unwrap();
        let total = bed.store.usage_of(&bed.project).await.unwrap();
        assert_eq!(total, used.usage);
    }

    async fn a_booking_and_its_key_s_answer_are_written_together(bed) {
        let (hold, answer) = held(&bed.project, "one");
        bed.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        let used = synchronous(bed);
        bed.store.record_sync_usage(&used, Some(&answer)).await.unwrap();
        assert_eq!(bed.store.usage_of(&bed.project).await.unwrap(), used.usage);
        let known = bed.store.lookup_key(&answer.scope, NOW).await.unwrap().unwrap();
        assert_eq!(known.answer.unwrap().body, answer.body);
    }

    async fn a_booking_under_a_lost_key_is_not_written(bed) {
        let ((lost, answer), (next, _)) = (held(&bed.project, "one"), held(&bed.project, "two"));
        bed.store.reserve_key(&lost, NOW.plus_ms(1_000), NOW).await.unwrap();
        bed.store.reserve_key(&next, NOW.plus_ms(9_000), NOW.plus_ms(1_000)).await.unwrap();
        let booked = bed.store.record_sync_usage(&synchronous(bed), Some(&answer)).await;
        assert!(matches!(booked, Err(StoreError::Conflict)));
        assert_eq!(bed.store.usage_of(&bed.project).await.unwrap(), Usage::NONE);
    }

    async fn a_run_is_loaded_whole_while_others_move_it(bed) {
        let id = bed.job(&[&[], &[], &[], &[], &[], &[]]).await;
        let claimed = bed.claim("worker").await;
        let (store, read) = (bed.store.clone(), id.clone());
        let reader = tokio::spawn(async move {
            loop {
                let run = store.load_run(&read).await.unwrap().unwrap().run;
                let done = run.steps.iter().filter(|step| step.status.is_terminal()).count() as u64;
                assert_eq!(done, run.job.progress.completed_steps);
                if run.job.status.is_terminal() {
                    return;
                }
            }
        });
        for claimed in &claimed {
            bed.complete(claimed).await.unwrap();
        }
        reader.await.unwrap();
    }

    async fn the_percentage_never_goes_down(bed) {
        let id = bed.job(&[&[], &[], &[]]).await;
        let claimed = bed.claim("worker").await;
        let progress = |percent| Some(AudioProgress { percent, processed_seconds: Some(1.5), total_seconds: Some(3.0) });
        let commit = bed.prepare(&id, complete(&claimed[0])).await;
        assert!(bed.store.append_events(&id, (1, 1), vec![], progress(80), NOW).await.unwrap());
        bed.store.commit_run(commit).await.unwrap();
        assert!(bed.store.append_events(&id, (1, 1), vec![], progress(20), NOW).await.unwrap());
        let job = bed.store.job(&bed.project, &id).await.unwrap().unwrap().job;
        assert_eq!(job.progress.percent, 80);
        assert_eq!(job.progress.audio_seconds_processed, Some(1.5));
        assert!(bed.store.append_events(&id, (1, 1), vec![], progress(100), NOW).await.unwrap());
        let job = bed.store.job(&bed.project, &id).await.unwrap().unwrap().job;
        assert_eq!(job.progress.percent, 99);
    }

    async fn a_cancel_with_a_key_is_answered_the_same_again(bed) {
        let id = bed.job(&[&[]]).await;
        let mut first = bed.prepare(&id, Command::Cancel).await;
        first.idempotency = Some(keyed(&bed.project, "cancel", "request"));
        assert_eq!(bed.store.commit_run(first).await.unwrap(), CommitOutcome::Committed);
        let mut again = bed.prepare(&id, Command::Cancel).await;
        again.result = None;
        again.idempotency = Some(keyed(&bed.project, "cancel", "request"));
        assert!(matches!(bed.store.commit_run(again.clone()).await.unwrap(), CommitOutcome::Replayed(_)));
        again.idempotency = Some(keyed(&bed.project, "cancel", "other"));
        assert_eq!(bed.store.commit_run(again).await.unwrap(), CommitOutcome::KeyReused);
        let stored = bed.store.job(&bed.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.job.status, JobStatus::Cancelled);
    }

    async fn a_refused_commit_leaves_its_key_free(bed) {
        let id = bed.job(&[&[]]).await;
        let mut stale = bed.prepare(&id, Command::Cancel).await;
        stale.idempotency = Some(keyed(&bed.project, "cancel", "request"));
        bed.claim("worker").await;
        assert!(matches!(bed.store.commit_run(stale.clone()).await, Err(StoreError::Conflict)));
        let scope = stale.idempotency.unwrap().scope;
        assert_eq!(bed.store.lookup_key(&scope, NOW).await.unwrap(), None);
    }
}

/// Its steps belong to whoever holds the job now: to wait for them could be to wait for each other.
#[tokio::test]
async fn a_late_commit_is_told_so_at_once_and_waits_for_no_step() {
    let bed = Bed::postgres().await;
    let id = bed.job(&[&[], &[]]).await;
    let claimed = bed.claim("worker").await;
    let late = bed.prepare(&id, complete(&claimed[1])).await;
    bed.complete(&claimed[0]).await.unwrap();
    let hold = "UPDATE steps SET losses = losses WHERE ordinal = 1";
    let hold = Statement { sqlite: hold, postgres: hold };
    let mut rival = bed.store.database().begin().await.unwrap();
    rival.write(&hold, args![]).await.unwrap();
    assert!(matches!(bed.store.commit_run(late).await, Err(StoreError::Conflict)));
    rival.rollback().await.unwrap();
    bed.close().await;
}
