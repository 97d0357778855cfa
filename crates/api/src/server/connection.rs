//! One connection: HTTP/1.1, or HTTP/2 if the client begins with it, over a `RewritingSocket`.

use std::convert::Infallible;
use std::time::Duration;

use auris_domain::time::Clock;
use axum::body::Body;
use axum::http::{Request, Response, Version};
use axum::middleware::from_fn_with_state;
use axum::{BoxError, Router};
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulConnection;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};

use super::answer_state::AnswerState;
use super::head_size;
use super::http2_streams::StreamExecutor;
use super::limits::{
    HEAD_BYTES, HEADER_LIST_BYTES, HEADERS, HTTP2_STREAMS, IDLE_TIMEOUT, PING_INTERVAL, SEND_BUFFER_BYTES,
};
use super::rewriting_socket::RewritingSocket;
use super::sse_handover::{HandedOver, Handover};
use super::tracked_body::{AnswerBody, RequestBody};
use crate::client_address::ClientAddress;

/// Serves connections with the HTTP library.
pub(super) struct Connections {
    builder: Builder<StreamExecutor>,
    router: Router,
    clock: Clock,
    write_timeout: Duration,
}

impl Connections {
    /// `write_timeout` is how long a client may accept no bytes of a response.
    pub(super) fn new(router: Router, clock: Clock, write_timeout: Duration) -> Self {
        let mut builder = Builder::new(StreamExecutor { write_timeout });
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE_TIMEOUT)
            .max_headers(HEADERS)
            .max_buf_size(HEAD_BYTES);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .max_concurrent_streams(HTTP2_STREAMS)
            .max_send_buf_size(SEND_BUFFER_BYTES)
            .max_header_list_size(HEADER_LIST_BYTES);
        let router = router.layer(from_fn_with_state(clock.clone(), head_size::limit));
        Self { builder, router, clock, write_timeout }
    }

    /// A future that serves the connection, and the handle to take the connection over when it ends.
    pub(super) fn serve<S>(
        &self,
        stream: S,
        address: ClientAddress,
        answer_state: AnswerState,
    ) -> (impl GracefulConnection<Error = BoxError> + Send + use<S>, Handover<S>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let handover = Handover::new(stream, self.write_timeout);
        let slot = handover.slot();
        let socket = RewritingSocket::new(
            handover.stream(),
            answer_state.clone(),
            self.clock.clone(),
            self.write_timeout,
        );
        let router = TowerToHyperService::new(self.router.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(address);
            let answer = answer_state.begin(request.version() == Version::HTTP_2);
            let slot = slot.for_request(&request);
            let running = router.call(RequestBody::of(request, &answer_state));
            async move {
                let Ok(response): Result<Response<Body>, Infallible> = running.await;
                let response = match slot {
                    Some(slot) => slot.offer(response)?,
                    None => response,
                };
                Ok::<_, HandedOver>(AnswerBody::of(response, answer))
            }
        });
        (self.builder.serve_connection(TokioIo::new(socket), service).into_owned(), handover)
    }
}
