//! The measures, and one turn of a program at one of them.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use reqwest::{Client, RequestBuilder};

use super::contender::{Contender, Side};
use crate::fixture;

#[derive(Clone, Copy, Debug)]
pub(super) enum Measure {
    ReadSmallJob,
    ReadLargeJob,
    List,
    RunJob,
    CreateJob,
    EventsOfSmallJob,
    EventsOfLargeJob,
}

/// How many requests were made, and what they cost the server.
pub(super) struct Turn {
    requests: u64,
    cpu_seconds: f64,
    elapsed: Duration,
}

impl Measure {
    pub(super) const ALL: [Self; 7] = [
        Self::ReadSmallJob,
        Self::ReadLargeJob,
        Self::List,
        Self::RunJob,
        Self::CreateJob,
        Self::EventsOfSmallJob,
        Self::EventsOfLargeJob,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ReadSmallJob => "read a small job",
            Self::ReadLargeJob => "read a large job",
            Self::List => "list 100 jobs",
            Self::RunJob => "small job from POST to completed",
            Self::CreateJob => "create a job (202 only)",
            Self::EventsOfSmallJob => "events of a small finished job",
            Self::EventsOfLargeJob => "events of a large finished job",
        }
    }

    /// Requests of the first turn, which warms both servers up and shows how many fit into a turn.
    pub(super) fn first_requests(self) -> u64 {
        match self {
            Self::ReadSmallJob | Self::EventsOfSmallJob => 400,
            Self::RunJob | Self::CreateJob => 100,
            Self::ReadLargeJob | Self::List | Self::EventsOfLargeJob => 100,
        }
    }

    fn side(self, contender: &Contender) -> &Side {
        match self {
            Self::CreateJob => &contender.api_only,
            Self::ReadSmallJob
            | Self::ReadLargeJob
            | Self::List
            | Self::RunJob
            | Self::EventsOfSmallJob
            | Self::EventsOfLargeJob => &contender.whole,
        }
    }

    fn request(self, client: &Client, contender: &Contender) -> RequestBuilder {
        let side = self.side(contender);
        let url = |path: String| format!("{}{path}", side.server.base);
        let Contender { small_job, large_job, .. } = contender;
        let request = match self {
            Self::ReadSmallJob => client.get(url(format!("/v1/jobs/{small_job}"))),
            Self::ReadLargeJob => client.get(url(format!("/v1/jobs/{large_job}"))),
            Self::List => client.get(url("/v1/jobs?limit=100".to_owned())),
            Self::RunJob | Self::CreateJob => {
                client.post(url("/v1/audio/analyses".to_owned())).json(&fixture::analysis())
            }
            Self::EventsOfSmallJob => client.get(url(format!("/v1/jobs/{small_job}/events"))),
            Self::EventsOfLargeJob => client.get(url(format!("/v1/jobs/{large_job}/events"))),
        };
        request.bearer_auth(&side.fixture.key)
    }
}

impl Turn {
    /// Makes the requests on as many connections, and waits until the jobs that they created are completed.
    pub(super) async fn take(
        measure: Measure,
        contender: &Contender,
        connections: usize,
        requests: u64,
    ) -> anyhow::Result<Self> {
        let side = measure.side(contender);
        let client = fixture::client()?;
        let request = measure.request(&client, contender);
        let before = side.server.cpu_seconds()?;
        let started = Instant::now();
        let calls = (0..requests).map(|_| send(&request));
        stream::iter(calls).buffer_unordered(connections).try_for_each(async |()| Ok(())).await?;
        if matches!(measure, Measure::RunJob) {
            side.queue_is_empty().await?;
        }
        let cpu_seconds = side.server.cpu_seconds()? - before;
        Ok(Self { requests, cpu_seconds, elapsed: started.elapsed() })
    }

    /// How many requests of this kind take about the given time.
    pub(super) fn requests_in(&self, time: Duration) -> u64 {
        (self.requests as f64 * time.as_secs_f64() / self.elapsed.as_secs_f64()) as u64
    }

    pub(super) fn cpu_microseconds_per_request(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.requests as f64
    }
}

async fn send(request: &RequestBuilder) -> anyhow::Result<()> {
    let request = request.try_clone().context("the body is not a stream")?;
    let response = request.send().await?;
    let status = response.status();
    let body = response.bytes().await?;
    ensure!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
    Ok(())
}
