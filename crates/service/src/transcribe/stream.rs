//! A streamed transcription: text is sent as it is transcribed, and the whole text at the end.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_domain::usage::billed_seconds;
use auris_domain::wire::{self, JsonText, StreamMessage};
use auris_engines::Transcription;
use futures::Stream;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::{Instant, sleep_until};
use tokio_stream::wrappers::ReceiverStream;

use super::synchronous::{Call, RunningCall, too_slow};
use crate::access::KeyWatch;
use crate::engine_tasks::{EngineTask, SpeechEvent};
use crate::error::{Outcome, refusal_of};
use crate::{Service, ServiceError};

/// Maximum number of events that wait for a caller that reads slowly. The last event has its own place.
const WAITING_EVENTS: usize = 64;

/// One event of a streamed transcription.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamEvent {
    pub kind: &'static str,
    pub data: JsonText,
    /// Whether the transcription is complete with this event. A stream without such an event has failed.
    pub completes: bool,
}

impl From<StreamMessage<'_>> for StreamEvent {
    fn from(message: StreamMessage<'_>) -> Self {
        let completes = matches!(message, StreamMessage::Done { .. });
        Self { kind: message.kind(), data: message.json(), completes }
    }
}

/// How the events of an engine ended.
enum Forwarded {
    All,
    CallerDisconnected,
}

impl Service {
    /// Transcribes and returns events as they arise. A failure before the first event is an error of the call itself.
    pub async fn transcribe_streamed(
        &self,
        call: Call,
    ) -> Outcome<impl Stream<Item = StreamEvent> + Send + use<>> {
        let mut running = self.start(call).await?;
        let (sender, receiver) = mpsc::channel(WAITING_EVENTS + 1);
        let cut_off = self.cut_off(running.deadline, self.watch_key(&running.caller));
        let first = tokio::select! {
            first = next_event(&mut running.task) => first,
            refusal = cut_off => return running.end(Err(refusal)).await,
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

    /// Forwards events until the end, until the caller disconnects, or until the call is cut off. A caller that does
    /// not read delays none of these. Dropping the call stops its work and releases what it holds.
    async fn relay(&self, mut running: RunningCall, first: StreamEvent, sender: Sender<StreamEvent>) {
        let Ok(last) = sender.clone().reserve_owned().await else { return };
        let request_id = running.request_id.clone();
        let cut_off = self.cut_off(running.deadline, self.watch_key(&running.caller));
        let end = tokio::select! {
            forwarded = forward(&mut running.task, first, &sender) => match forwarded {
                Forwarded::All => self.done(running).await,
                Forwarded::CallerDisconnected => return,
            },
            refusal = cut_off => running.end(Err(refusal)).await,
        };
        last.send(end.unwrap_or_else(|error| error_event(error, &request_id)));
    }

    /// Waits until a running call must end early, and returns why.
    async fn cut_off(&self, deadline: Instant, key: KeyWatch) -> ServiceError {
        tokio::select! {
            () = sleep_until(deadline) => too_slow().into(),
            refusal = key.ended() => refusal.into(),
            () = self.drained() => ServiceError::shutting_down(),
        }
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

/// Sends all events of the engine to the caller, at the speed at which the caller reads them.
async fn forward(
    task: &mut EngineTask<SpeechEvent, Transcription>,
    first: StreamEvent,
    sender: &Sender<StreamEvent>,
) -> Forwarded {
    let mut next = first;
    loop {
        if sender.send(next).await.is_err() {
            return Forwarded::CallerDisconnected;
        }
        next = tokio::select! {
            event = next_event(task) => match event {
                Some(event) => event,
                None => return Forwarded::All,
            },
            () = sender.closed() => return Forwarded::CallerDisconnected,
        };
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
    StreamEvent { kind: "error", data: wire::error(&refusal), completes: false }
}
