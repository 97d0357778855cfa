//! A streamed transcription: text is sent as it is transcribed, and the whole text at the end.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_domain::usage::billed_seconds;
use auris_domain::wire::{self, JsonText, StreamMessage};
use auris_engines::Transcription;
use futures::Stream;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::{sleep_until, timeout_at};
use tokio_stream::wrappers::ReceiverStream;

use super::synchronous::{Call, RunningCall, too_slow};
use crate::engine_tasks::{EngineTask, SpeechEvent};
use crate::error::{Outcome, refusal_of};
use crate::{Service, ServiceError};

/// One event of a streamed transcription.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamEvent {
    pub kind: &'static str,
    pub data: JsonText,
}

impl From<StreamMessage<'_>> for StreamEvent {
    fn from(message: StreamMessage<'_>) -> Self {
        Self { kind: message.kind(), data: message.json() }
    }
}

impl Service {
    /// Transcribes and returns events as they arise. A failure before the first event is an error of the call itself.
    pub async fn transcribe_streamed(
        &self,
        call: Call,
    ) -> Outcome<impl Stream<Item = StreamEvent> + Send + use<>> {
        let mut running = self.start(call).await?;
        let (sender, receiver) = mpsc::channel(64);
        let Ok(first) = timeout_at(running.deadline, next_event(&mut running.task)).await else {
            return running.end(Err(too_slow().into())).await;
        };
        match first {
            Some(first) => {
                let service = self.clone();
                tokio::spawn(async move { service.relay(running, first, sender).await });
            }
            None => {
                let done = self.done(running).await?;
                // The channel is new, so it has room.
                let _ = sender.send(done).await;
            }
        }
        Ok(ReceiverStream::new(receiver))
    }

    /// Forwards events until the end, the deadline, or until the caller disconnects. Dropping the call then stops its work.
    async fn relay(&self, mut running: RunningCall, first: StreamEvent, sender: Sender<StreamEvent>) {
        let request_id = running.request_id.clone();
        let mut next = first;
        loop {
            if sender.send(next).await.is_err() {
                return;
            }
            next = tokio::select! {
                event = next_event(&mut running.task) => match event {
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

    async fn done(&self, mut running: RunningCall) -> Outcome<StreamEvent> {
        let done = self.finish_stream(&mut running).await;
        running.end(done).await
    }

    async fn finish_stream(&self, running: &mut RunningCall) -> Outcome<StreamEvent> {
        let transcription = running.task.finish().await.map_err(refusal_of)?;
        self.store().record_sync_usage(&self.usage_entry(running, &transcription), None).await?;
        let billed_seconds = billed_seconds(transcription.duration_seconds);
        Ok(StreamMessage::Done { text: &transcription.transcript.text, billed_seconds }.into())
    }
}

async fn next_event(task: &mut EngineTask<SpeechEvent, Transcription>) -> Option<StreamEvent> {
    loop {
        match task.events.recv().await? {
            SpeechEvent::Delta(delta) => return Some(StreamMessage::Delta(&delta).into()),
            SpeechEvent::Segment(segment) => return Some(StreamMessage::Segment(&segment).into()),
            SpeechEvent::Progress { .. } => {}
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
    StreamEvent { kind: "error", data: wire::error(&refusal) }
}
