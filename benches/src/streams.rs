//! `bench streams`: what idle event streams cost in memory, and how soon an event reaches all of them.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::database::DatabaseKind;
use crate::home::{self, Home};
use crate::options::Options;
use crate::report::build;
use crate::server::{Role, Server};

const PATIENCE: Duration = Duration::from_secs(120);
/// What is still freed or made after the last stream is open.
const REST: Duration = Duration::from_secs(3);

pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let mut measures = Vec::new();
    for kind in DatabaseKind::available() {
        measures.push(measure(kind, options.streams).await?);
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        return Ok(writeln!(
            out,
            "{:#}",
            json!({"bench": "streams", "build": build(), "measures": measures})
        )?);
    }
    writeln!(out, "build: {}; {} idle event streams on one node", build(), options.streams)?;
    for one in &measures {
        writeln!(
            out,
            "{:<11} {:>7.2} KiB a stream, the event reached half in {:.0} ms and all in {:.0} ms",
            one["database"].as_str().unwrap_or_default(),
            one["kib_per_stream"].as_f64().unwrap_or(f64::NAN),
            one["half_ms"].as_f64().unwrap_or(f64::NAN),
            one["all_ms"].as_f64().unwrap_or(f64::NAN),
        )?;
    }
    Ok(writeln!(out, "goals: under 10 KiB a stream, under 1,000 ms to all")?)
}

async fn measure(kind: DatabaseKind, count: usize) -> anyhow::Result<Value> {
    let home = Home::create(kind).await?;
    let server = Server::start(&home, Role::All).await?;
    let job = running_job(&home, &server).await?;
    // The first stream makes what every stream uses.
    let warm = open(&home, &server, &job).await?;
    let before = server.memory("VmRSS")?;
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(open(&home, &server, &job).await?);
    }
    tokio::time::sleep(REST).await;
    let grown = server.memory("VmRSS")?.saturating_sub(before);
    let arrivals = cancel_and_wait(&home, &server, &job, streams).await?;
    drop(warm);
    Ok(json!({
        "database": kind.name(),
        "streams": count,
        "kib_per_stream": grown as f64 / 1024.0 / count as f64,
        "half_ms": arrivals[arrivals.len() / 2],
        "all_ms": arrivals[arrivals.len() - 1],
    }))
}

/// A job that runs until it is cancelled.
async fn running_job(home: &Home, server: &Server) -> anyhow::Result<String> {
    let body =
        json!({"transcript": {"text": "Anna met Boris. fake:delay=3000000"}, "processing": {"summary": {}}});
    let url = format!("{}/v1/audio/analyses", server.base);
    let answer =
        home::client()?.post(url).bearer_auth(&home.key).json(&body).send().await?.error_for_status()?;
    let job: Value = answer.json().await?;
    let id = job["id"].as_str().context("a job has an id")?.to_owned();
    let began = Instant::now();
    loop {
        let read: Value =
            serde_json::from_slice(&home::read(home, server, &format!("/v1/jobs/{id}")).await?)?;
        if read["status"] == "in_progress" {
            return Ok(id);
        }
        ensure!(began.elapsed() < PATIENCE, "the job does not run: {read}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A stream that has told everything so far.
async fn open(home: &Home, server: &Server, job: &str) -> anyhow::Result<TcpStream> {
    let address = server.base.strip_prefix("http://").context("an address")?;
    let mut stream = TcpStream::connect(address).await?;
    let head = format!(
        "GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\r\n",
        home.key
    );
    stream.write_all(head.as_bytes()).await?;
    until(&mut stream, b"event: job.step.in_progress").await?;
    Ok(stream)
}

/// Milliseconds from the cancel to the terminal event on each stream, in order.
async fn cancel_and_wait(
    home: &Home,
    server: &Server,
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
    home::client()?.post(url).bearer_auth(&home.key).send().await?.error_for_status()?;
    let mut arrivals = Vec::new();
    while let Some(arrived) = readers.join_next().await {
        arrivals.push((arrived?? - began).as_secs_f64() * 1000.0);
    }
    arrivals.sort_by(f64::total_cmp);
    Ok(arrivals)
}

async fn until(stream: &mut TcpStream, wanted: &[u8]) -> anyhow::Result<()> {
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = tokio::time::timeout(PATIENCE, stream.read(&mut chunk)).await??;
        ensure!(count > 0, "the stream ended: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&chunk[..count]);
        if seen.windows(wanted.len()).any(|window| window == wanted) {
            return Ok(());
        }
    }
}
