//! The webhooks bench: deliveries to a receiver over TLS, beside a bare sender to the same receiver.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;

use crate::bare_sender::BareSender;
use crate::database::DatabaseKind;
use crate::home::{self, Home};
use crate::options::Options;
use crate::server::{Role, Server};
use crate::sql;
use crate::tls_receiver::TlsReceiver;
use crate::webhooks_report::{self, Measure};

const ROUNDS: usize = 3;
/// What the server sends at once to one receiver by default, and so does the bare sender.
pub(crate) const AT_ONCE: usize = 16;
/// Deliveries before a round is measured: connections are made and everything is warm by then.
const WARM: u64 = 300;
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let mut measures = Vec::new();
    for kind in DatabaseKind::available() {
        measures.push(measure(kind, options).await.with_context(|| kind.name())?);
    }
    webhooks_report::print(&measures, options.json)
}

async fn measure(kind: DatabaseKind, options: &Options) -> anyhow::Result<Measure> {
    let home = Home::create(kind).await?;
    let receiver = TlsReceiver::start(home.folder()).await?;
    let (id, body) = first_delivery(&home, &receiver).await?;
    let idle = {
        let server = Server::start_with(&home, Role::All, &settings(&receiver, true)).await?;
        receiver.reaches(1, PATIENCE).await?;
        server.memory("VmRSS")?
    };
    fill(&home, &id, options.deliveries).await?;
    let (mut bare, mut delivered, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        {
            let _sender = BareSender::start(&receiver, &body, home.folder())?;
            bare.push(received_rate(&receiver, options.round).await?);
        }
        let server = Server::start_with(&home, Role::All, &settings(&receiver, true)).await?;
        delivered.push(received_rate(&receiver, options.round).await?);
        memory.push(server.memory("VmHWM")? as f64);
    }
    Ok(Measure::new(kind, options.deliveries, &delivered, &bare, (idle as f64, &memory)))
}

fn settings(receiver: &TlsReceiver, deliver: bool) -> Vec<(&'static str, String)> {
    vec![
        ("AURIS_WEBHOOKS__DELIVER", deliver.to_string()),
        ("AURIS_WEBHOOKS__ALLOWED_NETWORKS", "127.0.0.0/8".to_owned()),
        ("AURIS_WEBHOOKS__CA_FILE", receiver.authority().display().to_string()),
        ("AURIS_WEBHOOKS__PER_ENDPOINT", AT_ONCE.to_string()),
    ]
}

/// A job whose end waits to be delivered: what all the others are copies of.
async fn first_delivery(home: &Home, receiver: &TlsReceiver) -> anyhow::Result<(String, String)> {
    let server = Server::start_with(home, Role::All, &settings(receiver, false)).await?;
    let request = home::client()?.post(format!("{}/v1/webhook_endpoints", server.base));
    let request = request.bearer_auth(&home.key).header("Idempotency-Key", "bench");
    request.json(&json!({"url": receiver.url()})).send().await?.error_for_status()?;
    let (job, _) = home::submit(home, &server).await?;
    home::completed(home, &server, &job).await?;
    let mut connection = home.database.connect().await?;
    let rows = connection.rows(&"SELECT id, body FROM deliveries".into(), &[]).await?;
    let row = rows.first().context("an ended job leaves a delivery")?.named_values()?;
    match row.as_slice() {
        [(_, sql::Value::Text(Some(id))), (_, sql::Value::Text(Some(body)))] => {
            Ok((id.clone(), body.clone()))
        }
        _ => anyhow::bail!("a delivery has an id and a body"),
    }
}

/// Copies of the first delivery, all of them due.
async fn fill(home: &Home, first: &str, count: u64) -> anyhow::Result<()> {
    let insert = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
         INSERT INTO deliveries (id, event_id, job_id, project_id, endpoint_id, url, body, status, attempts,
             next_attempt_ms, created_at, lane)
         SELECT 'dlv_000000000' || CAST(10000000000 + n AS TEXT), event_id, job_id, project_id, endpoint_id, url, body,
             'pending', 0, 1, created_at, lane
         FROM deliveries, numbers WHERE id = $1"
    );
    let mut connection = home.database.connect().await?;
    let written = connection.write(&insert.into(), &[first.into()]).await?;
    ensure!(written == count, "{written} deliveries instead of {count}");
    match home.database.kind {
        DatabaseKind::Sqlite => Ok(()),
        // PostgreSQL does it by itself, some seconds later.
        DatabaseKind::Postgres => connection.script("VACUUM (ANALYZE) deliveries").await,
    }
}

/// What arrives a second, once it flows.
async fn received_rate(receiver: &TlsReceiver, round: Duration) -> anyhow::Result<f64> {
    let before = receiver.count.load(Ordering::SeqCst);
    receiver.reaches(before + WARM, PATIENCE).await?;
    let (first, started) = (receiver.count.load(Ordering::SeqCst), Instant::now());
    tokio::time::sleep(round).await;
    let sent = receiver.count.load(Ordering::SeqCst) - first;
    Ok(sent as f64 / started.elapsed().as_secs_f64())
}
