//! Downloads a file over HTTP. A broken connection is resumed where it stopped.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::blocking::{Client, Response};
use reqwest::header::{CONTENT_RANGE, RANGE};

use super::error::InstallError;
use super::part_file::PartFile;
use super::sink::PullSink;

/// Maximum time without a byte from the server.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// One download into a part file.
pub(super) struct Download<'a> {
    pub(super) url: &'a str,
    /// Where the bytes of this source start in the file; the bytes before came from another source.
    pub(super) begin: u64,
    pub(super) part: &'a PartFile<'a>,
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
        auris_tls::use_ring();
        let client = Client::builder().timeout(READ_TIMEOUT).connect_timeout(CONNECT_TIMEOUT).build();
        let client = client.map_err(without_url)?;
        loop {
            let before = self.part.size();
            if self.begin == 0 && before == self.part.full_size {
                return Ok(());
            }
            match self.connect(&client, sink)? {
                Connection::Complete => return Ok(()),
                Connection::Broken(error) if self.part.size() <= before || sink.is_cancelled() => {
                    return Err(error);
                }
                Connection::Broken(error) => sink.warning(&format!("{error}; resuming the download")),
            }
        }
    }

    fn connect(&self, client: &Client, sink: &mut dyn PullSink) -> Result<Connection, InstallError> {
        let have = self.part.size().saturating_sub(self.begin);
        let mut request = client.get(self.url);
        if have > 0 {
            request = request.header(RANGE, format!("bytes={have}-"));
        }
        let response = match request.send() {
            Ok(response) => response,
            Err(error) => return Ok(Connection::Broken(without_url(error))),
        };
        if have > 0 && !continues_at(&response, have) {
            // The server does not support ranges, or has another file than before.
            self.part.truncate(self.begin)?;
            if response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
                return self.connect(client, sink);
            }
        }
        self.receive(response.error_for_status().map_err(without_url)?, sink)
    }

    fn receive(&self, mut response: Response, sink: &mut dyn PullSink) -> Result<Connection, InstallError> {
        match self.part.append(&mut response, sink) {
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
