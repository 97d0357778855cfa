//! A request that is not valid HTTP still gets an error body, a status of the contract and a request id.

use std::time::Duration;

use auris_e2e::{Client, DatabaseKind, Server};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The parts of an answer.
struct Answer {
    status: u16,
    headers: String,
    body: String,
}

async fn send(server: &Server, request: &str) -> Answer {
    let mut socket = TcpStream::connect(server.address()).await.expect("the server listens");
    // The server may answer and close before everything is written.
    let _ = socket.write_all(request.as_bytes()).await;
    let mut bytes = Vec::new();
    let reading = tokio::time::timeout(Duration::from_secs(30), socket.read_to_end(&mut bytes));
    let _ = reading.await.expect("the server closes the connection");
    let text = String::from_utf8(bytes).expect("the answer is UTF-8");
    let (headers, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: `{text}`"));
    let status = headers.get(9..12).and_then(|status| status.parse().ok());
    Answer { status: status.expect("a status"), headers: headers.to_lowercase(), body: body.to_owned() }
}

fn request(client: &Client, first_line: &str, headers: &str) -> String {
    format!(
        "{first_line}\r\nHost: auris\r\nAuthorization: Bearer {}\r\nConnection: close\r\n{headers}\r\n",
        client.key()
    )
}

fn many_headers(count: usize) -> String {
    (0..count).map(|nth| format!("X-Header-{nth}: {nth}\r\n")).collect()
}

/// The given number of bytes of headers, in lines of a valid length.
fn large_headers(bytes: usize) -> String {
    let line = "a".repeat(10_000);
    (0..bytes / line.len()).map(|nth| format!("X-Large-{nth}: {line}\r\n")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalid_http_request_gets_an_error_body_and_a_request_id() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let get = "GET /v1/models HTTP/1.1";
    let requests = [
        ("101 headers", request(&client, get, &many_headers(98))),
        ("150 headers", request(&client, get, &many_headers(147))),
        ("70 kB of headers", request(&client, get, &large_headers(70_000))),
        ("600 kB of headers", request(&client, get, &large_headers(600_000))),
        (
            "a URL of 70 kB",
            request(&client, &format!("GET /v1/jobs?after={} HTTP/1.1", "a".repeat(70_000)), ""),
        ),
        ("HTTP/9.1", request(&client, "GET /v1/models HTTP/9.1", "")),
        (
            "a length that is not a number",
            request(&client, "POST /v1/audio/analyses HTTP/1.1", "Content-Length: many\r\n"),
        ),
        (
            "two lengths",
            request(
                &client,
                "POST /v1/audio/analyses HTTP/1.1",
                "Content-Length: 1\r\nContent-Length: 2\r\n",
            ),
        ),
        (
            "a transfer coding",
            request(&client, "POST /v1/audio/analyses HTTP/1.1", "Transfer-Encoding: gzip\r\n"),
        ),
    ];
    for (name, request) in requests {
        let answer = send(&server, &request).await;
        assert_eq!(answer.status, 400, "{name}: {}\n{}", answer.headers, answer.body);
        assert!(answer.headers.contains("x-request-id: "), "{name}: {}", answer.headers);
        assert!(answer.headers.contains("content-type: application/json"), "{name}: {}", answer.headers);
        let body: Value =
            serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{name}: {}", answer.body));
        assert_eq!(body["error"]["type"], "invalid_request_error", "{name}: {body}");
        assert!(body["error"]["code"].is_string() && body["error"]["message"].is_string(), "{name}: {body}");
        assert_eq!(body.as_object().map(serde_json::Map::len), Some(1), "{name}: {body}");
    }
    client.get("/v1/models").send().await.expect_status(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_just_within_the_limits_is_answered() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let get = "GET /v1/models HTTP/1.1";
    for headers in [many_headers(97), large_headers(60_000)] {
        let answer = send(&server, &request(&client, get, &headers)).await;
        assert_eq!(answer.status, 200, "{}\n{}", answer.headers, answer.body);
    }
}
