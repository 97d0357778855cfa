//! A streamed transcription: what is heard goes out at once, the whole text at the end.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_engines::Transcript;
use futures::Stream;
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Sender};
use tokio::time::{sleep_until, timeout_at};
use tokio_stream::wrappers::ReceiverStream;

use super::{Call, Running, too_slow, usage_of};
use crate::error::{Outcome, refusal_of};
use crate::speech::{Heard, Hearing};
use crate::{Service, ServiceError};

/// One event of a streamed transcription.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamEvent {
    pub kind: &'static str,
    pub data: Value,
}

impl StreamEvent {
    fn new(kind: &'static str, mut data: Value) -> Self {
        data["type"] = json!(kind);
        Self { kind, data }
    }
}

impl Service {
    /// Transcribes and gives events as they come. A failure before the first of them is the call's own failure.
    pub async fn transcribe_streamed(
        &self,
        call: Call,
    ) -> Outcome<impl Stream<Item = StreamEvent> + Send + use<>> {
        let mut running = self.start(call).await?;
        let (sender, receiver) = mpsc::channel(64);
        let Ok(first) = timeout_at(running.deadline, next_event(&mut running.hearing)).await else {
            running.break_promise().await;
            return Err(too_slow().into());
        };
        match first {
            Some(first) => {
                let service = self.clone();
                tokio::spawn(async move { service.relay(running, first, sender).await });
            }
            None => {
                let done = self.done(running).await?;
                // The channel is new and has room.
                let _ = sender.send(done).await;
            }
        }
        Ok(ReceiverStream::new(receiver))
    }

    /// Hands events on until the end, the deadline, or until nobody listens; dropping the call then stops its work.
    async fn relay(&self, mut running: Running, first: StreamEvent, sender: Sender<StreamEvent>) {
        let request_id = running.request_id.clone();
        let mut next = first;
        loop {
            if sender.send(next).await.is_err() {
                return;
            }
            next = tokio::select! {
                event = next_event(&mut running.hearing) => match event {
                    Some(event) => event,
                    None => break,
                },
                () = sender.closed() => return,
                () = sleep_until(running.deadline) => {
                    let _ = sender.send(error_event(too_slow().into(), &request_id)).await;
                    return;
                }
            };
        }
        let end = self.done(running).await;
        let _ = sender.send(end.unwrap_or_else(|error| error_event(error, &request_id))).await;
    }

    async fn done(&self, mut running: Running) -> Outcome<StreamEvent> {
        match self.hear_end(&mut running).await {
            Ok(done) => {
                running.keep_promise();
                Ok(done)
            }
            Err(error) => {
                running.break_promise().await;
                Err(error)
            }
        }
    }

    async fn hear_end(&self, running: &mut Running) -> Outcome<StreamEvent> {
        let heard: Transcript = running.hearing.finish().await.map_err(refusal_of)?;
        self.store.record_sync_usage(&self.booking(running, &heard), None).await?;
        let data = json!({"type": null, "text": heard.text, "usage": usage_of(&heard)});
        Ok(StreamEvent::new("transcript.text.done", data))
    }
}

async fn next_event(hearing: &mut Hearing) -> Option<StreamEvent> {
    loop {
        match hearing.heard.recv().await? {
            Heard::Delta(delta) => {
                return Some(StreamEvent::new(
                    "transcript.text.delta",
                    json!({"type": null, "delta": delta}),
                ));
            }
            Heard::Segment(segment) => {
                let (start, end) = (segment.start, segment.end);
                let data =
                    json!({"type": null, "id": segment.id, "start": start, "end": end, "text": segment.text});
                return Some(StreamEvent::new("transcript.text.segment", data));
            }
            Heard::Progress { .. } => {}
        }
    }
}

fn error_event(error: ServiceError, request_id: &RequestId) -> StreamEvent {
    let refusal = match error {
        ServiceError::Refused(refusal) => refusal,
        ServiceError::Unavailable(_) | ServiceError::Internal(_) => {
            tracing::error!(%error, %request_id, "a streamed transcription failed");
            let message = format!("Something went wrong on our side; the request was `{request_id}`.");
            ApiError::new(ErrorCode::InternalError, message)
        }
    };
    StreamEvent { kind: "error", data: refusal.body() }
}
