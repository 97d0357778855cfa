//! `POST /v1/audio/transcriptions`.

use auris_domain::request::fingerprint;
use auris_service::idempotency::{Answered, RequestKey};
use auris_service::transcribe::Call;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures::StreamExt;

use crate::error::Answer;
use crate::extract::{Authenticated, idempotency_key};
use crate::multipart::{self, Form};
use crate::state::ApiState;
use crate::{sse, view};

const PATH: &str = "/v1/audio/transcriptions";

pub(crate) async fn create(
    State(state): State<ApiState>,
    Authenticated { caller, request_id }: Authenticated,
    headers: HeaderMap,
    body: Body,
) -> Answer {
    let key = idempotency_key(&headers)?;
    let Form { request, spool } = multipart::read(&state.service, &headers, body).await?;
    let fingerprint = fingerprint::upload(&request, &spool.sha256);
    let key = key.map(|key| RequestKey { key, method: "POST", path: PATH.into(), fingerprint });
    if request.asynchronous {
        let answered = state.service.submit_transcription(&caller, request, spool, key).await?;
        return Ok(view::answered(StatusCode::ACCEPTED, answered));
    }
    let streamed = request.stream;
    let call = Call { caller, request_id, request, spool, key: key.filter(|_| !streamed) };
    if streamed {
        return stream(&state, call).await;
    }
    match state.service.transcribe(call).await? {
        Answered::New(answer) => Ok(view::stored(answer)),
        Answered::Replayed(answer) => Ok(view::replayed(answer)),
    }
}

async fn stream(state: &ApiState, call: Call) -> Result<Response, crate::error::Failure> {
    let events = state.service.transcribe_streamed(call).await?;
    let frames = events.map(|event| sse::frame(None, event.kind, &event.data));
    Ok(sse::response(frames.chain(futures::stream::once(async { sse::done() }))))
}
