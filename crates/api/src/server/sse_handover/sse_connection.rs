//! Writes a response to a bare HTTP/1.1 connection in chunks, until it ends or the client disconnects or stops reading.

use std::future::poll_fn;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::http::{Response, response};
use futures::StreamExt;
use futures::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::end_signal::EndSignal;
use crate::server::limits::PIECE_BYTES;
use crate::server::stalled_write::WriteTimer;

/// Sends the whole response and closes the connection. Fails if the client accepts no bytes for `write_timeout`, or too
/// few.
pub(super) async fn serve<S>(stream: S, response: Response<Body>, write_timeout: Duration) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut head, body) = response.into_parts();
    let end_signal = head.extensions.remove::<EndSignal>();
    let timer = WriteTimer::new(write_timeout);
    let mut connection = Connection { stream, timer, end_signal, end: None };
    connection.write_all(&head_bytes(&head)?).await?;
    drop(head);
    let mut frames = body.into_data_stream();
    loop {
        let frame = tokio::select! {
            frame = frames.next() => frame,
            () = disconnected(&mut connection.stream) => return Ok(()),
        };
        match frame {
            Some(Ok(frame)) => connection.write_chunks(&frame).await?,
            // Without the final chunk, so that the client notices that the response is incomplete.
            Some(Err(error)) => return Err(io::Error::other(error)),
            None => break,
        }
    }
    connection.write_all(b"0\r\n\r\n").await?;
    connection.stream.shutdown().await
}

/// A connection that gives up a client that does not read.
struct Connection<S> {
    stream: S,
    timer: WriteTimer,
    /// When the response must end, although its client does not read it.
    end_signal: Option<EndSignal>,
    /// Waits for `end_signal` since the client kept us waiting for the first time.
    end: Option<BoxFuture<'static, ()>>,
}

impl<S: AsyncWrite + Unpin> Connection<S> {
    /// Writes a frame in chunks that are small, so that little is copied at a time: readers of a job share its events.
    async fn write_chunks(&mut self, frame: &[u8]) -> io::Result<()> {
        for piece in frame.chunks(PIECE_BYTES) {
            self.write_all(&chunk(piece)?).await?;
        }
        Ok(())
    }

    async fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = poll_fn(|context| self.poll_write(bytes, context)).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = bytes.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    /// Writes some bytes. A write that does not wait is not watched.
    fn poll_write(&mut self, bytes: &[u8], context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(context, bytes) {
            self.timer.accepted(*written.as_ref().unwrap_or(&0));
            return Poll::Ready(written);
        }
        if self.end.is_none() {
            self.end = self.end_signal.take().map(|signal| signal.wait());
        }
        if self.end.as_mut().is_some_and(|end| end.as_mut().poll(context).is_ready()) {
            return Poll::Ready(Err(io::Error::other("the key of the stream has ended")));
        }
        self.timer.poll_given_up(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

#[expect(clippy::disallowed_methods, reason = "the Date header is the real time, as in every other response")]
fn head_bytes(head: &response::Parts) -> io::Result<Vec<u8>> {
    let date = httpdate::fmt_http_date(SystemTime::now());
    let mut bytes = Vec::with_capacity(512);
    write!(bytes, "HTTP/1.1 {}\r\ndate: {date}\r\n", head.status)?;
    for (name, value) in &head.headers {
        write!(bytes, "{name}: ")?;
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"transfer-encoding: chunked\r\nconnection: close\r\n\r\n");
    Ok(bytes)
}

fn chunk(piece: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(piece.len() + 16);
    write!(bytes, "{:x}\r\n", piece.len())?;
    bytes.extend_from_slice(piece);
    bytes.extend_from_slice(b"\r\n");
    Ok(bytes)
}

/// Returns when the client has closed its side. Anything that it sends before is ignored.
async fn disconnected<S: AsyncRead + Unpin>(stream: &mut S) {
    let mut ignored = [0; 64];
    while stream.read(&mut ignored).await.is_ok_and(|count| count > 0) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;
    use axum::http::HeaderValue;
    use futures::stream;
    use std::convert::Infallible;

    const TIMEOUT: Duration = Duration::from_secs(30);

    fn response(frames: impl futures::Stream<Item = &'static str> + Send + 'static) -> Response<Body> {
        let frames = frames.map(|frame| Ok::<_, Infallible>(Bytes::from_static(frame.as_bytes())));
        let mut response = Response::new(Body::from_stream(frames));
        response.headers_mut().insert("content-type", HeaderValue::from_static("text/event-stream"));
        response
    }

    #[tokio::test]
    async fn frames_are_chunks_and_the_last_chunk_ends_the_response() {
        let (mut client, server) = tokio::io::duplex(1024);
        let frames = stream::iter(["data: 1\n\n", "", "data: twenty\n\n"]);
        let serving = tokio::spawn(serve(server, response(frames), TIMEOUT));
        let mut received = String::new();
        client.read_to_string(&mut received).await.unwrap();
        serving.await.unwrap().unwrap();
        let (head, body) = received.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\ndate: "), "{head}");
        assert!(head.contains("\r\ncontent-type: text/event-stream\r\n"), "{head}");
        assert_eq!(body, "9\r\ndata: 1\n\n\r\ne\r\ndata: twenty\n\n\r\n0\r\n\r\n");
    }

    #[tokio::test]
    async fn a_client_that_disconnects_ends_the_response() {
        let (mut client, server) = tokio::io::duplex(1024);
        let serving = tokio::spawn(serve(server, response(stream::pending()), TIMEOUT));
        client.read_exact(&mut [0; 12]).await.unwrap();
        client.write_all(b"GET /again HTTP/1.1\r\n\r\n").await.unwrap();
        drop(client);
        serving.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_given_up() {
        let (_client, server) = tokio::io::duplex(1024);
        let serving = serve(server, response(stream::repeat("data: 1\n\n")), TIMEOUT);
        let served = tokio::time::timeout(2 * TIMEOUT, serving).await.unwrap();
        assert_eq!(served.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_slowly_receives_everything() {
        let (mut client, server) = tokio::io::duplex(1024);
        let frames = stream::repeat("0123456789abcdef").take(1_000);
        let serving = tokio::spawn(serve(server, response(frames), TIMEOUT));
        let mut received = Vec::new();
        // 5 KiB per second.
        while client.read_buf(&mut received).await.unwrap() > 0 {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        serving.await.unwrap().unwrap();
        assert!(received.ends_with(b"\r\n0\r\n\r\n") && received.len() > 16_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_a_byte_now_and_then_is_given_up() {
        let (mut client, server) = tokio::io::duplex(1024);
        let serving = tokio::spawn(serve(server, response(stream::repeat("data: 1\n\n")), TIMEOUT));
        tokio::spawn(async move {
            while client.read_u8().await.is_ok() {
                tokio::time::sleep(TIMEOUT / 10).await;
            }
        });
        let served = tokio::time::timeout(2 * TIMEOUT, serving).await.unwrap().unwrap();
        assert_eq!(served.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_must_end_does_not_wait_for_its_client() {
        let (_client, server) = tokio::io::duplex(1024);
        let mut response = response(stream::repeat("data: 1\n\n"));
        let signal = EndSignal::new(|| Box::pin(tokio::time::sleep(Duration::from_secs(2))));
        response.extensions_mut().insert(signal);
        let served = tokio::time::timeout(TIMEOUT / 2, serve(server, response, TIMEOUT)).await.unwrap();
        assert!(served.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_a_byte_now_and_then_does_not_delay_the_end() {
        let (mut client, server) = tokio::io::duplex(1024);
        let mut response = response(stream::repeat("data: 1\n\n"));
        let signal = EndSignal::new(|| Box::pin(tokio::time::sleep(Duration::from_secs(2))));
        response.extensions_mut().insert(signal);
        tokio::spawn(async move {
            while client.read_u8().await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        let served = tokio::time::timeout(TIMEOUT / 2, serve(server, response, TIMEOUT)).await.unwrap();
        assert!(served.is_err());
    }
}
