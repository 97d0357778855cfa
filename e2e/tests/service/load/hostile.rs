//! Callers with a valid key who break every rule of politeness, over plain sockets.

use std::time::Duration;

use auris_e2e::Form;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// How long one attack is kept up before the next begins in a long run: longer than the server waits for a body that
/// does not arrive or for a client that does not read, so that it has to end the attack itself.
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(45);
/// The same in a short run, so that several attacks take place.
pub(super) const SHORT_PATIENCE: Duration = Duration::from_secs(20);
const DRIP: Duration = Duration::from_millis(500);
const SILENT_CONNECTIONS: usize = 40;
const BOMB_BYTES: usize = 8 << 20;

/// Attacks one way after the other until it is aborted. What the server answers does not matter here.
pub(super) async fn attack(number: usize, address: String, key: String, patience: Duration) {
    let attacker = Attacker { address, key, patience };
    for turn in number.. {
        let attack = async {
            match turn % 7 {
                0 => attacker.drip_a_body().await,
                1 => attacker.drip_a_form().await,
                2 => attacker.ask_and_never_read().await,
                3 => attacker.send_a_bomb().await,
                4 => attacker.say_nothing().await,
                5 => attacker.break_off().await,
                _ => attacker.stream_and_never_read().await,
            }
        };
        // A refused connection must not become a busy loop.
        if timeout(patience, attack).await.is_ok_and(|outcome| outcome.is_err()) {
            sleep(DRIP).await;
        }
    }
}

struct Attacker {
    address: String,
    key: String,
    patience: Duration,
}

impl Attacker {
    async fn connect(&self) -> std::io::Result<TcpStream> {
        TcpStream::connect(&self.address).await
    }

    fn head(&self, request_line: &str, headers: &str) -> Vec<u8> {
        let key = &self.key;
        format!("{request_line} HTTP/1.1\r\nHost: auris\r\nAuthorization: Bearer {key}\r\n{headers}\r\n")
            .into_bytes()
    }

    /// Announces the largest body and sends it a space at a time.
    async fn drip_a_body(&self) -> std::io::Result<()> {
        let mut socket = self.connect().await?;
        let headers = "Content-Type: application/json\r\nContent-Length: 268435456\r\n";
        socket.write_all(&self.head("POST /v1/audio/analyses", headers)).await?;
        loop {
            socket.write_all(b" ").await?;
            sleep(DRIP).await;
        }
    }

    async fn drip_a_form(&self) -> std::io::Result<()> {
        let mut socket = self.connect().await?;
        let headers = format!("Content-Type: {}\r\nContent-Length: 90000000\r\n", Form::content_type());
        socket.write_all(&self.head("POST /v1/audio/transcriptions", &headers)).await?;
        socket.write_all(&Form::new().file(vec![0; 4096]).encode_open()).await?;
        loop {
            socket.write_all(&[0]).await?;
            sleep(DRIP).await;
        }
    }

    /// Sends requests for long answers down one connection and reads none of them.
    async fn ask_and_never_read(&self) -> std::io::Result<()> {
        let mut socket = self.connect().await?;
        let request = self.head("GET /openapi.yaml", "");
        loop {
            socket.write_all(&request).await?;
        }
    }

    async fn stream_and_never_read(&self) -> std::io::Result<()> {
        let mut socket = self.connect().await?;
        let form =
            Form::new().text("stream", "true").text("model", "fake-speech").file(auris_e2e::wav(60_000));
        let body = form.encode();
        let headers = format!("Content-Type: {}\r\nContent-Length: {}\r\n", Form::content_type(), body.len());
        socket.write_all(&self.head("POST /v1/audio/transcriptions", &headers)).await?;
        socket.write_all(&body).await?;
        sleep(self.patience).await;
        Ok(())
    }

    /// Sends a body of many small values, and then one with patterns that are large when compiled.
    async fn send_a_bomb(&self) -> std::io::Result<()> {
        let values = "[0],".repeat(BOMB_BYTES / 4);
        let values = values.trim_end_matches(',');
        let bomb = r#"{"processing":{"summary":{}},"transcript":{"text":"a","x":[VALUES]}}"#;
        self.send_json(bomb.replace("VALUES", values)).await?;
        let pattern = |number: usize| format!("^[\\w\\d\\p{{L}}X]{{30,{}}}$", 31 + number);
        let property =
            |number: usize| (format!("p{number}"), json!({"type": "string", "pattern": pattern(number)}));
        let properties: serde_json::Map<_, _> = (0..14).map(property).collect();
        let schema = json!({"type": "object", "properties": properties});
        let format = json!({"type": "json_schema", "name": "n", "schema": schema});
        let task = json!({"id": "t", "model": "fake-text", "text": {"format": format}});
        let body = json!({"transcript": {"text": "a"}, "processing": {"tasks": [task]}});
        self.send_json(body.to_string()).await
    }

    async fn send_json(&self, body: String) -> std::io::Result<()> {
        let mut socket = self.connect().await?;
        let length = body.len();
        let headers =
            format!("Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n");
        socket.write_all(&self.head("POST /v1/audio/analyses", &headers)).await?;
        socket.write_all(body.as_bytes()).await?;
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).await?;
        Ok(())
    }

    async fn say_nothing(&self) -> std::io::Result<()> {
        let mut sockets = Vec::new();
        for _ in 0..SILENT_CONNECTIONS {
            sockets.push(self.connect().await?);
        }
        sleep(self.patience).await;
        drop(sockets);
        Ok(())
    }

    /// Closes connections in the middle of requests and answers.
    async fn break_off(&self) -> std::io::Result<()> {
        for length in [1, 40, 200, 100_000] {
            let mut socket = self.connect().await?;
            let headers = "Content-Type: application/json\r\nContent-Length: 200000\r\n";
            let mut request = self.head("POST /v1/audio/analyses", headers);
            request.resize(200_000, b' ');
            socket.write_all(&request[..length]).await?;
            drop(socket);
            let mut socket = self.connect().await?;
            socket.write_all(&self.head("GET /openapi.yaml", "")).await?;
            drop(socket);
        }
        sleep(DRIP).await;
        Ok(())
    }
}
