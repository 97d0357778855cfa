//! Analyses whose answer waits for the job: how long the memory of their bodies is counted.

use std::sync::Arc;

use auris_domain::request::AnalysisRequest;
use auris_domain::request::json::RawJson;
use auris_service::access::RequestKey;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::test_service::TestService;

/// Longer than the lease of a held key.
const LEASE_OVER_MS: i64 = 20_000;

/// The memory of a body. When it is released, it reports how many jobs are stored.
struct Memory {
    test: Arc<TestService>,
    released: Option<oneshot::Sender<i64>>,
}

impl Drop for Memory {
    fn drop(&mut self) {
        let jobs = self.test.count("jobs");
        let _ = self.released.take().map(|released| released.send(jobs));
    }
}

/// An analysis with a schema, whose answer waits for its job.
fn held_analysis() -> AnalysisRequest {
    let format = json!({"type": "json_schema", "name": "n", "schema": {"type": "object", "additionalProperties": false}});
    let task = json!({"id": "one", "model": "fake-text", "text": {"format": format}});
    let body = json!({"transcript": {"text": "Hello."}, "processing": {"tasks": [task]}, "async": false});
    AnalysisRequest::parse(RawJson::whole(&body.to_string()).unwrap()).unwrap()
}

fn key() -> RequestKey {
    let path = "/v1/audio/analyses".to_owned();
    RequestKey { key: "key".into(), method: "POST", path, fingerprint: "fingerprint".into() }
}

/// Sends the analysis. The receiver gets the number of stored jobs when the memory of the body is released.
async fn send(test: &Arc<TestService>) -> (JoinHandle<()>, oneshot::Receiver<i64>) {
    let (released, jobs) = oneshot::channel();
    let memory = Memory { test: Arc::clone(test), released: Some(released) };
    let caller = test.project_caller().await;
    let service = test.service.clone();
    let call = tokio::spawn(async move {
        service.submit_analysis(&caller, held_analysis(), Some(key()), memory).await.unwrap();
    });
    (call, jobs)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_of_a_held_body_is_counted_until_its_job_is_stored() {
    let test = Arc::new(TestService::new().await);
    let (call, jobs) = send(&test).await;
    assert_eq!(jobs.await.unwrap(), 1, "the schema is checked and the transcript is stored before");
    assert!(!call.is_finished(), "no worker ends the job");
    test.stop.cancel();
    call.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_analysis_holds_no_memory_while_it_waits() {
    let test = Arc::new(TestService::new().await);
    let (first, stored) = send(&test).await;
    stored.await.unwrap();
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    test.advance(LEASE_OVER_MS);
    let (second, released) = send(&test).await;
    assert_eq!(released.await.unwrap(), 1);
    assert!(!second.is_finished(), "it waits for the job of the first");
    test.stop.cancel();
    second.await.unwrap();
}
