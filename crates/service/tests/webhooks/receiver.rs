//! Receivers of every temper, on a socket of their own, that remember what they were sent.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What a receiver does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Temper {
    Answer {
        status: u16,
        headers: &'static str,
        body: &'static str,
    },
    /// Takes the request and says nothing.
    Hangs,
    /// Closes the connection in the middle of an answer's head.
    Cuts,
    /// Answers with this status and a body without an end.
    NeverEnds(u16),
}

impl Temper {
    pub(crate) fn status(status: u16) -> Self {
        Self::Answer { status, headers: "", body: "thank you" }
    }
}

/// What arrived.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

pub(crate) struct Receiver {
    address: SocketAddr,
    temper: Arc<Mutex<Temper>>,
    requests: watch::Receiver<Vec<Request>>,
    serving: JoinHandle<()>,
}

impl Receiver {
    pub(crate) async fn start(temper: Temper) -> Self {
        Self::start_at("127.0.0.1", temper).await
    }

    pub(crate) async fn start_at(host: &str, temper: Temper) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let temper = Arc::new(Mutex::new(temper));
        let (sender, requests) = watch::channel(Vec::new());
        let (shared, sender) = (Arc::clone(&temper), Arc::new(sender));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared), Arc::clone(&sender)));
            }
        });
        Self { address, temper, requests, serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Changes what it does from now on.
    pub(crate) fn becomes(&self, temper: Temper) {
        *self.temper.lock().unwrap() = temper;
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.borrow().clone()
    }

    /// Waits until that many requests have come.
    pub(crate) async fn received(&self, count: usize) {
        self.requests.clone().wait_for(|requests| requests.len() >= count).await.unwrap();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(mut stream: TcpStream, temper: Arc<Mutex<Temper>>, sender: Arc<watch::Sender<Vec<Request>>>) {
    let mut unread = Vec::new();
    while let Some(request) = read(&mut stream, &mut unread).await {
        sender.send_modify(|requests| requests.push(request));
        let now = temper.lock().unwrap().clone();
        if !answer(&mut stream, now).await {
            return;
        }
    }
}

/// False when the connection is over.
async fn answer(stream: &mut TcpStream, temper: Temper) -> bool {
    match temper {
        Temper::Answer { status, headers, body } => {
            let length = body.len();
            let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
            stream.write_all(text.as_bytes()).await.is_ok()
        }
        Temper::Hangs => {
            // Until the other side has enough of it.
            let _ = stream.read(&mut [0; 1]).await;
            false
        }
        Temper::Cuts => {
            let _ = stream.write_all(b"HTTP/1.1 20").await;
            false
        }
        Temper::NeverEnds(status) => {
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
