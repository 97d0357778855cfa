//! Rows that cost money and that this program never wrote: they are reported, not read as zero.

use auris_domain::request::AnalysisRequest;
use auris_domain::request::json::RawJson;
use auris_service::ServiceError;
use serde_json::json;

use crate::test_service::TestService;

#[tokio::test]
async fn a_diarization_of_a_recording_without_a_stored_length_is_refused_and_not_free() {
    let test = TestService::new().await;
    let job = test.queue_job(None).await;
    test.sql(
        r#"UPDATE jobs SET status = 'completed', percent = 100, completed_at = 1, audio_total_ms = NULL,
            usage = '{"audio_seconds": 1, "input_tokens": 0, "output_tokens": 0, "characters": 0, "cost_usd": "0"}'"#,
    );
    test.artifact_row(&job, "blobs/art_00000000000000000001", "available");
    let body = json!({
        "job_id": job.as_str(),
        "transcript": {"text": "Hello."},
        "processing": {"diarization": {}},
    });
    let request = AnalysisRequest::parse(RawJson::whole(&body.to_string()).unwrap()).unwrap();
    let caller = test.project_caller().await;
    let refused = test.service.submit_analysis(&caller, request, None, ()).await;
    let Err(ServiceError::Internal(message)) = refused else { panic!("the job was accepted or refused") };
    assert!(message.contains("length of the audio"), "{message}");
    assert_eq!(test.count("jobs"), 1);
}
