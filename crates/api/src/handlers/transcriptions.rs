//! `POST /v1/audio/transcriptions`.

use auris_domain::request::transcription::TranscriptionRequest;
use auris_domain::request::{FollowUpRequest, fingerprint};
use auris_service::access::Replayable;
use auris_service::jobs::Upload;
use auris_service::transcribe::{Call, StreamEvent};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use futures::StreamExt;

use crate::error::HandlerResult;
use crate::extract::{Authenticated, idempotency_key};
use crate::multipart::{self, Form};
pub(crate) use crate::multipart::{FormFields, FormRequest};
use crate::state::ApiState;
use crate::{sse, view};

const PATH: &str = "/v1/audio/transcriptions";

/// How the caller receives the transcript.
enum Mode {
    /// The response is a job, which transcribes later.
    Job,
    /// The response is a stream of the text while it is recognized.
    Stream,
    /// The response is the whole text.
    Text,
}

impl Mode {
    fn of(request: &TranscriptionRequest) -> Self {
        match (request.asynchronous, request.stream) {
            (true, _) => Self::Job,
            (false, true) => Self::Stream,
            (false, false) => Self::Text,
        }
    }
}

pub(crate) async fn create(
    State(state): State<ApiState>,
    caller: Authenticated,
    headers: HeaderMap,
    body: Body,
) -> HandlerResult {
    answer(&state, caller, FormRequest { fields: FormFields::Transcription, headers, body }).await
}

/// Answers a request of this path or of the console.
pub(crate) async fn answer(
    state: &ApiState,
    Authenticated { caller, request_id }: Authenticated,
    form: FormRequest,
) -> HandlerResult {
    let key = idempotency_key(&form.headers)?;
    let Form { request, spool, analysis } = multipart::read(&state.service, &caller, form).await?;
    let follow_up = analysis.map(|text| FollowUpRequest::parse(&text, &request)).transpose()?;
    let print = fingerprint::upload(&request, &spool.sha256, follow_up.as_ref());
    let key = key.map(|key| key.for_post(PATH, print));
    let mode = Mode::of(&request);
    let call = Call { caller, request_id, request, spool, key };
    match mode {
        Mode::Job => submit_job(state, call, follow_up).await,
        Mode::Stream => stream(state, call).await,
        Mode::Text => transcribe(state, call).await,
    }
}

async fn submit_job(state: &ApiState, call: Call, follow_up: Option<FollowUpRequest>) -> HandlerResult {
    let Call { caller, request, spool, key, request_id: _ } = call;
    let upload = Upload { request, spool, follow_up };
    let answered = state.service.submit_transcription(&caller, upload, key).await?;
    Ok(view::answered(StatusCode::ACCEPTED, answered))
}

/// Streams are not stored, so an idempotency key has no effect on them.
async fn stream(state: &ApiState, call: Call) -> HandlerResult {
    let key = state.service.watch_key(&call.caller);
    let events = state.service.transcribe_streamed(Call { key: None, ..call }).await?;
    Ok(sse::response(events.flat_map(|event| futures::stream::iter(frames(&event))), key))
}

/// Only a complete transcription is followed by `[DONE]`. After an `error` event, clients must not take it as complete.
fn frames(event: &StreamEvent) -> impl Iterator<Item = Bytes> + use<> {
    let done = event.completes.then(sse::done);
    std::iter::once(sse::frame(None, event.kind, &event.data)).chain(done)
}

async fn transcribe(state: &ApiState, call: Call) -> HandlerResult {
    match state.service.transcribe(call).await? {
        Replayable::New(answer) => Ok(view::stored(answer)),
        Replayable::Replayed(answer) => Ok(view::replayed(answer)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_domain::wire::JsonText;

    #[test]
    fn only_a_complete_transcription_is_followed_by_done() {
        let data = JsonText::of("text");
        let done = StreamEvent { kind: "transcript.text.done", data: data.clone(), completes: true };
        assert_eq!(frames(&done).last(), Some(sse::done()));
        let error = StreamEvent { kind: "error", data, completes: false };
        let sent: Vec<Bytes> = frames(&error).collect();
        assert_eq!(sent, [Bytes::from_static(b"event: error\ndata: \"text\"\n\n")]);
    }
}
