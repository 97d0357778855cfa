//! A call to another server: what its refusals mean, and when it is tried again.

use std::time::{Duration, Instant};

use auris_engine_core::{CallContext, EngineError};
use auris_models::RemoteModel;
use reqwest::StatusCode;
use reqwest::blocking::{Client, RequestBuilder, Response};

const TRIES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(10);
const SAID: usize = 300;
/// How often a waiting caller looks whether it is still wanted.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A failure, and whether and when another try makes sense.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: EngineError,
    pub(super) again_after: Option<Duration>,
    pub(super) status: Option<StatusCode>,
}

impl Failure {
    /// Another try would not help.
    pub(super) fn last(error: EngineError) -> Self {
        Self { error, again_after: None, status: None }
    }

    pub(super) fn is_transient(&self) -> bool {
        matches!(self.error, EngineError::Backend { transient: true, .. })
    }
}

/// Calls until it goes well or makes no sense any more.
pub(super) fn with_retries<T>(
    context: &CallContext,
    mut once: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut wait = FIRST_WAIT;
    let mut tries = 1;
    loop {
        match once() {
            Ok(answer) => return Ok(answer),
            Err(failure) if tries == TRIES => return Err(failure),
            Err(failure) => match failure.again_after {
                Some(asked) => sleep(wait.max(asked).min(LONGEST_WAIT), context).map_err(Failure::last)?,
                None => return Err(failure),
            },
        }
        (tries, wait) = (tries + 1, wait * 2);
    }
}

/// A request to the server, with its time limit and key.
pub(super) fn post(remote: &RemoteModel, path: &str) -> Result<RequestBuilder, reqwest::Error> {
    let timeout = Duration::from_secs(remote.timeout_seconds);
    let client = Client::builder().timeout(timeout).connect_timeout(CONNECT).build()?;
    let request = client.post(format!("{}/{path}", remote.base_url.trim_end_matches('/')));
    let key = remote.key_env.as_ref().and_then(|name| std::env::var(name).ok());
    Ok(match key {
        Some(key) => request.bearer_auth(key),
        None => request,
    })
}

pub(super) fn unreachable(error: reqwest::Error) -> Failure {
    let error = error.without_url();
    let message = format!("The model's server cannot be reached: {error}.");
    let error = EngineError::Backend { message, transient: true };
    Failure { error, again_after: Some(Duration::ZERO), status: None }
}

/// 429 and 5xx are worth another try, other refusals are not.
pub(super) fn refuse_errors(response: Response) -> Result<Response, Failure> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let transient = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let asked = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    let again_after = transient.then(|| Duration::from_secs(asked.unwrap_or(0)));
    let message = format!("The model's server answered {}{}.", status.as_u16(), said(response));
    Err(Failure { error: EngineError::Backend { message, transient }, again_after, status: Some(status) })
}

/// The server's own words, shortened; operators find their mistakes by them.
fn said(response: Response) -> String {
    let body: serde_json::Value = response.json().unwrap_or_default();
    let message = body["error"]["message"].as_str().or_else(|| body["error"].as_str()).unwrap_or_default();
    let message: String = message.chars().filter(|character| !character.is_control()).take(SAID).collect();
    if message.is_empty() { message } else { format!(": {}", message.trim_end_matches('.')) }
}

pub(super) fn sleep(time: Duration, context: &CallContext) -> Result<(), EngineError> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        context.check()?;
        std::thread::sleep(LOOK_EVERY.min(end.saturating_duration_since(Instant::now())));
    }
    Ok(())
}
