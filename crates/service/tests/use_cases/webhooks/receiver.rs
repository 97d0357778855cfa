//! Webhook receivers for tests: each has its own socket, behaves as the test asks and records its requests.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What a receiver does with a request.
#[derive(Debug, Clone)]
pub(crate) enum ReceiverBehavior {
    Answer {
        status: u16,
        headers: &'static str,
        body: &'static str,
    },
    /// Reads the request and does not answer.
    Hangs,
    /// Closes the connection in the middle of the response headers.
    Cuts,
    /// Answers with this status and an endless body.
    NeverEnds(u16),
}

impl ReceiverBehavior {
    pub(crate) fn status(status: u16) -> Self {
        Self::Answer { status, headers: "", body: "thank you" }
    }
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

pub(crate) struct Receiver {
    address: SocketAddr,
    behavior: Arc<Mutex<ReceiverBehavior>>,
    requests: watch::Receiver<Vec<Request>>,
    /// The number of requests that currently hang.
    hanging: watch::Receiver<usize>,
    serving: JoinHandle<()>,
}

impl Receiver {
    pub(crate) async fn start(behavior: ReceiverBehavior) -> Self {
        Self::start_at("127.0.0.1", behavior).await
    }

    pub(crate) async fn start_at(host: &str, behavior: ReceiverBehavior) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let behavior = Arc::new(Mutex::new(behavior));
        let (requests_sender, requests) = watch::channel(Vec::new());
        let (hanging_sender, hanging) = watch::channel(0);
        let shared = Arc::new(Shared {
            behavior: Arc::clone(&behavior),
            requests: requests_sender,
            hanging: hanging_sender,
        });
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { address, behavior, requests, hanging, serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Changes what the receiver does with the next requests.
    pub(crate) fn set_behavior(&self, behavior: ReceiverBehavior) {
        *self.behavior.lock().unwrap() = behavior;
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.borrow().clone()
    }

    /// Waits until `count` requests hang.
    pub(crate) async fn wait_for_hanging(&self, count: usize) {
        self.hanging.clone().wait_for(|hanging| *hanging == count).await.unwrap();
    }

    /// Waits until at least `count` requests have arrived.
    pub(crate) async fn wait_for_requests(&self, count: usize) {
        self.requests.clone().wait_for(|requests| requests.len() >= count).await.unwrap();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// What all connections of a receiver share.
struct Shared {
    behavior: Arc<Mutex<ReceiverBehavior>>,
    requests: watch::Sender<Vec<Request>>,
    hanging: watch::Sender<usize>,
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut unread = Vec::new();
    while let Some(request) = read(&mut stream, &mut unread).await {
        shared.requests.send_modify(|requests| requests.push(request));
        let behavior = shared.behavior.lock().unwrap().clone();
        let hangs = matches!(behavior, ReceiverBehavior::Hangs);
        shared.hanging.send_modify(|hanging| *hanging += usize::from(hangs));
        let reusable = answer(&mut stream, behavior).await;
        shared.hanging.send_modify(|hanging| *hanging -= usize::from(hangs));
        if !reusable {
            return;
        }
    }
}

/// False if the connection cannot be used again.
async fn answer(stream: &mut TcpStream, behavior: ReceiverBehavior) -> bool {
    match behavior {
        ReceiverBehavior::Answer { status, headers, body } => {
            let length = body.len();
            let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
            stream.write_all(text.as_bytes()).await.is_ok()
        }
        ReceiverBehavior::Hangs => {
            // Until the client closes the connection.
            let _ = stream.read(&mut [0; 1]).await;
            false
        }
        ReceiverBehavior::Cuts => {
            let _ = stream.write_all(b"HTTP/1.1 20").await;
            false
        }
        ReceiverBehavior::NeverEnds(status) => {
            let head = format!("HTTP/1.1 {status} X\r\ncontent-type: text/plain\r\n\r\n");
            let mut sent = stream.write_all(head.as_bytes()).await;
            while sent.is_ok() {
                sent = stream.write_all(&[b'x'; 64 * 1024]).await;
            }
            false
        }
    }
}

async fn read(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<Request> {
    let end = loop {
        if let Some(at) = unread.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(unread).await.ok()? == 0 {
            return None;
        }
    };
    let head: Vec<u8> = unread.drain(..end).collect();
    let head = String::from_utf8(head).unwrap();
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let headers: HashMap<String, String> =
        lines.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let length: usize = headers["content-length"].parse().unwrap();
    while unread.len() < length {
        if stream.read_buf(unread).await.ok()? == 0 {
            return None;
        }
    }
    let body: Vec<u8> = unread.drain(..length).collect();
    Some(Request { head, headers, body: String::from_utf8(body).unwrap() })
}
