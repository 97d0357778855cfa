//! Streamed transcriptions that nobody reads end like others, and release what they hold.

use std::fs;
use std::time::Duration;

use auris_domain::error::ErrorCode;
use auris_domain::id::{KeyId, RequestId};
use auris_domain::metadata::Metadata;
use auris_domain::project::{ApiKey, KeySecret, Scope};
use auris_domain::request::transcription::{ResponseFormat, TranscriptionRequest};
use auris_domain::time::Timestamp;
use auris_service::access::CredentialId;
use auris_service::transcribe::{Call, StreamEvent};
use auris_service::{Caller, ServiceError};
use futures::{Stream, StreamExt};
use serde_json::Value;

use crate::test_service::{NOW, TestService, TestSettings};
use crate::waiting::eventually;

/// Longer than a test takes.
const LONG: Duration = Duration::from_secs(600);
const SAMPLES_PER_SECOND: u32 = 8_000;
/// The fake model makes 120 events of it, which is more than may wait for a reader.
const RECORDING_SECONDS: u32 = 300;

impl TestService {
    async fn with_deadline(deadline: Duration) -> Self {
        Self::with(TestSettings { deadline, ..TestSettings::default() }).await
    }

    async fn caller(&self) -> Caller {
        self.caller_until(None).await
    }

    /// A caller with a key that expires.
    async fn caller_until(&self, expires_at: Option<Timestamp>) -> Caller {
        let secret = KeySecret::generate();
        let key = ApiKey {
            id: KeyId::generate(NOW),
            project_id: self.project.clone(),
            name: "reader".into(),
            scopes: vec![Scope::Read, Scope::Write],
            hint: secret.hint(),
            created_at: NOW.timestamp(),
            expires_at,
            revoked_at: None,
            last_used_at: None,
        };
        self.store.create_key(&key, &secret).await.unwrap();
        let header = format!("Bearer {}", secret.reveal());
        self.service.authenticate(Some(header.as_bytes())).await.unwrap()
    }

    async fn call(&self, caller: &Caller, seconds: u32) -> Call {
        let mut upload = self.service.open_spool().await.unwrap();
        upload.write(&tone(seconds)).await.unwrap();
        Call {
            caller: caller.clone(),
            request_id: RequestId::generate(NOW),
            request: TranscriptionRequest {
                model: "fake-speech".into(),
                asynchronous: false,
                language: None,
                prompt: None,
                response_format: ResponseFormat::Json,
                stream: false,
                webhook_url: None,
                metadata: Metadata::default(),
            },
            spool: upload.finish().await.unwrap(),
            key: None,
        }
    }

    /// Starts a stream that takes the only slot.
    async fn unread_stream(&self, caller: &Caller) -> impl Stream<Item = StreamEvent> + use<> {
        let call = self.call(caller, RECORDING_SECONDS).await;
        self.service.transcribe_streamed(call).await.unwrap()
    }

    /// Waits until the recordings of all calls are deleted, so that the calls have ended.
    async fn wait_for_end(&self) {
        let spool = self.folder().join("spool");
        eventually("the end of all calls", async || fs::read_dir(&spool).unwrap().count() == 0).await;
    }

    /// Waits until another call gets the slot.
    async fn wait_for_slot(&self, caller: &Caller) {
        let is_free = async || match self.service.transcribe(self.call(caller, 1).await).await {
            Ok(_) => true,
            Err(ServiceError::Refused(error)) if error.code == ErrorCode::EngineOverloaded => false,
            Err(error) => panic!("{error}"),
        };
        eventually("the slot", is_free).await;
        self.wait_for_end().await;
    }
}

/// A WAV file of a tone: mono, 16 bits.
fn tone(seconds: u32) -> Vec<u8> {
    let samples = SAMPLES_PER_SECOND * seconds;
    let mut file = Vec::new();
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(36 + samples * 2).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend_from_slice(&SAMPLES_PER_SECOND.to_le_bytes());
    file.extend_from_slice(&(SAMPLES_PER_SECOND * 2).to_le_bytes());
    file.extend_from_slice(b"\x02\0\x10\0data");
    file.extend_from_slice(&(samples * 2).to_le_bytes());
    for sample in 0..samples {
        let value: i16 = if sample % 20 < 10 { 8_000 } else { -8_000 };
        file.extend_from_slice(&value.to_le_bytes());
    }
    file
}

/// The code of the error that ends a stream.
async fn final_error(events: impl Stream<Item = StreamEvent>) -> String {
    let events: Vec<StreamEvent> = events.collect().await;
    assert!(events.iter().all(|event| !event.completes), "{events:?}");
    let last = events.last().unwrap();
    assert_eq!(last.kind, "error");
    let body: Value = serde_json::from_str(last.data.as_str()).unwrap();
    body["error"]["code"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_nobody_reads_ends_at_its_deadline() {
    let test = TestService::with_deadline(Duration::from_secs(3)).await;
    let caller = test.caller().await;
    let events = test.unread_stream(&caller).await;
    test.wait_for_slot(&caller).await;
    assert_eq!(final_error(events).await, "engine_overloaded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_nobody_reads_ends_when_its_key_is_revoked() {
    let test = TestService::with_deadline(LONG).await;
    let caller = test.caller().await;
    let events = test.unread_stream(&caller).await;
    let CredentialId::Key(key) = caller.credential() else { panic!("the caller has no key") };
    assert!(test.store.revoke_key(&test.project, &key, NOW).await.unwrap());
    test.advance(5_000);
    test.wait_for_slot(&caller).await;
    assert_eq!(final_error(events).await, "revoked_api_key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_the_right_code_when_its_key_expires() {
    let test = TestService::with_deadline(LONG).await;
    let caller = test.caller_until(Some(NOW.plus_ms(3_000).timestamp())).await;
    let events = test.unread_stream(&caller).await;
    test.advance(5_000);
    test.wait_for_end().await;
    assert_eq!(final_error(events).await, "expired_api_key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_nobody_reads_ends_when_the_process_stops() {
    let test = TestService::with_deadline(LONG).await;
    let caller = test.caller().await;
    let events = test.unread_stream(&caller).await;
    test.stop.cancel();
    test.wait_for_end().await;
    assert_eq!(final_error(events).await, "shutting_down");
}
