//! Connections in: accepted until told to stop, each served on its own task, and let end.

mod connection;
mod exchange;
mod socket;
mod unreadable;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};

use self::connection::Connections;
use crate::routes::{Surface, router};
use crate::state::ApiState;

/// How long to rest when the process has no file descriptors left for another connection.
const REST: Duration = Duration::from_secs(1);

/// Serves until `stop` is done, then lets open requests end.
pub async fn serve(
    listener: TcpListener,
    state: ApiState,
    surface: Surface,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let clock = state.service.clock.clone();
    let router: Router = router(state, surface);
    let connections = Connections::new(router, clock);
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, _)) => open(&connections, &graceful, stream),
            Err(error) => recover(&error).await,
        }
    }
    drop(listener);
    graceful.shutdown().await;
}

fn open(connections: &Connections, graceful: &GracefulShutdown, stream: TcpStream) {
    // Events are small and must not wait for more to fill a packet.
    let _ = stream.set_nodelay(true);
    let connection = graceful.watch(connections.serve(stream));
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection broke");
        }
    });
}

/// A client that was gone before it was accepted is no trouble of ours; anything else may pass.
async fn recover(error: &io::Error) {
    let gone =
        [io::ErrorKind::ConnectionRefused, io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset];
    if !gone.contains(&error.kind()) {
        tracing::error!(%error, "cannot accept connections now");
        tokio::time::sleep(REST).await;
    }
}
