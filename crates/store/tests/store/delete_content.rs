//! Deleting, expiring and purging.

use std::collections::HashMap;

use auris_domain::artifact::ArtifactStatus;
use auris_domain::event::EventType;
use auris_domain::id::ArtifactId;
use auris_domain::time::Timestamp;
use auris_domain::wire::JsonText;
use serde_json::json;

use super::builders::{artifact_of, complete, keyed, step_events};
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};
use auris_store::{ArtifactDeletion, DeleteOutcome, NewEvent};

/// Later than every artifact of the tests.
const LATER: Timestamp = Timestamp(i64::MAX);

const EVERYTHING: [&str; 6] = [
    "SELECT COUNT(*) AS n FROM jobs",
    "SELECT COUNT(*) AS n FROM steps",
    "SELECT COUNT(*) AS n FROM events",
    "SELECT COUNT(*) AS n FROM artifacts",
    "SELECT COUNT(*) AS n FROM step_outputs",
    "SELECT COUNT(*) AS n FROM deliveries",
];

on_both_databases! {
    async fn deleting_content_keeps_the_record(test) {
        let id = test.job(&[&[]]).await;
        let claimed = test.claim("worker").await.remove(0);
        let segment = NewEvent { kind: EventType::TranscriptSegment, step_id: None, data: JsonText::of(&json!({"text": "hush"})) };
        test.store.append_events(step_events(&id, (0, 1), vec![segment], None)).await.unwrap();
        let mut commit = test.prepare(&id, complete(&claimed)).await;
        let artifact = artifact_of(claimed.job());
        commit.artifacts.push(artifact.clone());
        test.store.commit_run(commit).await.unwrap();

        let later = NOW.plus_ms(5_000);
        let outcome = test.store.delete_content(&test.project, &id, later, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(outcome, DeleteOutcome::Deleted(vec![artifact.blob_key.clone()]));
        let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.result, None);
        assert_eq!(stored.job.result_deleted_at, Some(later.timestamp()));
        assert!(stored.job.usage().is_some());
        assert_eq!(test.store.job_request(&id).await.unwrap(), None);
        let step = test.store.steps(&test.project, &id).await.unwrap().unwrap().parse().unwrap().remove(0);
        assert_eq!((step.output, step.response), (None, None));
        assert_eq!(test.number("SELECT COUNT(*) AS n FROM steps WHERE spec <> '{}'", args![]).await, 0);
        let kept = test.store.artifact(&test.project, &artifact.id).await.unwrap().unwrap();
        assert_eq!(kept.status, ArtifactStatus::Deleted);
        let events = test.store.read_events(&id, 0, 100).await.unwrap();
        let segment = events.iter().find(|event| event.kind == EventType::TranscriptSegment).unwrap();
        assert_eq!(segment.data.as_str(), "{}");
    }

    async fn deleting_again_keeps_the_time_of_the_first_deletion(test) {
        let id = test.finished_job().await;
        for age in [0, 9_000] {
            let outcome = test.store.delete_content(&test.project, &id, NOW.plus_ms(age), ArtifactStatus::Deleted).await;
            assert_eq!(outcome.unwrap(), DeleteOutcome::Deleted(vec![]));
        }
        let stored = test.store.job(&test.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.job.result_deleted_at, Some(NOW.timestamp()));
    }

    async fn only_the_owner_of_a_finished_job_can_delete(test) {
        let id = test.job(&[&[]]).await;
        let outcome = test.store.delete_content(&test.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(outcome, DeleteOutcome::NotFinished);
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        let outcome = test.store.delete_content(&other, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(outcome, DeleteOutcome::NotFound);
    }

    async fn a_stored_answer_loses_its_content_and_keeps_its_key(test) {
        let id = test.finished_job().await;
        let mut cancel = test.prepare(&id, auris_domain::machine::Command::Cancel).await;
        cancel.result = None;
        let mut answer = keyed(&test.project, "cancel", "request");
        answer.body = "{\"result\": \"the whole\"}".into();
        cancel.idempotency = Some(answer.clone());
        test.store.commit_run(cancel).await.unwrap();
        test.store.delete_content(&test.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        let known = test.store.lookup_key(&answer.scope, NOW).await.unwrap().unwrap();
        let body: serde_json::Value = serde_json::from_str(&known.answer.unwrap().body).unwrap();
        assert_eq!((&body["id"], &body["result"]), (&json!(id), &json!(null)));
    }

    async fn the_answer_of_a_held_key_is_kept_until_its_content_is_deleted(test) {
        for deleted_before in [false, true] {
            let (id, hold) = test.held_job(&deleted_before.to_string(), NOW.plus_ms(1_000)).await;
            for claimed in test.claim("worker").await {
                test.complete(&claimed).await.unwrap();
            }
            let delete = || test.store.delete_content(&test.project, &id, NOW, ArtifactStatus::Deleted);
            if deleted_before {
                delete().await.unwrap();
            }
            let whole = "{\"result\": \"the whole\"}";
            test.store.answer_held_key(&hold, whole, &id).await.unwrap();
            let known = || async { test.store.lookup_key(&hold.scope, NOW).await.unwrap().unwrap() };
            assert_eq!(known().await.lease_until, None);
            assert_eq!(known().await.answer.unwrap().body == whole, !deleted_before);
            delete().await.unwrap();
            assert!(!known().await.answer.unwrap().body.contains("the whole"));
            assert_eq!(test.store.sweep_keys(NOW.plus_ms(2 * 86_400_000), 100).await.unwrap(), 1);
        }
    }

    async fn an_artifact_is_deleted_by_its_owner_once(test) {
        let id = test.job(&[&[]]).await;
        let claimed = test.claim("worker").await.remove(0);
        let mut commit = test.prepare(&id, complete(&claimed)).await;
        let artifact = artifact_of(claimed.job());
        commit.artifacts.push(artifact.clone());
        test.store.commit_run(commit).await.unwrap();
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert_eq!(test.store.delete_artifact(&other, &artifact.id).await.unwrap(), ArtifactDeletion::NotFound);
        let ids = [artifact.id.clone(), ArtifactId::generate(NOW)];
        let statuses = test.store.artifact_statuses(&ids).await.unwrap();
        assert_eq!(statuses, HashMap::from([(artifact.id.clone(), ArtifactStatus::Available)]));
        assert_eq!(test.store.recent_blob_keys(1, LATER).await.unwrap(), [artifact.blob_key.as_str()]);
        assert!(test.store.recent_blob_keys(1, artifact.created_at).await.unwrap().is_empty());
        assert!(test.store.knows_artifact(&ids, LATER).await.unwrap());
        assert!(!test.store.knows_artifact(&ids, artifact.created_at).await.unwrap());
        let available = test.store.available_artifacts(None, 10).await.unwrap();
        assert_eq!(available, std::slice::from_ref(&artifact));
        assert!(test.store.available_artifacts(Some(&artifact.id), 10).await.unwrap().is_empty());
        let deleted = test.store.delete_artifact(&test.project, &artifact.id).await.unwrap();
        assert_eq!(deleted, ArtifactDeletion::Deleted(artifact.blob_key));
        let again = test.store.delete_artifact(&test.project, &artifact.id).await.unwrap();
        assert_eq!(again, ArtifactDeletion::AlreadyGone);
        let statuses = test.store.artifact_statuses(&ids).await.unwrap();
        assert_eq!(statuses, HashMap::from([(artifact.id, ArtifactStatus::Deleted)]));
        assert!(test.store.available_artifacts(None, 10).await.unwrap().is_empty());
        assert!(test.store.recent_blob_keys(1, LATER).await.unwrap().is_empty());
    }

    async fn only_finished_jobs_expire(test) {
        let finished = test.finished_job().await;
        test.job(&[&[]]).await;
        let expiry = NOW.plus_ms(30 * 86_400_000);
        assert!(test.store.expired_jobs(expiry.plus_ms(-1_000), 10).await.unwrap().is_empty());
        let expired = test.store.expired_jobs(expiry, 10).await.unwrap();
        assert_eq!(expired, [(test.project.clone(), finished.clone())]);
        test.store.delete_content(&test.project, &finished, expiry, ArtifactStatus::Expired).await.unwrap();
        assert!(test.store.expired_jobs(expiry, 10).await.unwrap().is_empty());
    }

    async fn old_records_are_purged_in_batches_with_everything_that_refers_to_them(test) {
        for _ in 0..5 {
            test.finished_job().await;
        }
        let past = Timestamp(i64::MAX);
        assert_eq!(test.store.purge_jobs(past, 2).await.unwrap(), 0, "a record with content is not purged");
        for (project, id) in test.store.expired_jobs(NOW.plus_ms(400 * 86_400_000), 10).await.unwrap() {
            test.store.delete_content(&project, &id, NOW, ArtifactStatus::Expired).await.unwrap();
        }
        assert_eq!(test.store.purge_jobs(NOW.timestamp(), 2).await.unwrap(), 0);
        for purged in [2, 2, 1, 0] {
            assert_eq!(test.store.purge_jobs(past, 2).await.unwrap(), purged);
        }
        for table in EVERYTHING {
            assert_eq!(test.number(table, args![]).await, 0, "{table}");
        }
        assert_eq!(test.number("SELECT COUNT(*) AS n FROM ledger", args![]).await, 5);
    }
}

/// Moves everything from SQLite's write-ahead log into its file.
fn checkpoint(path: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
}

/// Deleted content must not remain in the file's free pages or in its log.
#[tokio::test]
async fn deleted_words_are_no_longer_in_the_sqlite_file() {
    let test = TestStore::sqlite().await;
    let id = test.finished_job().await;
    let path = test.settings.url.strip_prefix("sqlite:").unwrap().to_owned();
    let contains = |needle: &str| {
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
    };
    checkpoint(&path);
    assert!(contains("the whole") && contains("secret words"));
    test.store.delete_content(&test.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
    checkpoint(&path);
    assert!(!contains("the whole") && !contains("secret words"));
    test.close().await;
}
