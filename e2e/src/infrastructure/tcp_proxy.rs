//! A TCP proxy to a server, which a test can pause or cut.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Forwards connections until it is dropped.
pub struct TcpProxy {
    address: String,
    state: Arc<watch::Sender<State>>,
    task: JoinHandle<()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    /// No bytes are forwarded.
    paused: bool,
    /// How often the connections were cut. A connection ends when the number changes.
    cuts: u64,
}

impl TcpProxy {
    pub async fn to(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket").to_string();
        let state = Arc::new(watch::Sender::new(State { paused: false, cuts: 0 }));
        let states = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(connect(stream, target.clone(), states.subscribe()));
            }
        });
        Self { address, state, task }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Forwards nothing for that long. The connections stay open.
    pub async fn pause(&self, time: Duration) {
        self.state.send_modify(|state| state.paused = true);
        tokio::time::sleep(time).await;
        self.state.send_modify(|state| state.paused = false);
    }

    /// Closes every connection.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }
}

impl Drop for TcpProxy {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

async fn connect(stream: TcpStream, target: String, states: watch::Receiver<State>) {
    // If the server does not accept the connection, the proxy closes its side too.
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (from_client, to_client) = stream.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = carry(from_client, to_server, states.clone()) => {}
        () = carry(from_server, to_client, states.clone()) => {}
        () = cut(states) => {}
    }
}

async fn cut(mut states: watch::Receiver<State>) {
    let cuts = states.borrow().cuts;
    let _ = states.wait_for(|state| state.cuts != cuts).await;
}

async fn carry(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut states: watch::Receiver<State>,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let running = states.wait_for(|state| !state.paused).await.is_ok();
        if !running || to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
