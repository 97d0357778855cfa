//! Recordings and their waveforms.

use std::fs;

use auris_domain::artifact::Purpose;
use auris_domain::error::ErrorCode;
use serde_json::{Value, json};

use super::{SECOND, code, refusal, value};
use crate::test_service::TestService;

const SUMMARY: &str = "fake-text";

fn summary_of(input: (&str, Value)) -> Value {
    let mut body = json!({"processing": {"summary": {"model": SUMMARY}}});
    body[input.0] = input.1;
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_has_the_recording_that_was_sent_and_an_analysis_that_of_its_job() {
    let test = TestService::new().await;
    let caller = test.project_caller().await;
    let job = test.transcription(&[0.5; SECOND]).await;
    let recording = test.service.job_recording(&caller, &job).await.unwrap();
    assert_eq!((recording.purpose, &recording.job_id), (Purpose::InputAudio, &job));
    let content = test.service.read_content(recording.clone(), Some(0..4)).await.unwrap();
    assert_eq!(content.artifact.media_type, "audio/wav");
    test.run_to_end(&job).await;
    let analysis = test.analysis(&summary_of(("job_id", json!(job.as_str())))).await;
    assert_eq!(test.service.job_recording(&caller, &analysis).await.unwrap(), recording);
    for id in [&job, &analysis] {
        assert_eq!(test.service.recording_job(&caller, id).await.unwrap(), Some(job.clone()));
    }
    assert_eq!(test.service.console_artifact(&caller, &recording.id).await.unwrap(), recording);
    let text_only = test.analysis(&summary_of(("transcript", json!({"text": "Hello."})))).await;
    assert_eq!(code(test.service.job_recording(&caller, &text_only).await), ErrorCode::NotFound);
    assert_eq!(test.service.recording_job(&caller, &text_only).await.unwrap(), None);
    // A page cannot see beforehand that there is no recording.
    let nothing = value(&test.service.audio_peaks(&caller, &text_only).await.unwrap());
    assert_eq!((&nothing["duration_seconds"], &nothing["points"]), (&json!("0"), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_analyses_of_a_recording_are_listed_with_their_jobs() {
    let test = TestService::new().await;
    let caller = test.project_caller().await;
    let job = test.transcription(&[0.5; SECOND]).await;
    test.run_to_end(&job).await;
    let mut ids = Vec::new();
    for _ in 0..9 {
        ids.push(test.analysis(&summary_of(("job_id", json!(job.as_str())))).await);
        test.advance(1);
    }
    test.run_to_end(&ids[8]).await;
    let analyses = test.analyses(&job).await;
    let listed: Vec<_> = analyses.as_array().unwrap().iter().map(|entry| entry["job_id"].clone()).collect();
    assert_eq!(listed, ids.iter().map(|id| json!(id)).collect::<Vec<_>>());
    assert_eq!(analyses[0]["job"], Value::Null);
    for (id, entry) in ids.iter().zip(analyses.as_array().unwrap()).skip(1) {
        let read = test.service.read_job(&caller, id).await.unwrap();
        assert_eq!(entry["job"], serde_json::from_slice::<serde_json::Value>(&read).unwrap());
    }
    assert!(analyses[8]["job"]["result"]["summary"].is_object(), "{analyses}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_files_of_a_job_are_listed_with_those_of_its_latest_analyses() {
    let test = TestService::new().await;
    let caller = test.project_caller().await;
    let job = test.transcription(&[0.5; SECOND]).await;
    test.run_to_end(&job).await;
    let mut expected = vec![json!(job.as_str())];
    for _ in 0..9 {
        let analysis = test.analysis(&summary_of(("job_id", json!(job.as_str())))).await;
        test.run_to_end(&analysis).await;
        expected.insert(1, json!(analysis.as_str()));
        test.advance(1);
    }
    let files = value(&test.service.job_artifacts(&caller, &job).await.unwrap())["data"].clone();
    let mut jobs: Vec<_> = files.as_array().unwrap().iter().map(|file| file["job_id"].clone()).collect();
    jobs.dedup();
    assert_eq!(jobs, expected[..9]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_project_sees_no_recording() {
    let test = TestService::new().await;
    let stranger = test.stranger().await;
    let job = test.transcription(&[0.5; SECOND]).await;
    let recording = test.service.job_recording(&test.project_caller().await, &job).await.unwrap();
    assert_eq!(code(test.service.job_recording(&stranger, &job).await), ErrorCode::JobNotFound);
    assert_eq!(code(test.service.audio_peaks(&stranger, &job).await), ErrorCode::JobNotFound);
    let artifact = test.service.console_artifact(&stranger, &recording.id).await;
    assert_eq!(code(artifact), ErrorCode::ArtifactNotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_content_has_neither_a_recording_nor_a_waveform() {
    let test = TestService::new().await;
    let caller = test.project_caller().await;
    let job = test.transcription(&[0.5; SECOND]).await;
    test.run_to_end(&job).await;
    let analysis = test.analysis(&summary_of(("job_id", json!(job.as_str())))).await;
    test.run_to_end(&analysis).await;
    let recording = test.service.job_recording(&caller, &job).await.unwrap();
    test.service.audio_peaks(&caller, &analysis).await.unwrap();
    assert_eq!(test.count("audio_peaks"), 1);
    test.service.delete_content(&caller, &job).await.unwrap();
    for id in [&job, &analysis] {
        assert_eq!(code(test.service.job_recording(&caller, id).await), ErrorCode::ArtifactDeleted);
        assert_eq!(code(test.service.audio_peaks(&caller, id).await), ErrorCode::ArtifactDeleted);
        assert_eq!(test.service.recording_job(&caller, id).await.unwrap(), None);
    }
    let artifact = test.service.console_artifact(&caller, &recording.id).await;
    assert_eq!(code(artifact), ErrorCode::ArtifactDeleted);
    assert_eq!(test.count("audio_peaks"), 0, "the waveform is part of the content");
    test.service.delete_content(&caller, &analysis).await.unwrap();
    assert_eq!(code(test.service.job_recording(&caller, &analysis).await), ErrorCode::ArtifactDeleted);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_waveform_is_computed_once_and_then_kept() {
    let test = TestService::new().await;
    let caller = test.project_caller().await;
    let samples: Vec<f32> = [0.0, 0.5, -0.5].into_iter().flat_map(|level| [level; SECOND]).collect();
    let job = test.transcription(&samples).await;
    let peaks = test.service.audio_peaks(&caller, &job).await.unwrap();
    let drawn = value(&peaks);
    assert_eq!((&drawn["object"], &drawn["duration_seconds"]), (&json!("peaks"), &json!("3")));
    let points = drawn["points"].as_array().unwrap();
    assert_eq!(points.len(), 2_000);
    assert_eq!(
        (&points[300], &points[1_000], &points[1_700]),
        (&json!([0, 0]), &json!([64, 64]), &json!([-64, -64]))
    );
    // Nothing is decoded any more.
    let recording = test.service.job_recording(&caller, &job).await.unwrap();
    fs::remove_file(test.folder().join("blobs").join(&recording.blob_key)).unwrap();
    assert_eq!(test.service.audio_peaks(&caller, &job).await.unwrap(), peaks);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_recording_has_fewer_points_and_many_callers_get_the_same() {
    let test = TestService::new().await;
    let caller = test.project_caller().await;
    let job = test.transcription(&[0.25; 160]).await;
    let calls = (0..5).map(|_| test.service.audio_peaks(&caller, &job));
    for peaks in futures::future::join_all(calls).await {
        assert_eq!(value(&peaks.unwrap())["points"].as_array().unwrap().len(), 160);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_that_cannot_be_decoded_any_more_is_a_clear_error() {
    let test = TestService::new().await;
    let caller = test.project_caller().await;
    let job = test.transcription(&[0.5; SECOND]).await;
    let recording = test.service.job_recording(&caller, &job).await.unwrap();
    let path = test.folder().join("blobs").join(&recording.blob_key);
    fs::write(path, vec![b'x'; recording.bytes as usize]).unwrap();
    let error = refusal(test.service.audio_peaks(&caller, &job).await);
    assert_eq!(error.code, ErrorCode::ContentUnavailable);
    assert!(error.message.contains("cannot be decoded any more"), "{}", error.message);
    assert_eq!(test.count("audio_peaks"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_decoded_by_a_process_that_stops() {
    let test = TestService::new().await;
    let caller = test.project_caller().await;
    let job = test.transcription(&[0.5; SECOND]).await;
    test.stop.cancel();
    assert_eq!(code(test.service.audio_peaks(&caller, &job).await), ErrorCode::ShuttingDown);
}
