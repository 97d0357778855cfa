//! A POST request whose body a test writes to the socket piece by piece.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::Client;

/// Longer than the server lets any request of a test wait. A test that waits this long has failed.
const DEADLINE: Duration = Duration::from_secs(120);

/// A request whose head was sent. It asks for `100 Continue`, which the server sends when it begins to read the body.
pub struct RawRequest {
    socket: TcpStream,
}

impl RawRequest {
    /// Sends the head of a request with a body of this length.
    pub async fn begin(client: &Client, path: &str, content_type: &str, length: usize) -> Self {
        let address = client.base().trim_start_matches("http://");
        let mut socket = TcpStream::connect(address).await.expect("the server listens");
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: auris\r\nAuthorization: Bearer {}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n",
            client.key()
        );
        socket.write_all(head.as_bytes()).await.expect("the server reads the head");
        Self { socket }
    }

    /// Waits until the server begins to read the body; panics if it answers instead.
    pub async fn expect_continue(&mut self) {
        let head = self.head().await;
        assert!(head.starts_with("HTTP/1.1 100 "), "{head}");
    }

    /// Whether the server has sent nothing since the last answer that was read.
    pub fn is_unanswered(&self) -> bool {
        self.socket.try_read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    /// Sends a piece of the body.
    pub async fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).await.expect("the server reads the body");
    }

    /// Reads the head of the next answer.
    pub async fn head(&mut self) -> String {
        let mut head = Vec::new();
        let reading = async {
            while !head.ends_with(b"\r\n\r\n") {
                head.push(self.socket.read_u8().await.expect("the server answers"));
            }
        };
        timeout(DEADLINE, reading).await.expect("the server answers in time");
        String::from_utf8(head).expect("a head is ASCII")
    }

    /// Sends one byte per second until the server closes the connection, and returns its whole answer.
    pub async fn drip(self) -> String {
        let (mut reader, mut writer) = self.socket.into_split();
        let dripping = tokio::spawn(async move {
            while writer.write_all(b" ").await.is_ok() {
                sleep(Duration::from_secs(1)).await;
            }
        });
        let mut answer = Vec::new();
        let reading = timeout(DEADLINE, reader.read_to_end(&mut answer)).await;
        dripping.abort();
        // The last byte may reach a socket that is closed already, which resets the connection after the answer.
        let _ = reading.expect("the server closes the connection");
        String::from_utf8(answer).expect("the answer is UTF-8")
    }
}
