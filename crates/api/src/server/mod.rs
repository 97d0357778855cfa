//! Accepts connections until the process stops, serves each on its own task, and waits for open requests at the end.

mod answer_state;
mod connection;
mod connection_limit;
mod head_size;
mod head_timer;
mod http2_streams;
mod limits;
mod parse_errors;
mod rewriting_socket;
mod sse_handover;
mod stalled_write;
#[cfg(test)]
mod tests;
mod tracked_body;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::TaskTracker;

use self::answer_state::AnswerState;
use self::connection::Connections;
use self::connection_limit::ConnectionLimit;
use crate::client_address::ClientAddress;
use crate::routes::router;
use crate::state::ApiState;

pub use self::limits::ServerSettings;

/// How long to wait before the next accept when one failed, usually because no file descriptor is left.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Serves requests until `stop` completes, then waits for open requests to end.
pub async fn serve(
    listener: TcpListener,
    state: ApiState,
    settings: ServerSettings,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let clock = state.service.clock().clone();
    let router = router(state, settings.surface);
    let server = Server {
        connections: Connections::new(router, clock, settings.write_timeout),
        limit: ConnectionLimit::new(settings.connections),
        graceful: GracefulShutdown::new(),
        tasks: TaskTracker::new(),
    };
    let mut stop = pin!(stop);
    loop {
        let (stream, permit) = tokio::select! {
            accepted = server.accept(&listener) => accepted,
            () = &mut stop => break,
        };
        server.open(stream, permit);
    }
    drop(listener);
    server.shut_down().await;
}

struct Server {
    connections: Connections,
    limit: ConnectionLimit,
    graceful: GracefulShutdown,
    tasks: TaskTracker,
}

impl Server {
    /// Accepts a connection and waits until it may be open. Connections after it wait in the kernel meanwhile.
    async fn accept(&self, listener: &TcpListener) -> (TcpStream, OwnedSemaphorePermit) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => return (stream, self.limit.acquire().await),
                Err(error) => recover(&error).await,
            }
        }
    }

    fn open(&self, stream: TcpStream, permit: OwnedSemaphorePermit) {
        // Events are small; without this the kernel delays them to fill a packet.
        let _ = stream.set_nodelay(true);
        let state = AnswerState::default();
        let closable = self.limit.register(state.clone());
        let address = ClientAddress(stream.peer_addr().ok().map(|address| address.ip()));
        let (connection, handover) = self.connections.serve(stream, address, state);
        let connection = self.graceful.watch(connection);
        let tasks = self.tasks.clone();
        self.tasks.spawn(async move {
            let served = closable.run(connection).await;
            let handed_over = handover.resume(&tasks, permit);
            // A handover ends the library's work with an error too.
            if let Some(Err(error)) = served
                && !handed_over
            {
                tracing::debug!(%error, "a connection failed");
            }
        });
    }

    async fn shut_down(self) {
        self.graceful.shutdown().await;
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Ignores clients that disconnected before they were accepted. Other errors are temporary, so it waits.
async fn recover(error: &io::Error) {
    let disconnected =
        [io::ErrorKind::ConnectionRefused, io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset];
    if !disconnected.contains(&error.kind()) {
        tracing::error!(%error, "cannot accept connections");
        tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
    }
}
