//! Analyses that start when their transcription has completed.

use auris_domain::error::ErrorCode;
use auris_domain::id::JobId;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{code, refusal};
use crate::test_service::TestService;

const SUMMARY: &str =
    r#"{"processing": {"summary": {"model": "fake-text"}}, "metadata": {"from": "the form"}}"#;

impl TestService {
    fn start_follow_ups(&self) -> JoinHandle<()> {
        tokio::spawn(self.service.clone().run_follow_ups(self.stop.clone()))
    }

    /// Starts the loop and waits until it has ended the follow-up in this way.
    async fn follow_up_ends(&self, job: &JobId, status: &str) {
        let following_up = self.start_follow_ups();
        self.wait_until(&format!("follow_ups WHERE job_id = '{job}' AND status = '{status}'"), 1).await;
        self.stop.cancel();
        following_up.await.unwrap();
    }

    /// Asserts that the follow-up failed, and returns its message.
    async fn failure(&self, job: &JobId) -> String {
        let analyses = self.analyses(job).await;
        assert_eq!((&analyses[0]["status"], &analyses[0]["job_id"]), (&json!("failed"), &Value::Null));
        assert_eq!(analyses.as_array().unwrap().len(), 1);
        analyses[0]["error"].as_str().unwrap().to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_analysis_starts_when_the_transcription_has_completed() {
    let test = TestService::new().await;
    let job = test.followed_transcription("", SUMMARY).await.unwrap();
    assert_eq!(
        test.analyses(&job).await,
        json!([{"job_id": null, "status": "waiting", "error": null, "job": null}])
    );
    let running = test.start_worker();
    test.follow_up_ends(&job, "submitted").await;
    running.await.unwrap();
    let analyses = test.analyses(&job).await;
    assert_eq!(analyses.as_array().unwrap().len(), 1, "{analyses}");
    assert_eq!((&analyses[0]["status"], &analyses[0]["error"]), (&json!("submitted"), &Value::Null));
    let analysis: JobId = analyses[0]["job_id"].as_str().unwrap().parse().unwrap();
    let stored = test.store.job(&test.project, &analysis).await.unwrap().unwrap().job;
    assert_eq!(stored.metadata.0["from"], "the form");
    assert_eq!(test.count("follow_ups WHERE request = ''"), 1, "the request is no longer needed");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_loops_start_each_analysis_once() {
    let test = TestService::new().await;
    let mut jobs = Vec::new();
    for _ in 0..4 {
        jobs.push(test.followed_transcription("", SUMMARY).await.unwrap());
    }
    for job in &jobs {
        test.run_to_end(job).await;
    }
    let loops = [test.start_follow_ups(), test.start_follow_ups()];
    test.wait_until("follow_ups WHERE status = 'submitted'", 4).await;
    test.stop.cancel();
    for following_up in loops {
        following_up.await.unwrap();
    }
    assert_eq!(test.count("jobs WHERE operation = 'analysis'"), 4);
    for job in &jobs {
        assert_eq!(test.analyses(job).await.as_array().unwrap().len(), 1);
    }
}

/// As after a crash between the two transactions.
#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_whose_start_was_not_recorded_is_not_started_again() {
    let test = TestService::new().await;
    let job = test.followed_transcription("", SUMMARY).await.unwrap();
    test.run_to_end(&job).await;
    let request = test.store.follow_up(&job).await.unwrap().unwrap().request;
    let following_up = test.start_follow_ups();
    test.wait_until("follow_ups WHERE status = 'submitted'", 1).await;
    test.sql(&format!("UPDATE follow_ups SET status = 'waiting', request = '{request}'"));
    test.wait_until("follow_ups WHERE status = 'submitted'", 1).await;
    test.stop.cancel();
    following_up.await.unwrap();
    assert_eq!(test.count("jobs WHERE operation = 'analysis'"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_analysis_starts_after_a_transcription_that_failed() {
    let test = TestService::new().await;
    let job = test.followed_transcription("fake:fail", SUMMARY).await.unwrap();
    test.run_to_end(&job).await;
    test.follow_up_ends(&job, "failed").await;
    assert!(test.failure(&job).await.contains("transcription failed"));
    assert_eq!(test.count("jobs WHERE operation = 'analysis'"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_analysis_starts_after_a_transcription_that_was_cancelled() {
    let test = TestService::new().await;
    let job = test.followed_transcription("", SUMMARY).await.unwrap();
    test.service.cancel_job(&test.project_caller().await, &job, None).await.unwrap();
    test.follow_up_ends(&job, "failed").await;
    assert!(test.failure(&job).await.contains("was cancelled"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_that_is_refused_fails_with_the_reason() {
    let test = TestService::new().await;
    let job = test.followed_transcription("", SUMMARY).await.unwrap();
    test.run_to_end(&job).await;
    let caller = test.project_caller().await;
    let recording = test.service.job_recording(&caller, &job).await.unwrap();
    test.service.delete_artifact(&caller, &recording.id).await.unwrap();
    test.follow_up_ends(&job, "failed").await;
    assert!(test.failure(&job).await.contains("deleted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_analysis_is_refused_before_anything_is_stored() {
    let test = TestService::new().await;
    for (analysis, expected, param) in [
        (
            r#"{"processing": {"summary": {"model": "none"}}}"#,
            ErrorCode::ModelNotFound,
            "analysis.processing.summary.model",
        ),
        (
            r#"{"processing": {"summary": {"model": "fake-premium"}}}"#,
            ErrorCode::PlanRequired,
            "analysis.processing.summary.model",
        ),
        (
            r#"{"processing": {"summary": {}}, "webhook_url": "https://10.0.0.1/"}"#,
            ErrorCode::InvalidWebhookUrl,
            "analysis.webhook_url",
        ),
        (r#"{"processing": {}}"#, ErrorCode::NothingToProcess, "analysis.processing"),
    ] {
        let error = refusal(test.followed_transcription("", analysis).await);
        assert_eq!((error.code, error.param.as_deref()), (expected, Some(param)), "{}", error.message);
    }
    assert_eq!(test.count("jobs") + test.count("follow_ups"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_content_has_no_follow_up_and_another_project_sees_no_analyses() {
    let test = TestService::new().await;
    let job = test.followed_transcription("", SUMMARY).await.unwrap();
    test.run_to_end(&job).await;
    let foreign = test.service.recording_analyses(&test.stranger().await, &job).await;
    assert_eq!(code(foreign), ErrorCode::JobNotFound);
    test.service.delete_content(&test.project_caller().await, &job).await.unwrap();
    assert_eq!(test.analyses(&job).await, json!([]));
    assert_eq!(test.store.due_follow_ups(1).await.unwrap(), []);
}
