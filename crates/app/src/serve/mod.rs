//! `auris serve`: runs the service until a signal stops it.

mod address_file;
mod console;
mod default_models;
mod node;
mod open_files;
mod signals;
mod spool;
mod supervisor;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use auris_api::{ApiState, RenderMetrics, ServerSettings, Surface};
use auris_domain::time::Clock;
use auris_service::operator::{Operator, ThisNode};
use auris_service::{Parts, Service, low_priority};
use auris_store::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::address_file::AddressFile;
use self::open_files::FileShares;
use self::signals::Signals;
use self::supervisor::Supervisor;
use crate::cli::Role;
use crate::config::{Config, reachable};
use crate::{telemetry, wiring};

pub(crate) use address_file::running_address;

/// What one process serves with.
struct Process {
    config: Arc<Config>,
    role: Role,
    store: Store,
    service: Service,
    node: ThisNode,
    /// Cancelled when the process stops.
    stop: CancellationToken,
}

/// Runs the service. True if Ctrl-C ended it.
pub(crate) async fn run(mut config: Config, listen: Option<String>, role: Role) -> anyhow::Result<bool> {
    if let Some(listen) = listen {
        config.set_listen(listen);
    }
    let shares = divide_files(&mut config, role);
    let process = Process::open(config, role, shares.uploads).await?;
    let metrics = telemetry::start_metrics()?;
    let listener = bind(&process.config.listen).await?;
    let api_address = listener.local_addr()?;
    let address = api_address.to_string();
    let console_listener = match console::own_address(role, &process.config) {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    let signals = Signals::listen()?;
    let _address_file = AddressFile::write(&process.config.data, role, &address)?;
    process.welcome(&address).await?;
    default_models::install(&process.config, &process.node, &process.stop);
    tracing::info!(%address, ?role, data = %process.config.data.display(), "listening");

    let mut supervisor = Supervisor::start(&process)?;
    let state = process.api_state(metrics, api_address)?;
    let surface = console::main_surface(role, &process.config);
    let write_timeout = process.config.write_timeout;
    let settings = ServerSettings { surface, connections: shares.connections, write_timeout };
    if let Some(listener) = console_listener {
        let settings =
            ServerSettings { surface: Surface::Console, connections: shares.console, write_timeout };
        let stopped = process.stop.clone().cancelled_owned();
        supervisor.serve(auris_api::serve(listener, state.clone(), settings, stopped));
    }
    let stopped = process.stop.clone().cancelled_owned();
    supervisor.serve(auris_api::serve(listener, state, settings, stopped));
    supervisor.run(&process, signals).await
}

/// Divides the open files, and limits the event streams of a key by the connections.
fn divide_files(config: &mut Config, role: Role) -> FileShares {
    let has_console_address = console::own_address(role, config).is_some();
    let shares = FileShares::of(open_files::raise_limit(), config.max_connections, has_console_address);
    let rates = &mut config.service.rates;
    rates.concurrent_streams = open_files::streams_of_a_key(shares.connections, rates.concurrent_streams);
    shares
}

impl Process {
    async fn open(config: Config, role: Role, max_uploads: usize) -> anyhow::Result<Self> {
        let store = wiring::store(&config).await?;
        let operator = wiring::operator_of(&store);
        let master_key = operator.agreed_master_keys(&wiring::master_keys(&config)?).await?;
        let blobs = wiring::blobs(&config)?;
        operator.claim_blobs_at_start(&blobs).await?;
        low_priority::enable();
        let engines = Arc::new(wiring::engines(&config)?);
        let stop = CancellationToken::new();
        let service = Service::new(Parts {
            store: store.clone(),
            blobs,
            engines: Arc::clone(&engines),
            clock: Clock::System,
            settings: config.service.clone(),
            master_key,
            max_uploads,
            shutdown: stop.clone(),
        });
        let identity = node::identity(role);
        let node = ThisNode { identity, engines, installer: wiring::installer(&config) };
        Ok(Self { config: Arc::new(config), role, store, service, node, stop })
    }

    /// The state of the HTTP server, with the console unless it is off.
    fn api_state(&self, metrics: RenderMetrics, address: SocketAddr) -> anyhow::Result<ApiState> {
        let state = ApiState::new(self.service.clone(), metrics);
        if !self.config.console.enabled || self.role == Role::Worker {
            return Ok(state);
        }
        Ok(state.with_console(console::parts(self, node::overview_source(self), address)?))
    }

    /// On the first start of a server: creates the default project and its first key, and prints the key once.
    async fn welcome(&self, address: &str) -> anyhow::Result<()> {
        if self.role == Role::Worker {
            return Ok(());
        }
        let operator: Operator = wiring::operator_of(&self.store);
        let Some(created) = operator.create_first_key().await? else { return Ok(()) };
        let key = created.key;
        let model = default_models::first_to_try(&self.config, &self.node);
        let link = console::first_link(&self.config, &operator, address).await?;
        let address = reachable(address);
        let console = link.map_or_else(String::new, |link| {
            format!("Open the console in a browser. The link works once, within ten minutes:\n\n  {link}\n\n")
        });
        say(&format!(
            "\nYour first API key, for the project `default`. It is shown only once, so store it safely:\n\n  {key}\n\n\
             Try it:\n\n  curl http://{address}/v1/audio/transcriptions \\\n    -H \"Authorization: Bearer {key}\" \\\n    \
             -F model={model} -F file=@samples/inaugural.wav\n\n{console}The API is documented at http://{address}/docs\n"
        ))
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
