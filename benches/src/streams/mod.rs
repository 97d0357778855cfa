//! `bench streams`: the memory of idle event streams, and how soon an event reaches all of them.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::fixture::{self, Fixture, Role, ServerProcess};
use crate::report::{Output, Report, build_profile};
use crate::sql::database::DatabaseKind;

/// How long the server may take for anything that the bench waits for.
const DEADLINE: Duration = Duration::from_secs(120);
/// The server still frees and allocates memory for a moment after the last stream is open.
const SETTLE_TIME: Duration = Duration::from_secs(3);

#[derive(Debug, Serialize)]
struct StreamFigures {
    database: &'static str,
    streams: u64,
    kib_per_stream: f64,
    half_ms: f64,
    all_ms: f64,
}

#[derive(Args)]
pub(crate) struct StreamsOptions {
    /// Event streams that are open at the same time
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(10..=15_000))]
    streams: u64,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(options: &StreamsOptions) -> anyhow::Result<()> {
    let mut measures = Vec::new();
    for kind in DatabaseKind::available() {
        measures.push(measure(kind, options.streams).await?);
    }
    let mut table =
        format!("build: {}; {} idle event streams on one node\n", build_profile(), options.streams);
    for one in &measures {
        writeln!(
            table,
            "{:<11} {:>7.2} KiB per stream; the event reached half of them in {:.0} ms and all in {:.0} ms",
            one.database, one.kib_per_stream, one.half_ms, one.all_ms,
        )?;
    }
    table += "goals: under 10 KiB per stream, under 1,000 ms to all";
    Report { bench: "streams", table, measures }.publish(&options.output)
}

async fn measure(kind: DatabaseKind, count: u64) -> anyhow::Result<StreamFigures> {
    let fixture = Fixture::create(kind).await?;
    let server = ServerProcess::start(&fixture, Role::All).await?;
    let job = running_job(&fixture, &server).await?;
    // The first stream allocates what all streams share.
    let first = open(&fixture, &server, &job).await?;
    let before = server.memory("VmRSS")?;
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(open(&fixture, &server, &job).await?);
    }
    tokio::time::sleep(SETTLE_TIME).await;
    let grown = server.memory("VmRSS")?.saturating_sub(before);
    let arrivals = cancel_and_wait(&fixture, &server, &job, streams).await?;
    drop(first);
    Ok(StreamFigures {
        database: kind.name(),
        streams: count,
        kib_per_stream: grown as f64 / 1024.0 / count as f64,
        half_ms: arrivals[arrivals.len() / 2],
        all_ms: arrivals[arrivals.len() - 1],
    })
}

/// A job that runs until it is cancelled.
async fn running_job(fixture: &Fixture, server: &ServerProcess) -> anyhow::Result<String> {
    let text = "Anna met Boris. fake:delay=3000000";
    let body = json!({"transcript": {"text": text}, "processing": {"summary": {}}});
    let (id, _) = fixture::submit(fixture, server, &body).await?;
    let began = Instant::now();
    loop {
        let body = fixture::read(fixture, server, &format!("/v1/jobs/{id}")).await?;
        let job: Value = serde_json::from_slice(&body)?;
        if job["status"] == "in_progress" {
            return Ok(id);
        }
        ensure!(began.elapsed() < DEADLINE, "the job did not start: {job}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// An event stream that has received all events so far.
async fn open(fixture: &Fixture, server: &ServerProcess, job: &str) -> anyhow::Result<TcpStream> {
    let address = server.base.strip_prefix("http://").context("the base URL starts with http://")?;
    let mut stream = TcpStream::connect(address).await?;
    let head = format!(
        "GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\r\n",
        fixture.key
    );
    stream.write_all(head.as_bytes()).await?;
    until(&mut stream, b"event: job.step.in_progress").await?;
    Ok(stream)
}

/// Milliseconds from the cancel request to its event on each stream, sorted.
async fn cancel_and_wait(
    fixture: &Fixture,
    server: &ServerProcess,
    job: &str,
    streams: Vec<TcpStream>,
) -> anyhow::Result<Vec<f64>> {
    let mut readers = JoinSet::new();
    for mut stream in streams {
        readers.spawn(async move {
            until(&mut stream, b"event: job.cancelling").await?;
            anyhow::Ok(Instant::now())
        });
    }
    let url = format!("{}/v1/jobs/{job}/cancel", server.base);
    let began = Instant::now();
    fixture::client()?.post(url).bearer_auth(&fixture.key).send().await?.error_for_status()?;
    let mut arrivals = Vec::new();
    while let Some(arrived) = readers.join_next().await {
        arrivals.push((arrived?? - began).as_secs_f64() * 1000.0);
    }
    arrivals.sort_by(f64::total_cmp);
    Ok(arrivals)
}

/// Reads until the bytes have come.
async fn until(stream: &mut TcpStream, wanted: &[u8]) -> anyhow::Result<()> {
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = tokio::time::timeout(DEADLINE, stream.read(&mut chunk)).await??;
        ensure!(count > 0, "the stream ended: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&chunk[..count]);
        if seen.windows(wanted.len()).any(|window| window == wanted) {
            return Ok(());
        }
    }
}
