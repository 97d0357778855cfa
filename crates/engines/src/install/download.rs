//! A file over HTTP: what was fetched before stays, and a connection that breaks is taken up again.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::blocking::{Client, Response};
use reqwest::header::{CONTENT_RANGE, RANGE};

use super::fetch::Fetcher;
use super::{InstallError, PullSink};

/// How long a connection may say nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// One download into the fetcher's file.
pub(super) struct Download<'a> {
    pub(super) url: &'a str,
    /// Where in the file this source's bytes begin; what was there before it is not its own.
    pub(super) begin: u64,
    pub(super) fetcher: &'a Fetcher<'a>,
}

/// How one connection ended.
enum Ended {
    Whole,
    /// Broken off, after some bytes or none.
    Broken(InstallError),
}

impl Download<'_> {
    /// Fetches until the source has no more to give; as long as each connection brings something, another is made.
    pub(super) fn run(&self, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let client =
            Client::builder().timeout(PATIENCE).connect_timeout(PATIENCE / 3).build().map_err(told)?;
        loop {
            let before = self.fetcher.present();
            if self.begin == 0 && before == self.fetcher.file.bytes {
                return Ok(());
            }
            match self.connection(&client, sink)? {
                Ended::Whole => return Ok(()),
                Ended::Broken(error) if self.fetcher.present() <= before => return Err(error),
                Ended::Broken(error) => sink.warning(&format!("{error}; it is taken up again")),
            }
        }
    }

    fn connection(&self, client: &Client, sink: &mut dyn PullSink) -> Result<Ended, InstallError> {
        let have = self.fetcher.present().saturating_sub(self.begin);
        let mut request = client.get(self.url);
        if have > 0 {
            request = request.header(RANGE, format!("bytes={have}-"));
        }
        let response = match request.send() {
            Ok(response) => response,
            Err(error) => return Ok(Ended::Broken(told(error))),
        };
        if have > 0 && !continues(&response, have) {
            // It knows no ranges, or holds another file than before.
            self.fetcher.cut(self.begin)?;
            if response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
                return self.connection(client, sink);
            }
        }
        let mut response = response.error_for_status().map_err(told)?;
        match self.fetcher.write(&mut response, sink) {
            Ok(()) => Ok(Ended::Whole),
            Err(error) if self.fetcher.present() > self.fetcher.file.bytes => {
                // Too much is no broken connection: asked again, it would come again.
                self.fetcher.cut(0)?;
                Err(InstallError::new(error.to_string()))
            }
            Err(error) => Ok(Ended::Broken(InstallError::new(error.to_string()))),
        }
    }
}

/// Whether the answer is the rest of the file from `have` on.
fn continues(response: &Response, have: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    response.status() == StatusCode::PARTIAL_CONTENT
        && range.is_some_and(|range| range.starts_with(&format!("bytes {have}-")))
}

/// Without the address, which may hold a password.
fn told(error: reqwest::Error) -> InstallError {
    let error = error.without_url();
    let source = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
    InstallError::new(format!("{error}{source}"))
}
