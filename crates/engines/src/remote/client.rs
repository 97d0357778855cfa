//! HTTP calls to other servers. There are no retries here: the service retries a step, and both together would multiply.

use std::sync::OnceLock;
use std::time::Duration;

use auris_engine_core::{CallContext, EngineError};
use auris_models::RemoteModel;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use tokio::runtime::Runtime;

use super::server_error::ServerError;

/// Maximum time to connect. A server that is up answers much sooner; an answer may take `timeout_seconds`.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum characters of a server's error message in our own.
const MAX_MESSAGE: usize = 300;

/// The client of all remote models, created with the first call.
#[derive(Default)]
pub(crate) struct ClientSlot(OnceLock<Result<RemoteClient, String>>);

impl ClientSlot {
    pub(super) fn get(&self) -> Result<&RemoteClient, EngineError> {
        let client = self.0.get_or_init(|| RemoteClient::new().map_err(|error| error.to_string()));
        client.as_ref().map_err(|error| EngineError::internal(error.clone()))
    }
}

/// An HTTP client with its connections, and the runtime that drives them.
pub(super) struct RemoteClient {
    http: Client,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

impl RemoteClient {
    fn new() -> std::io::Result<Self> {
        auris_tls::use_ring();
        let http =
            Client::builder().connect_timeout(CONNECT_TIMEOUT).build().map_err(std::io::Error::other)?;
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("remote-models").enable_all().build()?;
        Ok(Self { http, runtime: Some(runtime) })
    }

    /// Runs a call on this thread until it ends or is cancelled. Dropping the call closes its connection, which stops
    /// the other server.
    pub(super) fn run<T>(
        &self,
        context: &CallContext,
        call: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, EngineError> {
        let runtime = self.runtime.as_ref().ok_or_else(|| EngineError::internal("the client is closed"))?;
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = context.cancel.cancelled() => Err(EngineError::Cancelled),
                outcome = call => outcome.map_err(|failure| failure.error),
            }
        })
    }

    /// A request to the model's server, with its time limit and key.
    pub(super) fn post(&self, remote: &RemoteModel, path: &str) -> RequestBuilder {
        let url = format!("{}/{path}", remote.base_url.trim_end_matches('/'));
        let request = self.http.post(url).timeout(Duration::from_secs(remote.timeout_seconds));
        match remote.key_env.as_ref().and_then(|name| std::env::var(name).ok()) {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }
}

impl Drop for RemoteClient {
    /// Does not wait for the runtime: waiting panics if the engines are dropped on an async thread.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A failed call, and the status if the server sent one.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: EngineError,
    pub(super) status: Option<StatusCode>,
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self { error, status: None }
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let message = format!("The model's server cannot be reached: {}.", error.without_url());
        Self::from(EngineError::Backend { message, transient: true })
    }
}

/// Sends a request. 429 and 5xx are transient failures, other refusals are permanent.
pub(super) async fn send(request: RequestBuilder) -> Result<Response, Failure> {
    let response = request.send().await?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let transient = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let message = format!("The model's server answered {}{}.", status.as_u16(), message_of(response).await);
    Err(Failure { error: EngineError::Backend { message, transient }, status: Some(status) })
}

#[derive(Default, Deserialize)]
struct ErrorBody {
    error: Option<ServerError>,
}

/// The server's own message, shortened: operators need it to find their mistake.
async fn message_of(response: Response) -> String {
    let body: ErrorBody = response.json().await.unwrap_or_default();
    let message = body.error.as_ref().and_then(ServerError::message).unwrap_or_default();
    let message: String =
        message.chars().filter(|character| !character.is_control()).take(MAX_MESSAGE).collect();
    if message.is_empty() { message } else { format!(": {}", message.trim_end_matches('.')) }
}
