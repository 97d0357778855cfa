//! Starts the parts of the service, waits for a signal, and stops the parts in order.

use std::time::Duration;

use anyhow::{Context, bail};
use auris_service::Service;
use auris_service::operator::ModelTaskWorker;
use auris_service::webhooks::{self, Deliverer};
use auris_service::worker::Worker;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::signals::Signals;
use super::{Process, spool};
use crate::cli::Role;
use crate::wiring;

/// How long steps may take to be handed back after the drain time.
const HAND_BACK_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the answers to requests that the stop cuts off may take to be sent after the drain time. Less than the time
/// to hand back steps, which runs at the same time.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(5);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The running parts. Each returns its name when it ends.
pub(super) struct Supervisor {
    parts: JoinSet<&'static str>,
    stop: CancellationToken,
    drain: Duration,
}

/// Why the process ends.
enum End {
    /// A signal asked for it; true for Ctrl-C.
    Signal { interrupted: bool },
    /// A part ended without being asked to, which is a fault.
    PartEnded(&'static str),
}

impl Supervisor {
    /// Starts the loops that the role includes: the worker, the webhook deliverer, the sweeper and the one that starts
    /// analyses after their transcriptions. Every role removes abandoned uploads and, for the console, records that it is
    /// alive and works on its models.
    pub(super) fn start(process: &Process) -> anyhow::Result<Self> {
        let drain = process.config.service.jobs.drain;
        let mut supervisor = Self { parts: JoinSet::new(), stop: process.stop.clone(), drain };
        supervisor.start_spool_sweeps(&process.service);
        if process.config.console.enabled {
            supervisor.start_node(process);
        }
        if process.role != Role::Api {
            supervisor.start_loops(process)?;
        }
        Ok(supervisor)
    }

    fn start_spool_sweeps(&mut self, service: &Service) {
        let settings = service.settings();
        let sweeping = spool::run(settings.spool_dir.clone(), settings.jobs.sweep, service.leaving().clone());
        self.parts.spawn(async move {
            sweeping.await;
            "the sweeper of the spool"
        });
    }

    fn start_node(&mut self, process: &Process) {
        let operator = wiring::operator_of(&process.store);
        let beating = operator.clone().run_heartbeat(process.node.clone(), process.stop.clone());
        self.parts.spawn(async move {
            beating.await;
            "the heartbeat of the node"
        });
        let working = ModelTaskWorker::new(operator, process.node.clone());
        let working = working.run(process.service.leaving().clone());
        self.parts.spawn(async move {
            working.await;
            "the worker of model tasks"
        });
    }

    fn start_loops(&mut self, process: &Process) -> anyhow::Result<()> {
        let service = &process.service;
        let stop = service.leaving();
        self.start_webhooks(service, stop)?;
        let running = Worker::new(service.clone()).on_node(&process.node.identity.id).run(stop.clone());
        self.parts.spawn(async move {
            running.await;
            "the worker of steps"
        });
        let following_up = service.clone().run_follow_ups(stop.clone());
        self.parts.spawn(async move {
            following_up.await;
            "the starter of analyses after transcriptions"
        });
        let service = service.clone();
        let stop = stop.clone();
        self.parts.spawn(async move {
            service.run_sweeper(stop).await;
            "the sweeper"
        });
        Ok(())
    }

    fn start_webhooks(&mut self, service: &Service, stop: &CancellationToken) -> anyhow::Result<()> {
        let settings = &service.settings().webhooks;
        if !settings.deliver {
            tracing::info!("not delivering webhooks, because webhooks.deliver is false");
            return Ok(());
        }
        let client = webhooks::client(settings).context("cannot create the HTTP client for webhooks")?;
        let delivering = Deliverer::new(service.clone(), client, stop.clone()).run();
        self.parts.spawn(async move {
            delivering.await;
            "the webhook deliverer"
        });
        Ok(())
    }

    /// Adds the HTTP server. After the stop, running requests may end within the drain time; then they are answered with
    /// an error.
    pub(super) fn serve(&mut self, serving: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        let limit = self.drain + LAST_ANSWERS_TIMEOUT;
        self.parts.spawn(async move {
            tokio::select! {
                () = serving => {}
                () = async { stop.cancelled().await; tokio::time::sleep(limit).await } => {}
            }
            "the server"
        });
    }

    /// Waits for a signal, then stops everything. True if the signal was Ctrl-C.
    pub(super) async fn run(mut self, process: &Process, mut signals: Signals) -> anyhow::Result<bool> {
        let end = tokio::select! {
            interrupted = signals.wait() => End::Signal { interrupted },
            Some(ended) = self.parts.join_next() => End::PartEnded(ended.unwrap_or("a part that panicked")),
        };
        tracing::info!("stopping");
        signals.exit_on_next();
        process.service.leaving().cancel();
        if process.role != Role::Worker {
            // Load balancers keep sending requests for a moment after readiness fails.
            tokio::time::sleep(process.config.unready).await;
        }
        self.stop.cancel();
        self.wind_down(process).await;
        match end {
            End::Signal { interrupted } => Ok(interrupted),
            End::PartEnded(part) => {
                bail!("{part} ended unexpectedly; see the log for the reason, then start the service again")
            }
        }
    }

    /// Waits for every part to end, within limits, and closes the database.
    async fn wind_down(mut self, process: &Process) {
        let ended = async { while self.parts.join_next().await.is_some() {} };
        if tokio::time::timeout(self.drain + HAND_BACK_TIMEOUT, ended).await.is_err() {
            tracing::warn!("some work did not end in time; it is retried when its leases end");
        }
        if tokio::time::timeout(CLOSE_TIMEOUT, process.store.close()).await.is_err() {
            tracing::warn!("the database did not close in time");
        }
    }
}
