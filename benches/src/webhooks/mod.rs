//! `bench webhooks`: deliveries per second to a receiver over TLS, next to a bare HTTP client with the same receiver.

pub(crate) mod client_baseline;
mod report;
mod tls_receiver;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;

use crate::fixture::{self, Fixture, Role, ServerProcess};
use crate::measure::RoundTime;
use crate::report::{Output, Report};
use crate::sql;
use crate::sql::database::DatabaseKind;
use client_baseline::ClientBaseline;
use report::{DeliveryRates, Rounds};
use tls_receiver::TlsReceiver;

const ROUNDS: usize = 3;
/// Concurrent requests to one receiver, by the server and by the bare client. The server's default.
const DELIVERIES_AT_ONCE: usize = 16;
/// Deliveries before a round is measured, so that connections exist and caches are warm.
const WARM_UP: u64 = 300;
/// How long the bench waits for deliveries before it gives up.
const DEADLINE: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(crate) struct WebhooksOptions {
    /// Deliveries that are waiting when the measurement starts
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1_000..=1_000_000))]
    deliveries: u64,
    #[command(flatten)]
    round: RoundTime,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(options: &WebhooksOptions) -> anyhow::Result<()> {
    let mut measures = Vec::new();
    for kind in DatabaseKind::available() {
        measures.push(measure(kind, options).await.with_context(|| kind.name())?);
    }
    Report { bench: "webhooks", table: report::table(&measures)?, measures }.publish(&options.output)
}

async fn measure(kind: DatabaseKind, options: &WebhooksOptions) -> anyhow::Result<DeliveryRates> {
    let fixture = Fixture::create(kind).await?;
    let receiver = TlsReceiver::start(fixture.folder()).await?;
    let (id, body) = first_delivery(&fixture, &receiver).await?;
    let idle_bytes = {
        let server = ServerProcess::start_with(&fixture, Role::All, &settings(&receiver, true)).await?;
        receiver.reaches(1, DEADLINE).await?;
        server.memory("VmRSS")?
    };
    fill(&fixture, &id, options.deliveries).await?;
    let mut rounds = Rounds::default();
    for _ in 0..ROUNDS {
        {
            let _sender = ClientBaseline::start(&receiver, &body, fixture.folder())?;
            rounds.bare_client.push(received_rate(&receiver, options.round.duration()).await?);
        }
        let server = ServerProcess::start_with(&fixture, Role::All, &settings(&receiver, true)).await?;
        rounds.delivered.push(received_rate(&receiver, options.round.duration()).await?);
        rounds.peak_bytes.push(server.memory("VmHWM")? as f64);
    }
    Ok(DeliveryRates::new(kind, options.deliveries, idle_bytes, &rounds))
}

fn settings(receiver: &TlsReceiver, deliver: bool) -> Vec<(&'static str, String)> {
    vec![
        ("AURIS_WEBHOOKS__DELIVER", deliver.to_string()),
        ("AURIS_WEBHOOKS__ALLOWED_NETWORKS", "127.0.0.0/8".to_owned()),
        ("AURIS_WEBHOOKS__CA_FILE", receiver.authority().display().to_string()),
        ("AURIS_WEBHOOKS__PER_ENDPOINT", DELIVERIES_AT_ONCE.to_string()),
    ]
}

/// A job with a delivery that is waiting; all other deliveries are copies of it.
async fn first_delivery(fixture: &Fixture, receiver: &TlsReceiver) -> anyhow::Result<(String, String)> {
    let server = ServerProcess::start_with(fixture, Role::All, &settings(receiver, false)).await?;
    let request = fixture::client()?.post(format!("{}/v1/webhook_endpoints", server.base));
    let request = request.bearer_auth(&fixture.key).header("Idempotency-Key", "bench");
    request.json(&json!({"url": receiver.url()})).send().await?.error_for_status()?;
    fixture::run_job(fixture, &server).await?;
    let mut connection = fixture.database.connect().await?;
    let rows = connection.rows(&"SELECT id, body FROM deliveries".into(), &[]).await?;
    let row = rows.first().context("a finished job has a delivery")?.named_values()?;
    match row.as_slice() {
        [(_, sql::Value::Text(Some(id))), (_, sql::Value::Text(Some(body)))] => {
            Ok((id.clone(), body.clone()))
        }
        _ => anyhow::bail!("a delivery without an id or a body"),
    }
}

/// Copies of the first delivery, all due now.
async fn fill(fixture: &Fixture, first: &str, count: u64) -> anyhow::Result<()> {
    let insert = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
         INSERT INTO deliveries (id, event_id, job_id, project_id, endpoint_id, url, body, status, attempts,
             next_attempt_ms, created_at, lane)
         SELECT 'dlv_000000000' || CAST(10000000000 + n AS TEXT), event_id, job_id, project_id, endpoint_id, url, body,
             'pending', 0, 1, created_at, lane
         FROM deliveries, numbers WHERE id = $1"
    );
    let mut connection = fixture.database.connect().await?;
    let written = connection.write(&insert.into(), &[first.into()]).await?;
    ensure!(written == count, "{written} deliveries instead of {count}");
    match fixture.database.kind {
        DatabaseKind::Sqlite => Ok(()),
        // Autovacuum would do the same some seconds later.
        DatabaseKind::Postgres => connection.script("VACUUM (ANALYZE) deliveries").await,
    }
}

/// Requests per second that the receiver gets, after a warm-up.
async fn received_rate(receiver: &TlsReceiver, round: Duration) -> anyhow::Result<f64> {
    let before = receiver.count.load(Ordering::SeqCst);
    receiver.reaches(before + WARM_UP, DEADLINE).await?;
    let first = receiver.count.load(Ordering::SeqCst);
    let started = Instant::now();
    tokio::time::sleep(round).await;
    let sent = receiver.count.load(Ordering::SeqCst) - first;
    Ok(sent as f64 / started.elapsed().as_secs_f64())
}
