//! Deleting, expiring and purging.

use auris_domain::artifact::ArtifactStatus;
use auris_domain::event::EventType;
use auris_domain::time::Timestamp;
use serde_json::json;

use super::bed::{Bed, NOW};
use super::build::{artifact_of, complete, held, keyed};
use super::on_both;
use crate::sql::database::args;
use crate::{DeleteOutcome, NewEvent};

const EVERYTHING: [&str; 6] = [
    "SELECT COUNT(*) AS n FROM jobs",
    "SELECT COUNT(*) AS n FROM steps",
    "SELECT COUNT(*) AS n FROM events",
    "SELECT COUNT(*) AS n FROM artifacts",
    "SELECT COUNT(*) AS n FROM step_outputs",
    "SELECT COUNT(*) AS n FROM deliveries",
];

on_both! {
    async fn deleted_content_is_gone_and_the_record_stays(bed) {
        let id = bed.job(&[&[]]).await;
        let claimed = bed.claim("worker").await.remove(0);
        let said = NewEvent { kind: EventType::TranscriptSegment, step_id: None, data: json!({"text": "hush"}) };
        bed.store.append_events(&id, (0, 1), vec![said], None, NOW).await.unwrap();
        let mut commit = bed.prepare(&id, complete(&claimed)).await;
        let artifact = artifact_of(&claimed.job);
        commit.artifacts.push(artifact.clone());
        bed.store.commit_run(commit).await.unwrap();

        let later = NOW.plus_ms(5_000);
        let outcome = bed.store.delete_content(&bed.project, &id, later, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(outcome, DeleteOutcome::Deleted(vec![artifact.blob_key.clone()]));
        let stored = bed.store.job(&bed.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.result, None);
        assert_eq!(stored.job.result_deleted_at, Some(later.timestamp()));
        assert!(stored.job.usage.is_some());
        assert_eq!(bed.store.job_request(&id).await.unwrap(), None);
        let step = bed.store.steps(&bed.project, &id).await.unwrap().unwrap().remove(0);
        assert_eq!((step.output, step.response, step.step.spec), (None, None, json!({})));
        let kept = bed.store.artifact(&bed.project, &artifact.id).await.unwrap().unwrap();
        assert_eq!(kept.status, ArtifactStatus::Deleted);
        let events = bed.store.read_events(&id, 0, 100).await.unwrap();
        let said = events.iter().find(|event| event.kind == EventType::TranscriptSegment).unwrap();
        assert_eq!(said.data, json!({}));
    }

    async fn deleting_twice_is_fine_and_the_first_time_stays(bed) {
        let id = bed.finished_job().await;
        for age in [0, 9_000] {
            let outcome = bed.store.delete_content(&bed.project, &id, NOW.plus_ms(age), ArtifactStatus::Deleted).await;
            assert_eq!(outcome.unwrap(), DeleteOutcome::Deleted(vec![]));
        }
        let stored = bed.store.job(&bed.project, &id).await.unwrap().unwrap();
        assert_eq!(stored.job.result_deleted_at, Some(NOW.timestamp()));
    }

    async fn only_the_owner_of_a_finished_job_can_delete(bed) {
        let id = bed.job(&[&[]]).await;
        let outcome = bed.store.delete_content(&bed.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(outcome, DeleteOutcome::NotFinished);
        let other = bed.store.create_project("other", NOW).await.unwrap().unwrap().id;
        let outcome = bed.store.delete_content(&other, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(outcome, DeleteOutcome::NotFound);
    }

    async fn a_remembered_answer_loses_the_content_it_shows_and_keeps_its_key(bed) {
        let id = bed.finished_job().await;
        let mut cancel = bed.prepare(&id, auris_domain::machine::Command::Cancel).await;
        cancel.result = None;
        let mut answer = keyed(&bed.project, "cancel", "request");
        answer.body = "{\"result\": \"the whole\"}".into();
        cancel.idempotency = Some(answer.clone());
        bed.store.commit_run(cancel).await.unwrap();
        bed.store.delete_content(&bed.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        bed.store.amend_key(&answer, &id).await.unwrap();
        let known = bed.store.lookup_key(&answer.scope, NOW).await.unwrap().unwrap();
        let body: serde_json::Value = serde_json::from_str(&known.answer.unwrap().body).unwrap();
        assert_eq!((&body["id"], &body["result"]), (&json!(id), &json!(null)));
    }

    async fn an_amended_answer_is_told_until_the_content_goes(bed) {
        let id = bed.finished_job().await;
        let (hold, mut answer) = held(&bed.project, "one");
        bed.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        bed.store.fulfil_key(&answer, NOW).await.unwrap();
        answer.body = "{\"result\": \"the whole\"}".into();
        bed.store.amend_key(&answer, &id).await.unwrap();
        let body = || async { bed.store.lookup_key(&answer.scope, NOW).await.unwrap().unwrap().answer.unwrap().body };
        assert_eq!(body().await, answer.body);
        bed.store.delete_content(&bed.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        assert!(!body().await.contains("the whole"));
    }

    async fn an_artifact_is_deleted_by_its_owner_once(bed) {
        let id = bed.job(&[&[]]).await;
        let claimed = bed.claim("worker").await.remove(0);
        let mut commit = bed.prepare(&id, complete(&claimed)).await;
        let artifact = artifact_of(&claimed.job);
        commit.artifacts.push(artifact.clone());
        bed.store.commit_run(commit).await.unwrap();
        let other = bed.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert_eq!(bed.store.delete_artifact(&other, &artifact.id, NOW).await.unwrap(), None);
        assert_eq!(bed.store.artifact_exists(std::slice::from_ref(&artifact.id)).await.unwrap().len(), 1);
        let deleted = bed.store.delete_artifact(&bed.project, &artifact.id, NOW).await.unwrap();
        assert_eq!(deleted, Some(Some(artifact.blob_key)));
        assert_eq!(bed.store.delete_artifact(&bed.project, &artifact.id, NOW).await.unwrap(), Some(None));
        assert!(bed.store.artifact_exists(&[artifact.id]).await.unwrap().is_empty());
    }

    async fn only_finished_jobs_past_their_time_expire(bed) {
        let finished = bed.finished_job().await;
        bed.job(&[&[]]).await;
        let expiry = NOW.plus_ms(30 * 86_400_000);
        assert!(bed.store.expired_jobs(expiry.plus_ms(-1_000), 10).await.unwrap().is_empty());
        let expired = bed.store.expired_jobs(expiry, 10).await.unwrap();
        assert_eq!(expired, [(bed.project.clone(), finished.clone())]);
        bed.store.delete_content(&bed.project, &finished, expiry, ArtifactStatus::Expired).await.unwrap();
        assert!(bed.store.expired_jobs(expiry, 10).await.unwrap().is_empty());
    }

    async fn old_records_are_purged_in_bites_with_all_that_hangs_on_them(bed) {
        for _ in 0..5 {
            bed.finished_job().await;
        }
        let past = Timestamp(i64::MAX);
        assert_eq!(bed.store.purge_jobs(past, 2).await.unwrap(), 0, "content that is still there keeps its record");
        for (project, id) in bed.store.expired_jobs(NOW.plus_ms(400 * 86_400_000), 10).await.unwrap() {
            bed.store.delete_content(&project, &id, NOW, ArtifactStatus::Expired).await.unwrap();
        }
        assert_eq!(bed.store.purge_jobs(NOW.timestamp(), 2).await.unwrap(), 0);
        let bites = [2, 2, 1, 0];
        for bite in bites {
            assert_eq!(bed.store.purge_jobs(past, 2).await.unwrap(), bite);
        }
        for table in EVERYTHING {
            assert_eq!(bed.number(table, args![]).await, 0, "{table}");
        }
        assert_eq!(bed.number("SELECT COUNT(*) AS n FROM ledger", args![]).await, 5);
    }
}

/// Moves everything from SQLite's log into its file.
async fn checkpoint(path: &str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await.unwrap();
    sqlx::Connection::close(connection).await.unwrap();
}

/// What was deleted must not be left in the file's free pages or in its log.
#[tokio::test]
async fn deleted_words_are_not_in_the_sqlite_file_any_more() {
    let bed = Bed::sqlite().await;
    let id = bed.finished_job().await;
    let path = bed.settings.url.strip_prefix("sqlite:").unwrap().to_owned();
    let holds = |needle: &str| {
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
    };
    checkpoint(&path).await;
    assert!(holds("the whole") && holds("secret words"));
    bed.store.delete_content(&bed.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
    checkpoint(&path).await;
    assert!(!holds("the whole") && !holds("secret words"));
    bed.close().await;
}
