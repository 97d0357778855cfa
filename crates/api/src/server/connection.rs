//! One connection: HTTP/1.1, or HTTP/2 where the client begins with it, over a watched socket.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use auris_domain::time::Clock;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Request, Response, Version};
use axum::{BoxError, Router};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulConnection;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};

use super::exchange::{Answering, Exchange};
use super::handover::{Counter, HandedOver, Handover};
use super::socket::Socket;

/// For the head of a request, and for the wait between two of them. Longer than load balancers keep a connection, so
/// that it is they who close.
pub(super) const HEAD_TIME: Duration = Duration::from_secs(75);
/// Past these an HTTP/1 request is refused; `unreadable` says how.
pub(super) const HEADERS: usize = 100;
pub(super) const HEAD_BYTES: usize = 400 * 1024;
/// The same for HTTP/2, where each header counts 32 bytes more.
const HEADER_LIST_BYTES: u32 = 256 * 1024;
/// A peer that does not answer to this is gone, though its connection looks open.
const PING: Duration = Duration::from_secs(30);

/// How connections are served.
pub(super) struct Connections {
    builder: Builder<TokioExecutor>,
    router: Router,
    clock: Clock,
}

impl Connections {
    pub(super) fn new(router: Router, clock: Clock) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_headers(HEADERS)
            .max_buf_size(HEAD_BYTES);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING)
            .max_header_list_size(HEADER_LIST_BYTES);
        Self { builder, router, clock }
    }

    /// The connection in the hands of the HTTP library, and how to take it over from it.
    pub(super) fn serve<S>(
        &self,
        stream: S,
    ) -> (impl GracefulConnection<Error = BoxError> + Send + use<S>, Handover<S>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (exchange, handover) = (Exchange::default(), Handover::new(stream));
        let io = TokioIo::new(Socket::new(handover.stream(), exchange.clone(), self.clock.clone()));
        let router = TowerToHyperService::new(self.router.clone());
        let counter = handover.counter();
        let service = service_fn(move |request: Request<Incoming>| {
            let answering = exchange.begin(request.version() == Version::HTTP_2);
            let counter = Counter::suits(&request).then(|| counter.clone());
            let answer = router.call(request);
            async move {
                let Ok(response): Result<Response<Body>, Infallible> = answer.await;
                let kept = match counter {
                    Some(counter) => counter.lay_down(response)?,
                    None => response,
                };
                Ok::<_, HandedOver>(watched(kept, answering))
            }
        });
        (self.builder.serve_connection(io, service).into_owned(), handover)
    }
}

fn watched(response: Response<Body>, answering: Answering) -> Response<Watched> {
    response.map(|body| Watched { body, _answering: answering })
}

/// The body of an answer; the exchange lasts as long as it.
struct Watched {
    body: Body,
    _answering: Answering,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incoming;
    use axum::extract::Request;
    use axum::http::StatusCode;
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    /// What the HTTP library itself would answer, as content.
    const LOOKALIKE: &str = "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n";

    fn connect() -> DuplexStream {
        let router = Router::new().route("/lookalike", get(|| async { LOOKALIKE })).route(
            "/refuse",
            post(|request: Request| async {
                let (request, rest) = incoming::watch(request);
                drop(request);
                rest.unwrap().drain();
                StatusCode::UNAUTHORIZED
            }),
        );
        let (client, server) = tokio::io::duplex(16 * 1024);
        let (connection, handover) = Connections::new(router, Clock::System).serve(server);
        tokio::spawn(connection);
        drop(handover);
        client
    }

    async fn talk(sent: Vec<u8>) -> String {
        let (mut reader, mut writer) = tokio::io::split(connect());
        let sending = tokio::spawn(async move {
            // A refused client may find the connection closed.
            let _ = writer.write_all(&sent).await;
            writer
        });
        let mut received = String::new();
        reader.read_to_string(&mut received).await.unwrap();
        drop(sending.await.unwrap());
        received
    }

    #[tokio::test]
    async fn what_is_no_http_gets_the_error_body() {
        let many = "a: b\r\n".repeat(HEADERS + 1);
        let requests = [
            ("GET / HTTP/9.1\r\n\r\n".to_owned(), "invalid_value"),
            ("GET / HTTP/1.1\r\nContent-Length: abc\r\n\r\n".to_owned(), "invalid_value"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n".to_owned(), "invalid_value"),
            ("GET / HTTP/1.1\r\nbad name: x\r\n\r\n".to_owned(), "invalid_value"),
            (format!("GET / HTTP/1.1\r\n{many}\r\n"), "value_too_long"),
            (format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(2 * HEAD_BYTES)), "value_too_long"),
            (format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(70_000)), "value_too_long"),
        ];
        for (request, code) in requests {
            let answer = talk(request.into_bytes()).await;
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\ndate: "), "{head}");
            assert!(head.contains("\r\nx-request-id: req_"), "{head}");
            assert!(head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())), "{head}");
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            assert_eq!(body["error"]["code"], code);
        }
    }

    #[tokio::test]
    async fn only_the_librarys_own_answer_is_replaced() {
        let request = "GET /lookalike HTTP/1.1\r\nHost: h\r\n\r\n";
        let answer = talk(format!("{request}{request}no http\r\n\r\n").into_bytes()).await;
        assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2, "{answer}");
        assert_eq!(answer.matches(LOOKALIKE).count(), 2, "{answer}");
        assert!(answer.ends_with("\"code\":\"invalid_value\"}}"), "{answer}");
    }

    #[tokio::test]
    async fn a_client_that_listens_only_after_sending_hears_a_refusal() {
        for connection in ["keep-alive", "close"] {
            let mut client = connect();
            let length = 4 * 1024 * 1024;
            let head = format!(
                "POST /refuse HTTP/1.1\r\nConnection: {connection}\r\nContent-Length: {length}\r\n\r\n"
            );
            client.write_all(head.as_bytes()).await.unwrap();
            client.write_all(&vec![b'x'; length]).await.unwrap();
            let mut status = [0; 12];
            client.read_exact(&mut status).await.unwrap();
            assert_eq!(&status, b"HTTP/1.1 401");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_asks_is_given_up() {
        let mut client = connect();
        client.write_all(b"PRI").await.unwrap();
        assert_eq!(client.read(&mut [0; 1]).await.unwrap(), 0);
    }
}
