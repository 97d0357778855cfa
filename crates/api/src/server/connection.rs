//! One connection: HTTP/1.1, or HTTP/2 if the client begins with it, over a `RewritingSocket`.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

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

use super::answer_state::{AnswerState, OpenAnswer};
use super::limits::{HEAD_BYTES, HEAD_TIMEOUT, HEADER_LIST_BYTES, HEADERS, PING_INTERVAL};
use super::rewriting_socket::RewritingSocket;
use super::sse_handover::{HandedOver, Handover};

/// Serves connections with the HTTP library.
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
            .header_read_timeout(HEAD_TIMEOUT)
            .max_headers(HEADERS)
            .max_buf_size(HEAD_BYTES);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .max_header_list_size(HEADER_LIST_BYTES);
        Self { builder, router, clock }
    }

    /// A future that serves the connection, and the handle to take the connection over when it ends.
    pub(super) fn serve<S>(
        &self,
        stream: S,
    ) -> (impl GracefulConnection<Error = BoxError> + Send + use<S>, Handover<S>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let answer_state = AnswerState::default();
        let handover = Handover::new(stream);
        let slot = handover.slot();
        let socket = RewritingSocket::new(handover.stream(), answer_state.clone(), self.clock.clone());
        let router = TowerToHyperService::new(self.router.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let answer = answer_state.begin(request.version() == Version::HTTP_2);
            let slot = slot.for_request(&request);
            let running = router.call(request);
            async move {
                let Ok(response): Result<Response<Body>, Infallible> = running.await;
                let response = match slot {
                    Some(slot) => slot.offer(response)?,
                    None => response,
                };
                Ok::<_, HandedOver>(response.map(|body| TrackedBody { body, _answer: answer }))
            }
        });
        (self.builder.serve_connection(TokioIo::new(socket), service).into_owned(), handover)
    }
}

/// The body of a response. The answer stays open until the body is dropped.
struct TrackedBody {
    body: Body,
    _answer: OpenAnswer,
}

impl HttpBody for TrackedBody {
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
