//! Writes a response to a bare HTTP/1.1 connection in chunks, until it ends or the client disconnects.

use std::io::{self, Write};
use std::time::SystemTime;

use axum::body::{Body, Bytes};
use axum::http::{Response, response};
use futures::StreamExt;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Sends the whole response and closes the connection.
pub(super) async fn serve<S>(mut stream: S, response: Response<Body>) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (head, body) = response.into_parts();
    stream.write_all(&head_bytes(&head)?).await?;
    drop(head);
    let mut frames = body.into_data_stream();
    loop {
        let frame = tokio::select! {
            frame = frames.next() => frame,
            () = disconnected(&mut stream) => return Ok(()),
        };
        match frame {
            Some(Ok(frame)) => stream.write_all(&chunk(&frame)?).await?,
            // Without the final chunk, so that the client notices that the response is incomplete.
            Some(Err(error)) => return Err(io::Error::other(error)),
            None => break,
        }
    }
    stream.write_all(b"0\r\n\r\n").await?;
    stream.shutdown().await
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

fn chunk(frame: &Bytes) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(frame.len() + 16);
    // An empty chunk would end the response.
    if !frame.is_empty() {
        write!(bytes, "{:x}\r\n", frame.len())?;
        bytes.extend_from_slice(frame);
        bytes.extend_from_slice(b"\r\n");
    }
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
    use axum::http::HeaderValue;
    use futures::stream;
    use std::convert::Infallible;

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
        let serving = tokio::spawn(serve(server, response(frames)));
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
        let serving = tokio::spawn(serve(server, response(stream::pending())));
        client.read_exact(&mut [0; 12]).await.unwrap();
        client.write_all(b"GET /again HTTP/1.1\r\n\r\n").await.unwrap();
        drop(client);
        serving.await.unwrap().unwrap();
    }
}
