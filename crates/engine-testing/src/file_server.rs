//! A small HTTP server on loopback that serves one file, with or without ranges, and can close connections early or
//! stop sending.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// How the server behaves.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// Ignores `Range` headers and sends the whole file.
    pub knows_no_ranges: bool,
    /// For each of the first connections, the number of bytes of the body after which it is closed.
    pub breaks_after: Vec<usize>,
    /// Sends only this many bytes, head included, and leaves the connection open.
    pub stalls_after: Option<usize>,
}

/// The path and the `Range` header of a request.
type Request = (String, Option<String>);

/// A running server.
pub struct FileServer {
    port: u16,
    /// The requests so far.
    requests: Arc<Mutex<Vec<Request>>>,
}

impl FileServer {
    /// Serves `content` at every path, until the test's process ends.
    pub fn start(content: &[u8], manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let content = content.to_vec();
        let received = requests.clone();
        std::thread::spawn(move || {
            let mut stalled = Vec::new();
            for (nth, stream) in listener.incoming().enumerate() {
                let stream = stream.unwrap();
                let request = read_request(&stream);
                received.lock().unwrap().push(request.clone());
                let limit = manner.breaks_after.get(nth).copied().unwrap_or(usize::MAX);
                let range = request.1.filter(|_| !manner.knows_no_ranges);
                let answer = answer(&content, range.as_deref(), limit);
                let sent = manner.stalls_after.unwrap_or(usize::MAX).min(answer.len());
                // The client may close the connection before the end.
                let _ = (&stream).write_all(&answer[..sent]);
                if manner.stalls_after.is_some() {
                    stalled.push(stream);
                }
            }
        });
        Self { port, requests }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    pub fn paths(&self) -> Vec<String> {
        self.requests.lock().unwrap().iter().map(|(path, _)| path.clone()).collect()
    }

    pub fn ranges(&self) -> Vec<Option<String>> {
        self.requests.lock().unwrap().iter().map(|(_, range)| range.clone()).collect()
    }
}

fn read_request(stream: &TcpStream) -> Request {
    let mut lines =
        BufReader::new(stream).lines().map(|line| line.unwrap()).take_while(|line| !line.is_empty());
    let path = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let range = lines.find_map(|line| line.to_lowercase().strip_prefix("range: ").map(str::to_owned));
    (path, range)
}

fn answer(content: &[u8], range: Option<&str>, limit: usize) -> Vec<u8> {
    let from = range.map(|range| range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap());
    let (status, body) = match from {
        Some(from) if from >= content.len() => ("416 Range Not Satisfiable", &[][..]),
        Some(from) => ("206 Partial Content", &content[from..]),
        None => ("200 OK", content),
    };
    let range = match from {
        Some(from) => format!("content-range: bytes {from}-{}/{}\r\n", content.len() - 1, content.len()),
        None => String::new(),
    };
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{range}connection: close\r\n\r\n", body.len());
    [head.as_bytes(), &body[..limit.min(body.len())]].concat()
}
