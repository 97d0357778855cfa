//! Ctrl-C and SIGTERM: the first signal stops the process in order, a second one ends it at once.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::INTERRUPTED;

/// The two signals that end the process.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(super) fn listen() -> anyhow::Result<Self> {
        let interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
        let terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
        Ok(Self { interrupt, terminate })
    }

    /// Waits for either; true for Ctrl-C.
    pub(super) async fn wait(&mut self) -> bool {
        tokio::select! {
            _ = self.interrupt.recv() => true,
            _ = self.terminate.recv() => false,
        }
    }

    /// Ends the process on the next signal. As after a crash, its steps are retried when their leases end.
    pub(super) fn exit_on_next(mut self) {
        tokio::spawn(async move {
            self.wait().await;
            tracing::warn!("received a second signal; exiting at once");
            std::process::exit(i32::from(INTERRUPTED));
        });
    }
}
