//! The HTTP client for webhooks: it connects only to allowed addresses, follows no redirects and uses no proxy.

use std::error::Error;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::webhook::ANSWER_BYTES;
use bytes::Bytes;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Certificate, Client, Response, Url, redirect};
use tokio::time::{Instant, timeout_at};

use super::guard::{Forbidden, Guard, literal_address};

/// A response of up to this many bytes is read to its end, so that the connection can be reused.
const MAX_READ_BYTES: usize = 16 * 1024;
/// How long an unused connection is kept open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum length of a stored error message.
const MESSAGE_CHARACTERS: usize = 300;
const USER_AGENT: &str = concat!("Auris/", env!("CARGO_PKG_VERSION"), " (webhooks)");

/// A test's replacement for DNS.
pub type Lookup = dyn Fn(&str) -> Vec<IpAddr> + Send + Sync;

/// How host names are resolved.
#[derive(Clone)]
pub enum Names {
    /// By the operating system.
    System,
    /// By a test.
    Given(Arc<Lookup>),
}

/// The settings of a client.
#[derive(Clone)]
pub struct ClientSettings {
    pub guard: Guard,
    pub names: Names,
    /// Certificates in PEM that are trusted in addition to the system's.
    pub extra_certificates: Option<Vec<u8>>,
    pub connect_timeout: Duration,
    /// From the start of the connection to the status and the start of the body.
    pub timeout: Duration,
}

/// One signed HTTP request to one URL.
#[derive(Debug, Clone)]
pub struct SignedRequest {
    pub url: String,
    pub id: String,
    pub timestamp: i64,
    pub signature: String,
    pub body: Bytes,
}

/// The receiver's response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookResponse {
    pub status: u16,
    pub retry_after: Option<String>,
    /// The first kilobyte of the body.
    pub answer: String,
}

impl WebhookResponse {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// There was no response; the text says why, for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SendError(pub String);

/// Sends signed requests. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct GuardedClient {
    http: Client,
    guard: Guard,
    timeout: Duration,
}

impl GuardedClient {
    pub fn new(settings: ClientSettings) -> Result<Self, SendError> {
        let certificates = match &settings.extra_certificates {
            Some(pem) => Certificate::from_pem_bundle(pem).map_err(|error| SendError(describe(&error)))?,
            None => Vec::new(),
        };
        let built = builder(&settings).tls_certs_merge(certificates.clone()).build();
        let http = built.or_else(|error| {
            // A minimal container image may have no certificates. Receivers in the operator's own network work anyway.
            tracing::warn!(%error, "no system certificates found; only receivers with a certificate of webhooks.ca_file are trusted");
            builder(&settings).tls_certs_only(certificates).build()
        });
        let http = http.map_err(|error| SendError(describe(&error)))?;
        Ok(Self { http, guard: settings.guard, timeout: settings.timeout })
    }

    /// Sends a request and waits for the status, up to the timeout.
    pub async fn send(&self, signed: &SignedRequest) -> Result<WebhookResponse, SendError> {
        let url = self.check_url(&signed.url)?;
        let deadline = Instant::now() + self.timeout;
        let request = self.http.post(url).headers(headers(signed)?).body(signed.body.clone());
        let response = match timeout_at(deadline, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(SendError(describe(&error.without_url()))),
            Err(_) => return Err(SendError(format!("no answer within {} ms", self.timeout.as_millis()))),
        };
        let status = response.status().as_u16();
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.map(str::to_owned);
        Ok(WebhookResponse { status, retry_after, answer: start_of_body(response, deadline).await })
    }

    /// Refuses a URL whose host is a forbidden IP address. Host names are checked when they are resolved.
    fn check_url(&self, text: &str) -> Result<Url, SendError> {
        let url = Url::parse(text).map_err(|error| SendError(format!("not a valid URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SendError(format!(
                "`{}` is not supported for webhook URLs; use `https`",
                url.scheme()
            )));
        }
        if let Some(address) = literal_address(&url) {
            self.guard.check(address).map_err(|forbidden| SendError(forbidden.to_string()))?;
        }
        Ok(url)
    }
}

fn builder(settings: &ClientSettings) -> reqwest::ClientBuilder {
    auris_tls::use_ring();
    Client::builder()
        .user_agent(USER_AGENT)
        .redirect(redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(settings.connect_timeout)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .dns_resolver(Arc::new(GuardedNames { guard: settings.guard.clone(), names: settings.names.clone() }))
}

fn headers(signed: &SignedRequest) -> Result<HeaderMap, SendError> {
    let value = |text: &str| {
        HeaderValue::from_str(text).map_err(|_| SendError("a header has invalid characters".into()))
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("webhook-id", value(&signed.id)?);
    headers.insert("webhook-timestamp", HeaderValue::from(signed.timestamp));
    headers.insert("webhook-signature", value(&signed.signature)?);
    Ok(headers)
}

/// The start of the body, as much as arrives in time. Only the status decides; the body is kept for people.
async fn start_of_body(mut response: Response, deadline: Instant) -> String {
    let mut kept = Vec::new();
    let mut read = 0;
    while read < MAX_READ_BYTES {
        match timeout_at(deadline, response.chunk()).await {
            Ok(Ok(Some(chunk))) => {
                read += chunk.len();
                let room = ANSWER_BYTES - kept.len();
                kept.extend_from_slice(&chunk[..chunk.len().min(room)]);
            }
            Ok(Ok(None) | Err(_)) | Err(_) => break,
        }
    }
    // Databases hold no NUL.
    String::from_utf8_lossy(&kept).replace('\0', "\u{fffd}")
}

/// An error and its causes in one line.
fn describe(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        if cause.is::<Forbidden>() || cause.is::<NotFound>() {
            return cause.to_string();
        }
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text.replace('\0', "\u{fffd}").chars().take(MESSAGE_CHARACTERS).collect()
}

/// Resolves a name once per connection and returns only allowed addresses, so the connector cannot use any other.
struct GuardedNames {
    guard: Guard,
    names: Names,
}

#[derive(Debug, thiserror::Error)]
#[error("the host name `{0}` has no address")]
struct NotFound(String);

impl Resolve for GuardedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.guard.clone();
        let names = self.names.clone();
        Box::pin(async move {
            let found = addresses(&names, name.as_str()).await?;
            let mut refused = None;
            let mut checked = Vec::new();
            for address in found {
                match guard.check(address) {
                    Ok(()) => checked.push(SocketAddr::new(address, 0)),
                    Err(forbidden) => refused = Some(forbidden),
                }
            }
            match (checked.is_empty(), refused) {
                (true, Some(forbidden)) => Err(forbidden.into()),
                (true, None) => Err(NotFound(name.as_str().to_owned()).into()),
                (false, _) => Ok(Box::new(checked.into_iter()) as Addrs),
            }
        })
    }
}

type Found<'a> = Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send + 'a>>;

fn addresses<'a>(names: &'a Names, name: &'a str) -> Found<'a> {
    Box::pin(async move {
        match names {
            Names::System => {
                let found = tokio::net::lookup_host((name, 0)).await?;
                Ok(found.map(|address| address.ip()).collect())
            }
            Names::Given(lookup) => Ok(lookup(name)),
        }
    })
}
