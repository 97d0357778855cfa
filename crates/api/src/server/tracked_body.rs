//! Bodies of requests and responses that report to the state of their connection when they begin and end.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Request, Response};
use hyper::body::{Frame, Incoming, SizeHint};

use super::answer_state::{AnswerState, OpenAnswer, OpenBody};
use super::http2_streams::StreamWrite;
use super::limits::PIECE_BYTES;
use crate::end_signal::EndSignal;
use crate::middleware::authenticate::Identity;
use crate::view::ForVisitor;

/// The body of a request.
pub(super) struct RequestBody {
    body: Incoming,
    _open: Option<OpenBody>,
}

impl RequestBody {
    pub(super) fn of(request: Request<Incoming>, state: &AnswerState) -> Request<Self> {
        request.map(|body| {
            let open = (!body.is_end_stream()).then(|| state.begin_body());
            Self { body, _open: open }
        })
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a response. The answer stays open until the body is dropped.
///
/// For HTTP/2 it is passed on in pieces. The HTTP library accepts a piece of any size as soon as the client allows one
/// byte, and keeps it until the client allows the rest, even after the last piece of the body. So the last byte is a
/// separate piece: the body stays open, and its stream can be reset, until the client has allowed all bytes before it.
pub(super) struct AnswerBody {
    body: Body,
    /// Bytes that were received from the body and not passed on.
    rest: Bytes,
    /// The HTTP/2 stream of the response.
    write: Option<StreamWrite>,
    _answer: OpenAnswer,
}

impl AnswerBody {
    pub(super) fn of(response: Response<Body>, mut answer: OpenAnswer) -> Response<Self> {
        if is_public(&response) {
            answer.set_public();
        }
        let (mut head, body) = response.into_parts();
        let end_signal = head.extensions.remove::<EndSignal>();
        let write = StreamWrite::current();
        match &write {
            Some(write) => write.set_end_signal(end_signal),
            None => answer.set_end_signal(end_signal),
        }
        Response::from_parts(head, Self { body, rest: Bytes::new(), write, _answer: answer })
    }

    fn poll_pieces(
        &mut self,
        write: &StreamWrite,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        write.asked();
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        let piece = next_piece(&mut self.rest);
        if !piece.is_empty() {
            write.passed(piece.len());
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

/// Whether a response needed no key and no session, and can simply be requested again. A signed download needs no key
/// either, but it is a stream, whose size is not known.
fn is_public(response: &Response<Body>) -> bool {
    let extensions = response.extensions();
    let needed_key = extensions.get::<Identity>().is_some() || extensions.get::<ForVisitor>().is_some();
    !needed_key && response.body().size_hint().exact().is_some()
}

/// The next piece of some bytes. Their last byte is a separate piece.
fn next_piece(bytes: &mut Bytes) -> Bytes {
    match bytes.len() {
        0 | 1 => std::mem::take(bytes),
        length => bytes.split_to(PIECE_BYTES.min(length - 1)),
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.write.clone() {
            Some(write) => self.poll_pieces(&write, context),
            None => Pin::new(&mut self.body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint() + SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view;

    #[test]
    fn a_response_to_somebody_who_is_signed_in_is_not_public() {
        let response = || Response::new(Body::from("a new key"));
        assert!(is_public(&response()));
        assert!(!is_public(&view::for_visitor(response())));
        let stream = Body::from_stream(futures::stream::empty::<Result<Bytes, axum::Error>>());
        assert!(!is_public(&Response::new(stream)));
    }

    #[test]
    fn the_last_byte_is_a_separate_piece() {
        for length in [1, 2, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 7] {
            let mut bytes = Bytes::from(vec![7; length]);
            let mut pieces = Vec::new();
            while !bytes.is_empty() {
                pieces.push(next_piece(&mut bytes).len());
            }
            assert_eq!(pieces.iter().sum::<usize>(), length);
            assert!(pieces.iter().all(|piece| *piece <= PIECE_BYTES), "{pieces:?}");
            assert_eq!(pieces.last(), Some(&1), "{pieces:?}");
        }
    }
}
