//! Counts the memory of responses that are complete in memory and may wait for slow clients.

use auris_service::Caller;
use axum::body::{Body, HttpBody, to_bytes};
use axum::response::Response;

use crate::error::{api_error, internal_error};
use crate::state::ApiState;
use crate::view::{self, MemoryHeld};

/// Smaller responses are not counted.
const UNCOUNTED_BYTES: u64 = 64 * 1024;

/// Reserves memory for a response, unless its handler did. Refuses one that can be requested again if there is no
/// memory.
pub(crate) async fn hold(state: &ApiState, caller: &Caller, is_safe: bool, response: Response) -> Response {
    let Some(bytes) = bytes_in_memory(&response) else { return response };
    let is_repeatable = is_safe || view::is_replay(&response);
    let memory = if is_repeatable {
        match state.service.reserve_response(caller, bytes).await {
            Ok(memory) => memory,
            Err(error) => return api_error(&error),
        }
    } else {
        state.service.count_response(caller, bytes)
    };
    let (head, body) = response.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(bytes) => Response::from_parts(head, Body::from(memory.hold(bytes))),
        Err(error) => internal_error(error.to_string()),
    }
}

/// The size of a large body that is in memory. The size of a stream is not known.
fn bytes_in_memory(response: &Response) -> Option<usize> {
    let bytes = response.body().size_hint().exact().filter(|bytes| *bytes > UNCOUNTED_BYTES)?;
    let is_held = response.extensions().get::<MemoryHeld>().is_some();
    usize::try_from(bytes).ok().filter(|_| !is_held)
}
