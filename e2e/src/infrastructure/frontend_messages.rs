//! The messages that a client sends to PostgreSQL, read one by one.

use tokio::io::{AsyncRead, AsyncReadExt};

/// The length of a request for encryption. Another message without a kind follows it.
const ENCRYPTION_REQUEST: usize = 8;
const LENGTH_BYTES: usize = 4;
const READ_BYTES: usize = 16 * 1024;

/// One message with its header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrontendMessage {
    /// `None` for the messages that start a connection.
    pub(super) kind: Option<u8>,
    pub(super) bytes: Vec<u8>,
}

impl FrontendMessage {
    /// Whether it runs a statement: a simple query, or the execution of a prepared one.
    pub(super) fn is_statement(&self) -> bool {
        matches!(self.kind, Some(b'Q' | b'E'))
    }

    /// Whether the server answers after it.
    pub(super) fn expects_answer(&self) -> bool {
        matches!(self.kind, Some(b'Q' | b'S'))
    }
}

/// Reads messages from a connection that is not encrypted.
pub(super) struct FrontendMessages<R> {
    source: R,
    unread: UnreadBytes,
}

#[derive(Default)]
struct UnreadBytes {
    bytes: Vec<u8>,
    /// Whether the connection is started, so that messages begin with their kind.
    started: bool,
}

impl<R: AsyncRead + Unpin> FrontendMessages<R> {
    pub(super) fn of(source: R) -> Self {
        Self { source, unread: UnreadBytes::default() }
    }

    /// The next message; `None` if the connection has ended. Nothing is lost if the future is dropped.
    pub(super) async fn next(&mut self) -> Option<FrontendMessage> {
        loop {
            if let Some(message) = self.unread.take_message() {
                return Some(message);
            }
            self.unread.bytes.reserve(READ_BYTES);
            match self.source.read_buf(&mut self.unread.bytes).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return None,
            }
        }
    }
}

impl UnreadBytes {
    fn take_message(&mut self) -> Option<FrontendMessage> {
        let kind_bytes = usize::from(self.started);
        let length = self.bytes.get(kind_bytes..kind_bytes + LENGTH_BYTES)?;
        let length = u32::from_be_bytes(length.try_into().ok()?) as usize;
        let end = kind_bytes + length;
        if self.bytes.len() < end {
            return None;
        }
        let bytes: Vec<u8> = self.bytes.drain(..end).collect();
        let kind = bytes.first().copied().filter(|_| self.started);
        self.started |= length != ENCRYPTION_REQUEST;
        Some(FrontendMessage { kind, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: &[u8], body: &[u8]) -> Vec<u8> {
        let length = (body.len() + LENGTH_BYTES) as u32;
        [kind, &length.to_be_bytes(), body].concat()
    }

    #[tokio::test]
    async fn messages_are_separated_whatever_the_pieces_they_arrive_in() {
        let sent = [
            // A request for encryption and the start of the connection.
            message(b"", b"\x04\xd2\x16\x2f"),
            message(b"", b"\0\x03\0\0user\0auris\0\0"),
            message(b"Q", b"BEGIN\0"),
            message(b"B", b"E"),
            message(b"E", b"\0\0\0\0\0"),
            message(b"S", b""),
        ];
        let (mut client, server) = tokio::io::duplex(7);
        let bytes = sent.concat();
        let writer = tokio::spawn(async move {
            tokio::io::AsyncWriteExt::write_all(&mut client, &bytes).await.map(|()| client)
        });
        let mut messages = FrontendMessages::of(server);
        let mut read = Vec::new();
        for _ in &sent {
            read.push(messages.next().await.expect("all messages are read"));
        }
        let bytes: Vec<Vec<u8>> = read.iter().map(|message| message.bytes.clone()).collect();
        assert_eq!(bytes, sent);
        let kinds: Vec<Option<u8>> = read.iter().map(|message| message.kind).collect();
        assert_eq!(kinds, [None, None, Some(b'Q'), Some(b'B'), Some(b'E'), Some(b'S')]);
        assert_eq!(read.iter().filter(|message| message.is_statement()).count(), 2);
        drop(writer.await.expect("the writer does not panic"));
        assert_eq!(messages.next().await, None);
    }
}
