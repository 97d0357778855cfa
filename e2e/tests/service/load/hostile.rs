//! Callers with a valid key who break every rule of politeness, over plain sockets.

use std::sync::Arc;
use std::time::Duration;

use auris_e2e::requests::deep_schemas;
use auris_e2e::{Form, closed_window_requests};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::attacks::{Attack, Attacks};

/// How long one attack is kept up before the next begins in a long run: longer than the server waits for a body that
/// does not arrive or for a client that does not read, so that it has to end the attack itself.
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(45);
const DRIP: Duration = Duration::from_millis(500);
const SILENT_CONNECTIONS: usize = 40;
const BOMB_BYTES: usize = 8 << 20;
/// Connections with an unread large answer.
const UNREAD_CONNECTIONS: usize = 20;
/// Connections of HTTP/2 with a closed window, and the requests on each.
const CLOSED_CONNECTIONS: usize = 4;
const CLOSED_REQUESTS: u32 = 32;

pub(super) struct Attacker {
    pub(super) address: String,
    pub(super) key: String,
    /// The path of steps with large outputs.
    pub(super) large_steps: String,
    /// How long one attack is kept up before the next begins.
    pub(super) patience: Duration,
    pub(super) attacks: Arc<Attacks>,
}

impl Attacker {
    /// Attacks one way after the other until it is aborted. What the server answers does not matter here.
    pub(super) async fn attack(self) {
        loop {
            let attack = self.make(self.attacks.next());
            // A refused connection must not become a busy loop.
            if timeout(self.patience, attack).await.is_ok_and(|outcome| outcome.is_err()) {
                sleep(DRIP).await;
            }
        }
    }

    async fn make(&self, attack: Attack) -> std::io::Result<()> {
        match attack {
            Attack::SlowBody => self.drip_a_body().await,
            Attack::SlowForm => self.drip_a_form().await,
            Attack::UnreadAnswers => self.ask_and_never_read().await,
            Attack::ManyValues => self.send_many_values().await,
            Attack::LargePatterns => self.send_large_patterns().await,
            Attack::DeepSchemas => self.send_deep_schemas().await,
            Attack::Silence => self.say_nothing().await,
            Attack::BrokenConnections => self.break_off().await,
            Attack::UnreadStream => self.stream_and_never_read().await,
            Attack::UnreadSteps => self.ask_for_steps_and_never_read().await,
            Attack::ClosedWindow => self.allow_no_byte().await,
        }
    }

    async fn connect(&self) -> std::io::Result<TcpStream> {
        TcpStream::connect(&self.address).await
    }

    fn head(&self, request_line: &str, headers: &str) -> Vec<u8> {
        let key = &self.key;
        format!("{request_line} HTTP/1.1\r\nHost: auris\r\nAuthorization: Bearer {key}\r\n{headers}\r\n")
            .into_bytes()
    }

    async fn drip_a_body(&self) -> std::io::Result<()> {
        let mut socket = self.connect().await?;
        let headers = "Content-Type: application/json\r\nContent-Length: 268435456\r\n";
        socket.write_all(&self.head("POST /v1/audio/analyses", headers)).await?;
        self.attacks.record(Attack::SlowBody);
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
        self.attacks.record(Attack::SlowForm);
        loop {
            socket.write_all(&[0]).await?;
            sleep(DRIP).await;
        }
    }

    async fn ask_and_never_read(&self) -> std::io::Result<()> {
        let mut socket = self.connect().await?;
        let request = self.head("GET /openapi.yaml", "");
        socket.write_all(&request).await?;
        self.attacks.record(Attack::UnreadAnswers);
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
        self.attacks.record(Attack::UnreadStream);
        sleep(self.patience).await;
        Ok(())
    }

    async fn ask_for_steps_and_never_read(&self) -> std::io::Result<()> {
        let mut sockets = Vec::new();
        for _ in 0..UNREAD_CONNECTIONS {
            let mut socket = self.connect().await?;
            socket.write_all(&self.head(&format!("GET {}", self.large_steps), "")).await?;
            sockets.push(socket);
        }
        self.attacks.record(Attack::UnreadSteps);
        sleep(self.patience).await;
        drop(sockets);
        Ok(())
    }

    async fn allow_no_byte(&self) -> std::io::Result<()> {
        let mut sockets = Vec::new();
        for _ in 0..CLOSED_CONNECTIONS {
            let requests =
                closed_window_requests(&self.address, &self.key, &self.large_steps, CLOSED_REQUESTS);
            sockets.push(requests.await?);
        }
        self.attacks.record(Attack::ClosedWindow);
        sleep(self.patience).await;
        drop(sockets);
        Ok(())
    }

    async fn send_many_values(&self) -> std::io::Result<()> {
        let values = "[0],".repeat(BOMB_BYTES / 4);
        let values = values.trim_end_matches(',');
        let bomb = r#"{"processing":{"summary":{}},"transcript":{"text":"a","x":[VALUES]}}"#;
        self.send_json(Attack::ManyValues, bomb.replace("VALUES", values)).await
    }

    async fn send_large_patterns(&self) -> std::io::Result<()> {
        let pattern = |number: usize| format!("^[\\w\\d\\p{{L}}X]{{30,{}}}$", 31 + number);
        let property =
            |number: usize| (format!("p{number}"), json!({"type": "string", "pattern": pattern(number)}));
        let properties: serde_json::Map<_, _> = (0..14).map(property).collect();
        let schema = json!({"type": "object", "properties": properties});
        let format = json!({"type": "json_schema", "name": "n", "schema": schema});
        let task = json!({"id": "t", "model": "fake-text", "text": {"format": format}});
        let body = json!({"transcript": {"text": "a"}, "processing": {"tasks": [task]}});
        self.send_json(Attack::LargePatterns, body.to_string()).await
    }

    async fn send_deep_schemas(&self) -> std::io::Result<()> {
        self.send_json(Attack::DeepSchemas, deep_schemas("fake-text", 0)).await
    }

    /// Sends the whole body, and then waits for the answer.
    async fn send_json(&self, attack: Attack, body: String) -> std::io::Result<()> {
        let mut socket = self.connect().await?;
        let length = body.len();
        let headers =
            format!("Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n");
        socket.write_all(&self.head("POST /v1/audio/analyses", &headers)).await?;
        socket.write_all(body.as_bytes()).await?;
        self.attacks.record(attack);
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).await?;
        Ok(())
    }

    async fn say_nothing(&self) -> std::io::Result<()> {
        let mut sockets = Vec::new();
        for _ in 0..SILENT_CONNECTIONS {
            sockets.push(self.connect().await?);
        }
        self.attacks.record(Attack::Silence);
        sleep(self.patience).await;
        drop(sockets);
        Ok(())
    }

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
        self.attacks.record(Attack::BrokenConnections);
        sleep(DRIP).await;
        Ok(())
    }
}
