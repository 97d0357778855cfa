//! The client that delivers: it dials checked addresses only, follows nothing, and reads no more than it keeps.

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

use super::guard::{Forbidden, Guard};

/// An answer this small is read to its end, so that the connection can be used again.
const READ_AT_MOST: usize = 16 * 1024;
/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(30);
const MESSAGE_CHARACTERS: usize = 300;
const USER_AGENT: &str = concat!("Auris/", env!("CARGO_PKG_VERSION"), " (webhooks)");

/// What a test says of a name.
pub type Lookup = dyn Fn(&str) -> Vec<IpAddr> + Send + Sync;

/// How a name becomes addresses.
#[derive(Clone)]
pub enum Names {
    /// As the machine does it.
    System,
    /// As a test says.
    Given(Arc<Lookup>),
}

/// What a client is made of.
#[derive(Clone)]
pub struct ClientSettings {
    pub guard: Guard,
    pub names: Names,
    /// Certificates that are trusted beside the system's, in PEM.
    pub extra_certificates: Option<Vec<u8>>,
    pub connect_timeout: Duration,
    /// From the first byte to the status.
    pub timeout: Duration,
}

/// One signed message to one address.
#[derive(Debug, Clone)]
pub struct Message {
    pub url: String,
    pub id: String,
    pub timestamp: i64,
    pub signature: String,
    pub body: Bytes,
}

/// What the receiver said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub retry_after: Option<String>,
    /// The first kilobyte of it.
    pub answer: String,
}

/// There was no status; the text says why, for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SendError(pub String);

/// Delivers messages. Cheap to clone; its clones share their connections.
#[derive(Clone)]
pub struct GuardedClient {
    http: Client,
    guard: Guard,
    timeout: Duration,
}

impl GuardedClient {
    pub fn new(settings: ClientSettings) -> Result<Self, SendError> {
        let certificates = match &settings.extra_certificates {
            Some(pem) => Certificate::from_pem_bundle(pem).map_err(|error| SendError(told(&error)))?,
            None => Vec::new(),
        };
        let built = builder(&settings).tls_certs_merge(certificates.clone()).build();
        let http = built.or_else(|error| {
            // A small image may have no certificates at all; receivers in the own network work there all the same.
            tracing::warn!(%error, "no system certificates: only receivers of webhooks.ca_file can be trusted");
            builder(&settings).tls_certs_only(certificates).build()
        });
        let http = http.map_err(|error| SendError(told(&error)))?;
        Ok(Self { http, guard: settings.guard, timeout: settings.timeout })
    }

    /// Sends a message and waits for its status, within the time that a receiver has.
    pub async fn send(&self, message: &Message) -> Result<Reply, SendError> {
        let url = self.checked(&message.url)?;
        let deadline = Instant::now() + self.timeout;
        let request = self.http.post(url).headers(headers(message)?).body(message.body.clone());
        let response = match timeout_at(deadline, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(SendError(told(&error.without_url()))),
            Err(_) => return Err(SendError(format!("no answer within {} ms", self.timeout.as_millis()))),
        };
        let status = response.status().as_u16();
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.map(str::to_owned);
        Ok(Reply { status, retry_after, answer: beginning(response, deadline).await })
    }

    /// The address that will be dialled, unless it is a number that must not be. Names are looked at when they are resolved.
    fn checked(&self, text: &str) -> Result<Url, SendError> {
        let url = Url::parse(text).map_err(|error| SendError(format!("no address: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SendError(format!("`{}` is no scheme for webhooks", url.scheme())));
        }
        let host = url.host_str().unwrap_or_default();
        let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        if let Ok(address) = number {
            self.guard.check(address).map_err(|forbidden| SendError(forbidden.to_string()))?;
        }
        Ok(url)
    }
}

fn builder(settings: &ClientSettings) -> reqwest::ClientBuilder {
    Client::builder()
        .user_agent(USER_AGENT)
        .redirect(redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(settings.connect_timeout)
        .pool_idle_timeout(IDLE)
        .dns_resolver(Arc::new(GuardedNames { guard: settings.guard.clone(), names: settings.names.clone() }))
}

fn headers(message: &Message) -> Result<HeaderMap, SendError> {
    let value =
        |text: &str| HeaderValue::from_str(text).map_err(|_| SendError("a header cannot be written".into()));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("webhook-id", value(&message.id)?);
    headers.insert("webhook-timestamp", HeaderValue::from(message.timestamp));
    headers.insert("webhook-signature", value(&message.signature)?);
    Ok(headers)
}

/// The status counts; what follows is kept for people, as far as it comes in time.
async fn beginning(mut response: Response, deadline: Instant) -> String {
    let (mut kept, mut read) = (Vec::new(), 0);
    while read < READ_AT_MOST {
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

/// A failure with its causes, in one line.
fn told(error: &(dyn Error + 'static)) -> String {
    let (mut text, mut source) = (error.to_string(), error.source());
    while let Some(cause) = source {
        if cause.is::<Forbidden>() || cause.is::<NotFound>() {
            return cause.to_string();
        }
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text.replace('\0', "\u{fffd}").chars().take(MESSAGE_CHARACTERS).collect()
}

/// Resolves a name once for a connection, and hands on only what may be dialled: the connector knows no other address.
struct GuardedNames {
    guard: Guard,
    names: Names,
}

#[derive(Debug, thiserror::Error)]
#[error("the name `{0}` has no address")]
struct NotFound(String);

impl Resolve for GuardedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, names) = (self.guard.clone(), self.names.clone());
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
