//! Accepts connections until the process stops, serves each on its own task, and waits for open requests at the end.

mod answer_state;
mod connection;
mod limits;
mod parse_errors;
mod rewriting_socket;
mod sse_handover;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use self::connection::Connections;
use crate::routes::{Surface, router};
use crate::state::ApiState;

/// How long to wait before the next accept when one failed, usually because no file descriptor is left.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Serves requests until `stop` completes, then waits for open requests to end.
pub async fn serve(
    listener: TcpListener,
    state: ApiState,
    surface: Surface,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let clock = state.service.clock().clone();
    let server = Server {
        connections: Connections::new(router(state, surface), clock),
        graceful: GracefulShutdown::new(),
        tasks: TaskTracker::new(),
    };
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, _)) => server.open(stream),
            Err(error) => recover(&error).await,
        }
    }
    drop(listener);
    server.shut_down().await;
}

struct Server {
    connections: Connections,
    graceful: GracefulShutdown,
    tasks: TaskTracker,
}

impl Server {
    fn open(&self, stream: TcpStream) {
        // Events are small; without this the kernel delays them to fill a packet.
        let _ = stream.set_nodelay(true);
        let (connection, handover) = self.connections.serve(stream);
        let connection = self.graceful.watch(connection);
        let tasks = self.tasks.clone();
        self.tasks.spawn(async move {
            let served = connection.await;
            let handed_over = handover.resume(&tasks);
            // A handover ends the library's work with an error too.
            if let Err(error) = served
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
