//! A bare axum handler in a separate process. It returns bodies that the real server returned before.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use bytes::Bytes;
use tokio::net::TcpListener;

const CREATED: &str = "created.json";
const JOB: &str = "job.json";
const EVENTS: &str = "events.txt";

/// The bodies that it returns.
#[derive(Clone)]
pub(crate) struct Answers {
    pub(crate) created: Bytes,
    pub(crate) job: Bytes,
    pub(crate) events: Bytes,
}

/// The running process; killed when dropped.
pub(crate) struct AxumBaseline {
    child: Child,
    pub(crate) base: String,
}

impl AxumBaseline {
    pub(crate) fn start(answers: &Answers, folder: &Path) -> anyhow::Result<Self> {
        for (name, body) in [(CREATED, &answers.created), (JOB, &answers.job), (EVENTS, &answers.events)] {
            std::fs::write(folder.join(name), body)?;
        }
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("axum-baseline").arg(folder).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut handler = Self { child: command.spawn()?, base: String::new() };
        let output = handler.child.stdout.take().context("the standard output is piped")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        handler.base = format!("http://{}", line.trim());
        Ok(handler)
    }
}

impl Drop for AxumBaseline {
    fn drop(&mut self) {
        // Errors mean that the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs in the separate process: prints its address on standard output and serves until it is killed.
pub(crate) async fn serve(folder: &Path) -> anyhow::Result<()> {
    let read = |name: &str| std::fs::read(folder.join(name)).map(Bytes::from);
    let answers = Answers { created: read(CREATED)?, job: read(JOB)?, events: read(EVENTS)? };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut output = std::io::stdout();
    writeln!(output, "{}", listener.local_addr()?)?;
    output.flush()?;
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, router(answers)).await?)
}

fn router(answers: Answers) -> Router {
    Router::new()
        .route("/v1/audio/analyses", post(created))
        .route("/v1/jobs/{jobId}", get(job))
        .route("/v1/jobs/{jobId}/events", get(events))
        .with_state(answers)
}

async fn created(State(answers): State<Answers>, _body: Bytes) -> Response {
    (StatusCode::ACCEPTED, [(header::CONTENT_TYPE, "application/json")], answers.created).into_response()
}

async fn job(State(answers): State<Answers>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], answers.job).into_response()
}

async fn events(State(answers): State<Answers>) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], answers.events).into_response()
}
