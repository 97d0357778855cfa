//! A receiver of webhooks over plain HTTP that remembers what it was sent.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// One request, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub body: String,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a delivery is JSON")
    }

    /// The job that it tells of.
    pub fn job(&self) -> String {
        self.json()["data"]["id"].as_str().expect("a job has an id").to_owned()
    }
}

type Judge = Arc<dyn Fn(&Received, usize) -> u16 + Send + Sync>;

/// Listens until it is dropped.
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    serving: JoinHandle<()>,
}

impl Receiver {
    /// `judge` says the status of each answer; it is told how often the same event came before.
    pub async fn start(judge: impl Fn(&Received, usize) -> u16 + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let received = Arc::new(Mutex::new(Vec::new()));
        let (judge, kept): (Judge, _) = (Arc::new(judge), Arc::clone(&received));
        let seen = Arc::new(Mutex::new(HashMap::new()));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (judge, kept, seen) = (Arc::clone(&judge), Arc::clone(&kept), Arc::clone(&seen));
                let service = service_fn(move |request| {
                    answer(request, Arc::clone(&judge), Arc::clone(&kept), Arc::clone(&seen))
                });
                // A connection that the other side breaks is the test's own doing.
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, received, serving }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no holder panics").clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(
    request: Request<Incoming>,
    judge: Judge,
    kept: Arc<Mutex<Vec<Received>>>,
    seen: Arc<Mutex<HashMap<String, usize>>>,
) -> Result<Response<String>, Infallible> {
    let header = |name: &str| {
        let value = request.headers().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let signature = header("webhook-signature");
    let Some(body) = read(request.into_body()).await else {
        return Ok(response(400));
    };
    let one = Received { id, timestamp, signature, body };
    let before = {
        let mut seen = seen.lock().expect("no holder panics");
        let count = seen.entry(one.id.clone()).or_insert(0);
        *count += 1;
        *count - 1
    };
    let status = judge(&one, before);
    kept.lock().expect("no holder panics").push(one);
    Ok(response(status))
}

fn response(status: u16) -> Response<String> {
    let mut response = Response::new(String::new());
    *response.status_mut() = status.try_into().expect("a status");
    response
}

async fn read(mut body: Incoming) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let frame =
            futures::future::poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context)).await;
        match frame {
            Some(Ok(frame)) => bytes.extend(frame.into_data().unwrap_or_else(|_| Bytes::new())),
            Some(Err(_)) => return None,
            None => return String::from_utf8(bytes).ok(),
        }
    }
}
