//! `auris serve`: everything wired together, until a signal says stop.

mod beacon;
mod first_model;
mod signals;
mod spool;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use auris_api::{ApiState, Surface};
use auris_domain::project::Scope;
use auris_domain::time::Clock;
use auris_service::runner::Runner;
use auris_service::webhooks::{self, Deliverer};
use auris_service::{Parts, Service};
use auris_store::Store;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::beacon::Beacon;
use self::signals::Signals;
use crate::cli::Role;
use crate::config::Config;
use crate::data::{self, NewKey};
use crate::{engines, master_key, telemetry};

/// What handing steps back may take after the drain.
const GRACE: Duration = Duration::from_secs(10);
const CLOSE: Duration = Duration::from_secs(5);

/// Runs the service; true when Ctrl-C ended it.
pub(crate) async fn run(config: Config, listen: Option<String>, role: Role) -> anyhow::Result<bool> {
    let config = Arc::new(config);
    let store = data::open_store(&config).await?;
    let master_key = master_key::agreed(&config, &store).await?;
    spool::sweep(&config.service.spool_dir, SystemTime::now());
    let engines = Arc::new(engines::build(&config)?);
    let stop = CancellationToken::new();
    let drain = config.service.jobs.drain;
    let service = Service::new(Parts {
        store: store.clone(),
        blobs: data::open_blobs(&config)?,
        engines: Arc::clone(&engines),
        clock: Clock::System,
        settings: config.service.clone(),
        master_key,
        shutdown: stop.clone(),
    });
    let metrics = telemetry::start_metrics()?;
    let listener = bind(listen.as_deref().unwrap_or(&config.listen)).await?;
    let address = listener.local_addr()?.to_string();
    let mut signals = Signals::listen()?;
    let beacon = Beacon::light(&config.data, role, &address)?;
    if role != Role::Worker {
        welcome(&store, &first_model::to_try(&config, &engines), &address).await?;
    }
    first_model::install(&config, &engines);
    tracing::info!(%address, ?role, data = %config.data.display(), "listening");

    let mut parts = start_loops(&service, role, service.leaving())?;
    let state = ApiState::new(service.clone(), metrics);
    let serving = auris_api::serve(listener, state, surface(role), stop.clone().cancelled_owned());
    parts.spawn(serve(serving, stop.clone(), drain));
    let end = wait(&mut signals, &mut parts).await;
    tracing::info!("stopping");
    signals.exit_on_next();
    service.leaving().cancel();
    if role != Role::Worker {
        // A balancer goes on sending for a moment after it was told.
        tokio::time::sleep(config.unready).await;
    }
    stop.cancel();
    wind_down(parts, &store, drain).await;
    drop(beacon);
    match end {
        End::Asked { interrupted } => Ok(interrupted),
        End::Broken(part) => bail!("{part} ended by itself; the log says why. Start the service again"),
    }
}

/// Runs steps, delivers webhooks and sweeps, where the role has it.
fn start_loops(
    service: &Service,
    role: Role,
    stop: &CancellationToken,
) -> anyhow::Result<JoinSet<&'static str>> {
    let mut parts = JoinSet::new();
    if role != Role::Api {
        start_webhooks(service, stop, &mut parts)?;
        let running = Runner::new(service.clone()).run(stop.clone());
        parts.spawn(async move {
            running.await;
            "the runner of steps"
        });
        let (sweeper, stop) = (service.clone(), stop.clone());
        parts.spawn(async move {
            sweeper.retain(stop).await;
            "the sweeper"
        });
    }
    Ok(parts)
}

fn start_webhooks(
    service: &Service,
    stop: &CancellationToken,
    parts: &mut JoinSet<&'static str>,
) -> anyhow::Result<()> {
    if !service.settings.webhooks.deliver {
        tracing::info!("webhooks wait: webhooks.deliver is false");
        return Ok(());
    }
    let client =
        webhooks::client(&service.settings.webhooks).context("cannot make the client of webhooks")?;
    let delivering = Deliverer::new(service.clone(), client, stop.clone()).run();
    parts.spawn(async move {
        delivering.await;
        "the deliverer of webhooks"
    });
    Ok(())
}

fn surface(role: Role) -> Surface {
    match role {
        Role::All | Role::Api => Surface::Whole,
        Role::Worker => Surface::Health,
    }
}

/// HTTP until `stop`; then what runs may end within `drain`.
async fn serve(serving: impl Future<Output = ()>, stop: CancellationToken, drain: Duration) -> &'static str {
    tokio::select! {
        () = serving => {}
        () = async { stop.cancelled().await; tokio::time::sleep(drain).await } => {}
    }
    "the server"
}

/// Why the process ends.
enum End {
    /// Somebody asked for it, with Ctrl-C or not.
    Asked { interrupted: bool },
    /// A part of it ended by itself, which none does while all is well.
    Broken(&'static str),
}

/// Waits for a signal, or for a part that ends before it was told to.
async fn wait(signals: &mut Signals, parts: &mut JoinSet<&'static str>) -> End {
    tokio::select! {
        interrupted = signals.wait() => End::Asked { interrupted },
        Some(ended) = parts.join_next() => End::Broken(ended.unwrap_or("a part that panicked")),
    }
}

/// Lets every part end in its own way, within limits.
async fn wind_down(mut parts: JoinSet<&'static str>, store: &Store, drain: Duration) {
    let ended = async { while parts.join_next().await.is_some() {} };
    if tokio::time::timeout(drain + GRACE, ended).await.is_err() {
        tracing::warn!("some work did not end in time; its leases hand it on");
    }
    if tokio::time::timeout(CLOSE, store.close()).await.is_err() {
        tracing::warn!("the database did not close in time");
    }
}

async fn bind(listen: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(listen).await.with_context(|| {
        format!(
            "cannot listen on `{listen}`; is something there already? Choose another with --listen HOST:PORT"
        )
    })
}

/// On the first start: the project, its key (shown this once) and a line to paste.
async fn welcome(store: &Store, model: &str, address: &str) -> anyhow::Result<()> {
    let project = data::project(store, data::DEFAULT_PROJECT, Clock::System.now()).await?;
    if !store.keys(&project.id).await?.is_empty() {
        return Ok(());
    }
    let new = NewKey { name: "first".into(), scopes: vec![Scope::Read, Scope::Write], expires_at: None };
    let (_, secret) = data::create_key(store, &project, new).await?;
    let key = secret.reveal();
    say(&format!(
        "\nYour first API key, for the project `default`. It is shown this once; keep it safe:\n\n  {key}\n\n\
         Try it:\n\n  curl http://{address}/v1/audio/transcriptions \\\n    -H \"Authorization: Bearer {key}\" \\\n    \
         -F model={model} -F file=@samples/inaugural.wav\n\nThe API is described at http://{address}/docs\n"
    ))
}

fn say(text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}
