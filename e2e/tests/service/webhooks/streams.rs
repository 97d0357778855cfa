//! Revoking a key ends its open event streams, and long answers that nobody reads.

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use auris_e2e::requests::{post_analysis, post_transcription, transcription_form};
use auris_e2e::{DatabaseKind, Server, both_databases, eventually_within, wav};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

both_databases! {
    async fn a_revoked_key_ends_its_open_streams_and_no_other(database: DatabaseKind) {
        let server = Server::start(database).await;
        let owner = server.client();
        let client = server.client_with(&["--name", "to be revoked"]);
        // A job that sends events for many minutes.
        let form = transcription_form(&owner).await.without("file").file(wav(600_000));
        let form = form.text("async", "true").text("prompt", "fake:delay=1000");
        let id = post_transcription(&owner, &form).await.expect_status(202).id();
        let path = format!("/v1/jobs/{id}/events");
        let mut kept = owner.get(&path).stream().await;
        let mut ended = client.get(&path).stream().await;
        assert!(kept.next().await.is_some() && ended.next().await.is_some());
        revoke(&server);
        let last = ended.rest().await.pop().map(|event| event.kind);
        assert!(last.is_none_or(|kind| !["job.completed", "job.failed", "job.cancelled"].contains(&kind.as_str())));
        assert!(kept.next().await.is_some(), "the stream of the other key continues");
        owner.post(&format!("/v1/jobs/{id}/cancel")).send().await.expect_status(200);
    }
}

/// Well below the 30 seconds after which a client that does not read is disconnected in any case.
const SOON: Duration = Duration::from_secs(15);
/// More than the buffers of a connection hold.
const LONG_ANSWER: usize = 5_000_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_key_ends_a_long_answer_that_its_client_does_not_read() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let owner = server.client();
    // The answer contains it twice: as a whole, and in paragraphs.
    let text = "Anna met Boris in Berlin. ".repeat(LONG_ANSWER / 2 / 26 + 1);
    let body = json!({"transcript": {"text": text}, "processing": {"formatting": {}}});
    let id = post_analysis(&owner, &body).await.expect_status(202).id();
    server.finished(&owner, &id).await;
    let client = server.client_with(&["--name", "to be revoked"]);
    let address: SocketAddr = client.base().trim_start_matches("http://").parse().expect("an address");
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(16 * 1024).expect("a small buffer");
    let mut socket = socket.connect(address).await.expect("the server listens");
    let request = format!(
        "GET /v1/jobs/{id}/steps HTTP/1.1\r\nHost: auris\r\nAuthorization: Bearer {}\r\n\r\n",
        client.key()
    );
    socket.write_all(request.as_bytes()).await.expect("the server reads");
    assert!(answer_length(&mut socket).await > LONG_ANSWER);
    assert!(is_connected(&socket));
    revoke(&server);
    eventually_within(SOON, "the connection to be closed", || async {
        (!is_connected(&socket)).then_some(())
    })
    .await;
}

/// Reads the head of an answer, and returns the length of its body.
async fn answer_length(socket: &mut TcpStream) -> usize {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.expect("the server answers"));
    }
    let head = String::from_utf8(head).expect("a head is ASCII").to_lowercase();
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.parse().ok()).expect("the answer has a length")
}

/// Whether the server's side of a connection is open. The client would notice only after it has read everything.
fn is_connected(socket: &TcpStream) -> bool {
    const ESTABLISHED: &str = "01";
    let port = |address: std::io::Result<SocketAddr>| format!(":{:04X}", address.expect("connected").port());
    let client = port(socket.local_addr());
    let server = port(socket.peer_addr());
    let connections = fs::read_to_string("/proc/net/tcp").expect("the connections of this machine");
    connections.lines().any(|line| {
        let mut columns = line.split_whitespace().skip(1);
        columns.next().is_some_and(|local| local.ends_with(&server))
            && columns.next().is_some_and(|remote| remote.ends_with(&client))
            && columns.next() == Some(ESTABLISHED)
    })
}

/// Revokes the key with the name `to be revoked`.
fn revoke(server: &Server) {
    let keys: Value = serde_json::from_str(&server.auris(&["keys", "list", "--json"])).expect("JSON");
    let key = keys.as_array().into_iter().flatten().find(|key| key["name"] == "to be revoked");
    server.auris(&["keys", "revoke", key.expect("the key")["id"].as_str().expect("an id")]);
}
