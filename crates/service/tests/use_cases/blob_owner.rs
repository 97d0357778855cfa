//! Which database blobs belong to: decided at the first start, and never by accident.

use std::fs;

use auris_domain::id::{ArtifactId, JobId};
use auris_domain::job::JobStatus;
use auris_domain::request::AnalysisRequest;
use auris_domain::request::json::RawJson;
use auris_service::ServiceError;
use auris_service::operator::{Operator, OperatorError};
use auris_service::worker::Worker;
use auris_store::Blobs;
use tokio_util::sync::CancellationToken;

use crate::test_service::{NOW, TestService};
use crate::waiting::eventually;

/// For longer, no check of the blobs is trusted.
const CHECK_OVER_MS: i64 = 5_000;

/// An installation: a database and a blob store.
struct Site {
    test: TestService,
    blobs: Blobs,
    operator: Operator,
}

impl Site {
    async fn new() -> Self {
        let test = TestService::new().await;
        let blobs = Blobs::folder(&test.folder().join("blobs")).unwrap();
        let operator = Operator::new(test.store.clone(), test.clock.clone());
        Self { test, blobs, operator }
    }

    /// Stores a blob, and returns its key.
    async fn add_blob(&self) -> String {
        let job = JobId::generate(NOW);
        let key = format!("{}/{job}/{}", self.test.project, ArtifactId::generate(NOW));
        self.blobs.put_bytes(&key, "bytes".into()).await.unwrap();
        key
    }

    /// Adds the row of a blob.
    async fn add_row(&self, key: &str) {
        let job = self.test.queue_job(None).await;
        self.test.artifact_row(&job, key, "available");
    }

    async fn claim(&self, blobs: &Blobs) -> Result<(), OperatorError> {
        self.operator.claim_blobs(blobs).await
    }

    async fn ids(&self) -> (Option<String>, Option<String>) {
        (self.test.store.installation().await.unwrap(), self.blobs.owner().await.unwrap())
    }
}

fn refusal(outcome: Result<(), OperatorError>) -> String {
    match outcome {
        Err(OperatorError::Conflict(message)) => message,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn the_first_start_stores_one_id_in_both_and_later_ones_accept_it() {
    let site = Site::new().await;
    site.claim(&site.blobs).await.unwrap();
    let (database, blobs) = site.ids().await;
    assert!(
        database.as_ref().is_some_and(|id| id.len() == 32) && database == blobs,
        "{database:?} {blobs:?}"
    );
    site.add_blob().await;
    site.claim(&site.blobs).await.unwrap();
    assert_eq!(site.ids().await, (database, blobs));
}

#[tokio::test]
async fn nodes_that_start_at_the_same_time_agree() {
    let site = Site::new().await;
    let nodes = (0..8).map(|_| site.claim(&site.blobs));
    for outcome in futures::future::join_all(nodes).await {
        outcome.unwrap();
    }
    let (database, blobs) = site.ids().await;
    assert!(database.is_some() && database == blobs, "{database:?} {blobs:?}");
}

#[tokio::test]
async fn a_new_database_does_not_get_the_blobs_of_another_one() {
    let (old, new) = (Site::new().await, Site::new().await);
    old.claim(&old.blobs).await.unwrap();
    let key = old.add_blob().await;
    old.add_row(&key).await;
    let message = refusal(new.claim(&old.blobs).await);
    let id = old.ids().await.0.unwrap();
    for part in [id.as_str(), "database.url", "auris export", "--adopt-blobs"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(new.ids().await, (None, None), "a refused start changes nothing");
    // The other database has its own blobs, too.
    new.claim(&new.blobs).await.unwrap();
    let message = refusal(new.claim(&old.blobs).await);
    assert!(message.contains(&id) && message.contains(&new.ids().await.0.unwrap()), "{message}");
    old.claim(&old.blobs).await.unwrap();
}

#[tokio::test]
async fn blobs_without_an_id_belong_to_the_database_that_knows_one_of_them() {
    let (old, new) = (Site::new().await, Site::new().await);
    let key = old.add_blob().await;
    refusal(new.claim(&old.blobs).await);
    refusal(old.claim(&old.blobs).await);
    // An installation before it had an id.
    old.add_row(&key).await;
    old.claim(&old.blobs).await.unwrap();
    let (database, blobs) = old.ids().await;
    assert!(database.is_some() && database == blobs);
}

#[tokio::test]
async fn a_database_from_a_backup_takes_over_the_id_of_its_blobs() {
    let (old, restored) = (Site::new().await, Site::new().await);
    old.claim(&old.blobs).await.unwrap();
    let key = old.add_blob().await;
    restored.add_row(&key).await;
    restored.claim(&old.blobs).await.unwrap();
    assert_eq!(restored.ids().await.0, old.ids().await.1);
}

#[tokio::test]
async fn a_lost_id_is_stored_again_only_if_the_blobs_are_known_or_there_are_none() {
    let site = Site::new().await;
    site.claim(&site.blobs).await.unwrap();
    let id = site.ids().await.0;
    let file = site.test.folder().join("blobs/installation");
    fs::remove_file(&file).unwrap();
    site.claim(&site.blobs).await.unwrap();
    assert_eq!(site.ids().await.1, id);
    let key = site.add_blob().await;
    fs::remove_file(&file).unwrap();
    refusal(site.claim(&site.blobs).await);
    site.add_row(&key).await;
    site.claim(&site.blobs).await.unwrap();
    assert_eq!(site.ids().await.1, id);
}

#[tokio::test]
async fn a_database_with_artifacts_refuses_an_empty_place_until_it_is_adopted() {
    let site = Site::new().await;
    site.claim(&site.blobs).await.unwrap();
    let key = site.add_blob().await;
    site.add_row(&key).await;
    // A disk that is not mounted.
    let empty = Blobs::folder(&site.test.folder().join("empty")).unwrap();
    let message = refusal(site.claim(&empty).await);
    let id = site.ids().await.0.unwrap();
    for part in [id.as_str(), "Mount the disk", "blobs.url", "--adopt-blobs"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(empty.owner().await.unwrap(), None, "a refused start changes nothing");
    site.claim(&site.blobs).await.unwrap();
    assert_eq!(site.operator.adopt_blobs(&empty).await.unwrap(), id);
    site.claim(&empty).await.unwrap();
}

#[tokio::test]
async fn blobs_of_a_lost_database_can_be_adopted() {
    let (lost, new) = (Site::new().await, Site::new().await);
    lost.claim(&lost.blobs).await.unwrap();
    lost.add_blob().await;
    refusal(new.claim(&lost.blobs).await);
    let id = new.operator.adopt_blobs(&lost.blobs).await.unwrap();
    new.claim(&lost.blobs).await.unwrap();
    assert_eq!(new.ids().await.0.as_ref(), Some(&id));
    assert_ne!(lost.ids().await.0, Some(id));
    refusal(lost.claim(&lost.blobs).await);
}

impl Site {
    /// Submits an analysis to the service, which claimed no blobs at its start.
    async fn submit(&self) -> Result<(), ServiceError> {
        let text = r#"{"transcript": {"text": "Hi."}, "processing": {"summary": {"model": "fake-text"}}}"#;
        let request = AnalysisRequest::parse(RawJson::whole(text).unwrap()).unwrap();
        let caller = self.test.project_caller().await;
        self.test.service.submit_analysis(&caller, request, None, ()).await.map(drop)
    }

    fn rows(&self, table: &str) -> i64 {
        self.test.count(table)
    }
}

#[tokio::test]
async fn a_service_writes_nothing_beside_the_blobs_of_another_installation() {
    // The blob store did not answer when the service started, so that it starts without a check.
    let site = Site::new().await;
    site.blobs.set_owner("another installation").await.unwrap();
    let foreign = site.add_blob().await;
    for _ in 0..2 {
        assert!(matches!(site.submit().await, Err(ServiceError::Unavailable(_))));
    }
    assert_eq!(site.blobs.list_first(10).await.unwrap().len(), 1, "only the foreign blob");
    site.test.advance(1_000);
    let mut sweeper = site.test.service.sweeper();
    site.test.service.sweep(&mut sweeper).await.unwrap();
    assert_eq!(site.ids().await, (None, Some("another installation".into())));
    assert_eq!((site.rows("jobs"), site.rows("orphan_blobs")), (0, 0));
    // A row that appears later proves nothing.
    site.add_row(&foreign).await;
    assert!(matches!(site.submit().await, Err(ServiceError::Unavailable(_))));
    // An operator decides.
    site.operator.adopt_blobs(&site.blobs).await.unwrap();
    site.submit().await.unwrap();
}

/// Runs a worker until the job has ended; returns the number of its attempts.
async fn ends(site: &Site, job: &JobId) -> i64 {
    let running = tokio::spawn(Worker::new(site.test.service.clone()).run(site.test.stop.clone()));
    let has_ended = async || {
        // The clock of the test moves only by hand.
        site.test.advance(CHECK_OVER_MS);
        site.rows(&format!("jobs WHERE id = '{job}' AND completed_at IS NOT NULL")) == 1
    };
    eventually("the end of the job", has_ended).await;
    site.test.stop.cancel();
    running.await.unwrap();
    site.test.store.load_run(job).await.unwrap().unwrap().run.steps[0].attempt()
}

#[tokio::test]
async fn a_worker_claims_no_steps_beside_the_blobs_of_another_installation_until_they_are_adopted() {
    let site = Site::new().await;
    site.blobs.set_owner("another installation").await.unwrap();
    site.add_blob().await;
    let job = site.test.queue_job(None).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(Worker::new(site.test.service.clone()).run(stop.clone()));
    assert!(matches!(site.submit().await, Err(ServiceError::Unavailable(_))));
    stop.cancel();
    running.await.unwrap();
    let run = site.test.store.load_run(&job).await.unwrap().unwrap().run;
    assert_eq!((run.steps[0].attempt(), run.job.status()), (0, JobStatus::Queued));
    site.operator.adopt_blobs(&site.blobs).await.unwrap();
    assert_eq!(ends(&site, &job).await, 1);
}

#[tokio::test]
async fn nothing_is_written_while_the_disk_with_the_blobs_is_not_mounted() {
    let site = Site::new().await;
    site.submit().await.unwrap();
    let (mounted, elsewhere) = (site.test.folder().join("blobs"), site.test.folder().join("elsewhere"));
    fs::rename(&mounted, &elsewhere).unwrap();
    fs::create_dir(&mounted).unwrap();
    site.test.advance(CHECK_OVER_MS);
    assert!(matches!(site.submit().await, Err(ServiceError::Unavailable(_))));
    assert_eq!(fs::read_dir(&mounted).unwrap().count(), 0);
    fs::remove_dir(&mounted).unwrap();
    fs::rename(&elsewhere, &mounted).unwrap();
    site.submit().await.unwrap();
}

#[tokio::test]
async fn a_service_whose_blobs_are_its_own_writes_to_them() {
    let site = Site::new().await;
    site.submit().await.unwrap();
    let (database, blobs) = site.ids().await;
    assert!(database.is_some() && database == blobs, "{database:?} {blobs:?}");
}

#[tokio::test]
async fn an_artifact_that_is_newer_than_the_process_does_not_make_its_blobs_known() {
    let site = Site::new().await;
    site.blobs.set_owner("another installation").await.unwrap();
    let key = site.add_blob().await;
    site.add_row(&key).await;
    let later = NOW.timestamp().0 + 1;
    site.test.sql(&format!("UPDATE artifacts SET created_at = {later}"));
    refusal(site.claim(&site.blobs).await);
    assert_eq!(site.ids().await, (None, Some("another installation".into())));
}
