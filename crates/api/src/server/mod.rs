//! Connections in: accepted until told to stop, each served on its own task, and let end.

mod connection;
mod exchange;
mod handover;
mod held;
mod socket;
mod unreadable;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Response;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use self::connection::Connections;
pub(crate) use self::handover::LongLived;
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
    let (graceful, tasks) = (GracefulShutdown::new(), TaskTracker::new());
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, _)) => open(&connections, &graceful, &tasks, stream),
            Err(error) => recover(&error).await,
        }
    }
    drop(listener);
    graceful.shutdown().await;
    tasks.close();
    tasks.wait().await;
}

fn open(connections: &Connections, graceful: &GracefulShutdown, tasks: &TaskTracker, stream: TcpStream) {
    // Events are small and must not wait for more to fill a packet.
    let _ = stream.set_nodelay(true);
    let (connection, handover) = connections.serve(stream);
    let (connection, held) = (graceful.watch(connection), tasks.clone());
    tasks.spawn(async move {
        let served = connection.await;
        match (handover.take(), served) {
            // On a task of its own, which is small.
            (Some((stream, response)), _) => drop(held.spawn(hold(stream, response))),
            (None, Err(error)) => tracing::debug!(%error, "a connection broke"),
            (None, Ok(())) => {}
        }
    });
}

async fn hold(stream: TcpStream, response: Response<Body>) {
    if let Err(error) = held::answer(stream, response).await {
        tracing::debug!(%error, "an event stream broke");
    }
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
