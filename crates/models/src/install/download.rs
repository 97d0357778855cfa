//! Downloads a file over HTTP. A broken connection is resumed where it stopped.

use std::io::{self, Read};
use std::pin::pin;
use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, RANGE};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::error::InstallError;
use super::part_file::{CANCELLED, PartFile};
use super::sink::PullSink;

/// Maximum time without a byte from the server.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// How often a download that waits for the server checks whether it was cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// One download into a part file.
pub(super) struct Download<'a> {
    pub(super) url: &'a str,
    /// Where the bytes of this source start in the file; the bytes before came from another source.
    pub(super) begin: u64,
    pub(super) part: &'a PartFile<'a>,
}

/// Sends requests, and waits for the server only for a short time at once.
struct Http {
    client: Client,
    runtime: Runtime,
}

/// The body of a response. Reading it fails with `WouldBlock` if nothing arrives for a short time.
struct Body<'a> {
    http: &'a Http,
    response: Response,
    /// Bytes that arrived and were not read yet.
    arrived: io::Cursor<bytes::Bytes>,
}

/// How one connection ended.
enum Connection {
    Complete,
    /// It broke, possibly after some bytes.
    Broken(InstallError),
}

impl Download<'_> {
    /// Fetches all bytes of the source. Reconnects as long as each connection delivers at least one byte.
    pub(super) fn run(&self, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let http = Http::new()?;
        loop {
            let before = self.part.size();
            if self.begin == 0 && before == self.part.full_size {
                return Ok(());
            }
            match self.connect(&http, sink)? {
                Connection::Complete => return Ok(()),
                Connection::Broken(error) if self.part.size() <= before || sink.is_cancelled() => {
                    return Err(error);
                }
                Connection::Broken(error) => sink.warning(&format!("{error}; resuming the download")),
            }
        }
    }

    fn connect(&self, http: &Http, sink: &mut dyn PullSink) -> Result<Connection, InstallError> {
        let have = self.part.size().saturating_sub(self.begin);
        let mut request = http.client.get(self.url);
        if have > 0 {
            request = request.header(RANGE, format!("bytes={have}-"));
        }
        let response = match http.send(request, sink) {
            Ok(response) => response,
            Err(error) => return Ok(Connection::Broken(error)),
        };
        if have > 0 && !continues_at(&response, have) {
            // The server does not support ranges, or has another file than before.
            self.part.truncate(self.begin)?;
            if response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
                return self.connect(http, sink);
            }
        }
        let response = response.error_for_status().map_err(without_url)?;
        self.receive(Body { http, response, arrived: io::Cursor::default() }, sink)
    }

    fn receive(&self, mut body: Body<'_>, sink: &mut dyn PullSink) -> Result<Connection, InstallError> {
        match self.part.append(&mut body, sink) {
            Ok(()) => Ok(Connection::Complete),
            Err(error) if self.part.size() > self.part.full_size => {
                // Not a broken connection: a second request would return too much again.
                self.part.truncate(0)?;
                Err(InstallError::new(error.to_string()))
            }
            Err(error) => Ok(Connection::Broken(InstallError::new(error.to_string()))),
        }
    }
}

impl Http {
    fn new() -> Result<Self, InstallError> {
        auris_tls::use_ring();
        let client = Client::builder().read_timeout(READ_TIMEOUT).connect_timeout(CONNECT_TIMEOUT).build();
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| InstallError::new(error.to_string()))?;
        Ok(Self { client: client.map_err(without_url)?, runtime })
    }

    /// Sends a request and waits for the head of the response, or until the pull is cancelled.
    fn send(&self, request: RequestBuilder, sink: &dyn PullSink) -> Result<Response, InstallError> {
        let mut response = pin!(async { request.send().await });
        loop {
            let waited = self.runtime.block_on(async { timeout(CHECK_INTERVAL, &mut response).await });
            match waited {
                Ok(response) => return response.map_err(without_url),
                Err(_) if sink.is_cancelled() => return Err(InstallError::new(CANCELLED)),
                Err(_) => {}
            }
        }
    }
}

impl Read for Body<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.arrived.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        let next = self.response.chunk();
        let waited = self.http.runtime.block_on(async { timeout(CHECK_INTERVAL, next).await });
        let chunk = waited.map_err(|_| io::ErrorKind::WouldBlock)?;
        match chunk.map_err(|error| io::Error::other(without_url(error)))? {
            Some(bytes) => {
                self.arrived = io::Cursor::new(bytes);
                self.read(buffer)
            }
            None => Ok(0),
        }
    }
}

/// Whether the response is the rest of the file from `have` on.
fn continues_at(response: &Response, have: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    response.status() == StatusCode::PARTIAL_CONTENT
        && range.is_some_and(|range| range.starts_with(&format!("bytes {have}-")))
}

/// Leaves the URL out of the message, because it may contain a password.
fn without_url(error: reqwest::Error) -> InstallError {
    let error = error.without_url();
    let source = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
    InstallError::new(format!("{error}{source}"))
}
