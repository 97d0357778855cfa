//! `POST /console/v1/projects/{project}/audio/transcriptions`: as on `/v1`, and with metadata, and with an analysis
//! that starts when the transcription has completed.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;

use crate::error::HandlerResult;
use crate::extract::Authenticated;
use crate::handlers::transcriptions::{self, FormFields, FormRequest};
use crate::state::ApiState;

pub(in crate::console) async fn transcribe(
    State(state): State<ApiState>,
    caller: Authenticated,
    headers: HeaderMap,
    body: Body,
) -> HandlerResult {
    transcriptions::answer(&state, caller, FormRequest { fields: FormFields::Console, headers, body }).await
}
