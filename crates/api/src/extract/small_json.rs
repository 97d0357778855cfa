//! Small JSON bodies of the console, which need no reservation of memory.

use std::convert::Infallible;

use auris_domain::error::Checked;
use auris_domain::id::ProjectId;
use auris_domain::limits;
use auris_domain::request::json::RawJson;
use auris_domain::time::Millis;
use auris_service::ServiceError;
use auris_service::access::CredentialId;
use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;

use super::JsonBody;
use crate::state::ApiState;

/// A small body that was not read yet, with what is needed to read it.
pub(crate) struct SmallBody {
    state: ApiState,
    headers: HeaderMap,
    body: Body,
}

impl FromRequest<ApiState> for SmallBody {
    type Rejection = Infallible;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, Infallible> {
        let (parts, body) = request.into_parts();
        Ok(Self { state: state.clone(), headers: parts.headers, body })
    }
}

impl SmallBody {
    /// Reads and checks the body.
    pub(crate) async fn json<T: Send + 'static>(
        self,
        check: impl FnOnce(RawJson<'_>) -> Checked<T> + Send + 'static,
    ) -> Result<T, ServiceError> {
        // Bodies of this size never wait for memory, so it does not matter for whom they are counted.
        let nobody = ProjectId::first_of(Millis(0));
        let reservation = self.state.body_memory.reservation(CredentialId::Service, &nobody);
        let body =
            JsonBody::receive(reservation, &self.headers, self.body, limits::CONSOLE_BODY_BYTES).await?;
        body.check(self.state.body_turns.of_project(&nobody), check)
            .await
            .map(|(checked, _reservation)| checked)
    }

    /// The same for a request whose body may be left out.
    pub(crate) async fn optional_json<T: Send + 'static>(
        self,
        check: impl FnOnce(RawJson<'_>) -> Checked<T> + Send + 'static,
    ) -> Result<Option<T>, ServiceError> {
        if self.body.is_end_stream() {
            return Ok(None);
        }
        self.json(check).await.map(Some)
    }
}
