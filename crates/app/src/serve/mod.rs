//! `auris serve`: runs the service until a signal stops it.

mod address_file;
mod default_models;
mod signals;
mod spool;
mod supervisor;

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Context;
use auris_api::{ApiState, Surface};
use auris_domain::time::Clock;
use auris_engines::Engines;
use auris_service::operator::Operator;
use auris_service::{Parts, Service};
use auris_store::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::address_file::AddressFile;
use self::signals::Signals;
use self::supervisor::Supervisor;
use crate::cli::Role;
use crate::config::Config;
use crate::{master_key, telemetry, wiring};

pub(crate) use address_file::running_address;

/// What one process serves with.
struct Process {
    config: Config,
    role: Role,
    store: Store,
    engines: Arc<Engines>,
    service: Service,
    /// Cancelled when the process stops.
    stop: CancellationToken,
}

/// Runs the service. True if Ctrl-C ended it.
pub(crate) async fn run(config: Config, listen: Option<String>, role: Role) -> anyhow::Result<bool> {
    let process = Process::open(config, role).await?;
    let metrics = telemetry::start_metrics()?;
    let listener = bind(listen.as_deref().unwrap_or(&process.config.listen)).await?;
    let address = listener.local_addr()?.to_string();
    let signals = Signals::listen()?;
    let _address_file = AddressFile::write(&process.config.data, role, &address)?;
    process.welcome(&address).await?;
    default_models::install(&process.config, &process.engines)?;
    tracing::info!(%address, ?role, data = %process.config.data.display(), "listening");

    let mut supervisor = Supervisor::start(&process)?;
    let state = ApiState::new(process.service.clone(), metrics);
    let stopped = process.stop.clone().cancelled_owned();
    supervisor.serve(auris_api::serve(listener, state, surface(role), stopped));
    supervisor.run(&process, signals).await
}

impl Process {
    #[expect(clippy::disallowed_methods, reason = "the file system dates files by the real time")]
    async fn open(config: Config, role: Role) -> anyhow::Result<Self> {
        let store = wiring::store(&config).await?;
        let master_key = master_key::agreed(&config, &wiring::operator_of(&store)).await?;
        spool::sweep(&config.service.spool_dir, SystemTime::now());
        let engines = Arc::new(wiring::engines(&config)?);
        let stop = CancellationToken::new();
        let service = Service::new(Parts {
            store: store.clone(),
            blobs: wiring::blobs(&config)?,
            engines: Arc::clone(&engines),
            clock: Clock::System,
            settings: config.service.clone(),
            master_key,
            shutdown: stop.clone(),
        });
        Ok(Self { config, role, store, engines, service, stop })
    }

    /// On the first start of a server: creates the default project and its first key, and prints the key once.
    async fn welcome(&self, address: &str) -> anyhow::Result<()> {
        if self.role == Role::Worker {
            return Ok(());
        }
        let operator: Operator = wiring::operator_of(&self.store);
        let Some(created) = operator.create_first_key().await? else { return Ok(()) };
        let key = created.key;
        let model = default_models::first_to_try(&self.config, &self.engines);
        say(&format!(
            "\nYour first API key, for the project `default`. It is shown only once, so store it safely:\n\n  {key}\n\n\
             Try it:\n\n  curl http://{address}/v1/audio/transcriptions \\\n    -H \"Authorization: Bearer {key}\" \\\n    \
             -F model={model} -F file=@samples/inaugural.wav\n\nThe API is documented at http://{address}/docs\n"
        ))
    }
}

fn surface(role: Role) -> Surface {
    match role {
        Role::All | Role::Api => Surface::Whole,
        Role::Worker => Surface::Health,
    }
}

async fn bind(listen: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(listen).await.with_context(|| {
        format!(
            "cannot listen on `{listen}`; another process may use it. Choose another address with --listen HOST:PORT"
        )
    })
}

fn say(text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}
