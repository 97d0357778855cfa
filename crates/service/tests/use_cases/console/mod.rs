//! What the console adds to recordings, on a real database.

mod follow_ups;
mod recordings;
mod speaker_names;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::JobId;
use auris_domain::metadata::Metadata;
use auris_domain::request::json::RawJson;
use auris_domain::request::{AnalysisRequest, FollowUpRequest, ResponseFormat, TranscriptionRequest};
use auris_domain::wire::JsonText;
use auris_engine_testing::write_wav;
use auris_service::access::{Access, Replayable};
use auris_service::jobs::Upload;
use auris_service::worker::Worker;
use auris_service::{Caller, ServiceError};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::test_service::{NOW, TestService};
use crate::waiting::eventually;

/// Samples of one second.
const SECOND: usize = 16_000;

impl TestService {
    pub(crate) async fn project_caller(&self) -> Caller {
        let project = self.store.project(&self.project).await.unwrap().unwrap();
        Caller { project, access: Access::Service }
    }

    /// A caller of another project.
    async fn stranger(&self) -> Caller {
        let project = self.store.create_project("stranger", NOW).await.unwrap().unwrap();
        Caller { project, access: Access::Service }
    }

    /// Submits a transcription of these samples.
    async fn transcription(&self, samples: &[f32]) -> JobId {
        self.submit(samples, "", None).await.unwrap()
    }

    /// Submits a transcription of a short recording with an analysis that follows it.
    async fn followed_transcription(&self, prompt: &str, analysis: &str) -> Result<JobId, ServiceError> {
        self.submit(&[0.5; SECOND], prompt, Some(analysis)).await
    }

    async fn submit(
        &self,
        samples: &[f32],
        prompt: &str,
        analysis: Option<&str>,
    ) -> Result<JobId, ServiceError> {
        let caller = self.project_caller().await;
        let request = TranscriptionRequest {
            model: "fake-speech".into(),
            asynchronous: true,
            language: None,
            prompt: (!prompt.is_empty()).then(|| prompt.to_owned()),
            response_format: ResponseFormat::Json,
            stream: false,
            webhook_url: None,
            metadata: Metadata::default(),
        };
        let follow_up = analysis.map(|text| FollowUpRequest::parse(text, &request)).transpose()?;
        let path = write_wav(&self.folder().join("upload.wav"), samples);
        let mut upload = self.service.open_spool().await?;
        upload.write(&std::fs::read(path).unwrap()).await?;
        let spool = upload.finish().await?;
        let answer =
            self.service.submit_transcription(&caller, Upload { request, spool, follow_up }, None).await?;
        Ok(new_job(answer))
    }

    /// Submits an analysis.
    async fn analysis(&self, body: &Value) -> JobId {
        let text = body.to_string();
        let request = AnalysisRequest::parse(RawJson::whole(&text).unwrap()).unwrap();
        let caller = self.project_caller().await;
        new_job(self.service.submit_analysis(&caller, request, None, ()).await.unwrap())
    }

    /// The analyses of a recording, as the page of its job lists them.
    async fn analyses(&self, job: &JobId) -> Value {
        let caller = self.project_caller().await;
        let bytes = self.service.recording_analyses(&caller, job).await.unwrap();
        serde_json::from_slice::<Value>(&bytes).unwrap()["analyses"]["data"].clone()
    }

    fn start_worker(&self) -> JoinHandle<()> {
        tokio::spawn(Worker::new(self.service.clone()).run(self.stop.clone()))
    }

    /// Runs the steps of a job until it has ended.
    async fn run_to_end(&self, job: &JobId) {
        let stop = CancellationToken::new();
        let running = tokio::spawn(Worker::new(self.service.clone()).run(stop.clone()));
        self.wait_until(&format!("jobs WHERE id = '{job}' AND completed_at IS NOT NULL"), 1).await;
        stop.cancel();
        running.await.unwrap();
    }

    /// Waits until a condition such as `jobs WHERE id = 'x'` selects this number of rows.
    async fn wait_until(&self, from: &str, count: i64) {
        eventually(from, async || self.count(from) == count).await;
    }
}

fn new_job(answer: Replayable<JsonText>) -> JobId {
    let Replayable::New(job) = answer else { panic!("the answer was stored before") };
    value(&job)["id"].as_str().unwrap().parse().unwrap()
}

fn value(text: &JsonText) -> Value {
    serde_json::from_str(text.as_str()).unwrap()
}

#[track_caller]
fn refusal<T>(outcome: Result<T, ServiceError>) -> ApiError {
    match outcome {
        Err(ServiceError::Refused(error)) => error,
        Err(error) => panic!("not a refusal: {error}"),
        Ok(_) => panic!("accepted"),
    }
}

#[track_caller]
fn code<T>(outcome: Result<T, ServiceError>) -> ErrorCode {
    refusal(outcome).code
}
