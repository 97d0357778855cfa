//! Requests over HTTP/2 whose client allows no byte of the answers: its flow-control window is closed.

use std::io;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A SETTINGS frame with an initial window of 0.
const NO_WINDOW: [u8; 15] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0];
/// The type of a HEADERS frame, and its flags: the end of the headers and of the request.
const HEADERS: [u8; 2] = [1, 5];

/// Sends `count` GET requests for the path over a new connection. Their answers wait as long as the connection is kept.
pub async fn closed_window_requests(
    address: &str,
    key: &str,
    path: &str,
    count: u32,
) -> io::Result<TcpStream> {
    let mut socket = TcpStream::connect(address).await?;
    let authorization = format!("Bearer {key}");
    let fields = [
        (":method", "GET"),
        (":scheme", "http"),
        (":authority", "auris"),
        (":path", path),
        ("authorization", &authorization),
    ];
    let headers: Vec<u8> = fields.iter().flat_map(|(name, value)| literal(name, value)).collect();
    let mut bytes = [PREFACE, NO_WINDOW.as_slice()].concat();
    for number in 0..count {
        let length = headers.len() as u32;
        bytes.extend_from_slice(&length.to_be_bytes()[1..]);
        bytes.extend_from_slice(&HEADERS);
        bytes.extend_from_slice(&(2 * number + 1).to_be_bytes());
        bytes.extend_from_slice(&headers);
    }
    socket.write_all(&bytes).await?;
    Ok(socket)
}

/// A header field that is not compressed. Both texts are short.
fn literal(name: &str, value: &str) -> Vec<u8> {
    assert!(name.len() < 127 && value.len() < 127, "the length has one byte: {value}");
    let length = |text: &str| [text.len() as u8];
    [&[0][..], &length(name)[..], name.as_bytes(), &length(value)[..], value.as_bytes()].concat()
}
