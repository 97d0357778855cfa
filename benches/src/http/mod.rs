//! HTTP requests as work: the same client and the same requests for the server and for the bare axum handler.

pub(crate) mod axum_baseline;

use std::sync::Arc;

use anyhow::ensure;
use bytes::Bytes;
use reqwest::Method;

use crate::fixture;
use crate::measure::Work;

/// What is sent. Each worker starts at a different path.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) paths: Arc<Vec<String>>,
    pub(crate) body: Option<Bytes>,
    pub(crate) status: u16,
    /// How many units a response counts as.
    pub(crate) count: fn(&[u8]) -> u64,
}

pub(crate) struct HttpWorker {
    client: reqwest::Client,
    base: String,
    key: String,
    request: Request,
    next: usize,
}

/// As many workers as connections, on one client.
pub(crate) fn workers(
    base: &str,
    key: &str,
    request: &Request,
    connections: usize,
) -> anyhow::Result<Vec<HttpWorker>> {
    let client = fixture::client()?;
    let stride = request.paths.len() / connections.max(1);
    let worker = |index| HttpWorker {
        client: client.clone(),
        base: base.to_owned(),
        key: key.to_owned(),
        request: request.clone(),
        next: index * stride,
    };
    Ok((0..connections).map(worker).collect())
}

impl Work for HttpWorker {
    async fn once(&mut self) -> anyhow::Result<u64> {
        let path = &self.request.paths[self.next % self.request.paths.len()];
        self.next += 1;
        let mut call = self.client.request(self.request.method.clone(), format!("{}{path}", self.base));
        call = call.bearer_auth(&self.key);
        if let Some(body) = &self.request.body {
            call = call.header("content-type", "application/json").body(body.clone());
        }
        let response = call.send().await?;
        let status = response.status().as_u16();
        let body = response.bytes().await?;
        ensure!(status == self.request.status, "{path}: {status} {}", String::from_utf8_lossy(&body));
        Ok((self.request.count)(&body))
    }
}

pub(crate) fn one(_: &[u8]) -> u64 {
    1
}

/// The number of events in a stream: each has one line with its id.
pub(crate) fn events(body: &[u8]) -> u64 {
    body.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"id: ")).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_not_counted_as_events() {
        assert_eq!(events(b"id: 1\nevent: a\ndata: {}\n\n: still here\n\nid: 2\nevent: b\ndata: {}\n\n"), 2);
    }
}
