//! Receivers that use the published `standardwebhooks` libraries for Python and JavaScript.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;

use auris_e2e::requests::{analysis, post_analysis};
use auris_e2e::settings::CA_FILE;
use auris_e2e::{Certificates, Client, DatabaseKind, Server, both_databases, eventually, repository};
use serde_json::{Value, json};

use super::delivering;

const JOBS: usize = 5;

both_databases! {
    async fn the_python_library_accepts_every_delivery_and_refuses_forged_ones(database: DatabaseKind) {
        let python = tool("AURIS_TEST_WEBHOOKS_PYTHON");
        let mut command = Command::new(python);
        command.arg(scripts().join("receiver.py"));
        check_receiver(database, command).await;
    }

    async fn the_javascript_library_accepts_every_delivery_and_refuses_forged_ones(database: DatabaseKind) {
        let packages = tool("AURIS_TEST_WEBHOOKS_NODE");
        let mut command = Command::new("node");
        command.arg(scripts().join("receiver.mjs")).current_dir(packages);
        check_receiver(database, command).await;
    }
}

fn scripts() -> PathBuf {
    repository().join("e2e/clients/webhooks")
}

fn tool(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable);
    path.unwrap_or_else(|| panic!("{variable} is not set: run ./scripts/test, which installs the library"))
        .into()
}

async fn check_receiver(database: DatabaseKind, command: Command) {
    let certificates = Certificates::make();
    let server = delivering(database).with(CA_FILE, certificates.authority().display()).start().await;
    let client = server.client();
    let receiver = LibraryReceiver::start(command, &certificates);
    let url = format!("https://127.0.0.1:{}/hook", receiver.port);
    let call = client.post("/v1/webhook_endpoints").idempotency_key("endpoint").json(&json!({"url": url}));
    let endpoint = call.send().await.expect_status(201).json();
    receiver.keep_secret(endpoint["secret"].as_str().expect("a secret"));
    let id = endpoint["id"].as_str().expect("an id");
    check_jobs(&client, &receiver).await;
    check_rotation(&server, id, &receiver);
    let path = format!("/v1/webhook_endpoints/{id}");
    client.delete(&path).send().await.expect_status(200);
    receiver.keep_secret(server.auris(&["webhooks", "secret"]).trim());
    check_webhook_url(&client, &url, &receiver).await;
    eventually("all deliveries to be recorded as delivered", || async {
        let listed = server.auris(&["webhooks", "deliveries", "--status", "delivered", "--json"]);
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        (listed.as_array().map(Vec::len) == Some(JOBS + 1)).then_some(())
    })
    .await;
}

/// Each finished job is delivered with the endpoint's secret.
async fn check_jobs(client: &Client, receiver: &LibraryReceiver) {
    let mut jobs = Vec::new();
    for _ in 0..JOBS {
        jobs.push(post_analysis(client, &analysis()).await.expect_status(202).id());
    }
    for _ in 0..JOBS {
        let report = receiver.next();
        check_report(&report, 1);
        let job = report["event"]["data"]["id"].as_str().expect("an id");
        assert!(jobs.contains(&job.to_owned()), "{report}");
        assert_eq!(report["event"]["type"], "job.completed");
    }
}

/// The old secret stays valid for a day, together with the new one.
fn check_rotation(server: &Server, endpoint: &str, receiver: &LibraryReceiver) {
    let rotated = server.auris(&["webhooks", "rotate", endpoint]);
    server.auris(&["webhooks", "test", endpoint, "--json"]);
    check_report(&receiver.next(), 2);
    receiver.keep_secret(rotated.trim());
    server.auris(&["webhooks", "test", endpoint, "--json"]);
    check_report(&receiver.next(), 2);
}

/// The webhook URL of a job is signed with the project's secret, which the receiver has now.
async fn check_webhook_url(client: &Client, url: &str, receiver: &LibraryReceiver) {
    let mut request = analysis();
    request["webhook_url"] = json!(url);
    post_analysis(client, &request).await.expect_status(202);
    check_report(&receiver.next(), 1);
}

fn check_report(report: &Value, signatures: usize) {
    assert_eq!(report["accepted"], true, "{report}");
    assert_eq!(report["signatures"], signatures, "{report}");
    for refused in ["changed_byte_refused", "old_timestamp_refused", "wrong_secret_refused"] {
        assert_eq!(report[refused], true, "{refused}: {report}");
    }
}

/// The program, and the lines of JSON that it prints.
struct LibraryReceiver {
    child: Child,
    port: u64,
    secret: PathBuf,
    lines: mpsc::Receiver<Value>,
}

impl LibraryReceiver {
    fn start(mut command: Command, certificates: &Certificates) -> Self {
        let secret = certificates.folder().join("secret");
        command.arg(certificates.server()).arg(certificates.server_key()).arg(&secret);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the receiver starts");
        let lines = read_lines(child.stdout.take().expect("a piped output"));
        let mut receiver = Self { child, port: 0, secret, lines };
        receiver.port = receiver.next()["port"].as_u64().expect("a port");
        receiver
    }

    fn keep_secret(&self, secret: &str) {
        fs::write(&self.secret, secret).expect("the temporary folder is writable");
    }

    /// The next line; panics if there is none within a minute.
    fn next(&self) -> Value {
        tokio::task::block_in_place(|| self.lines.recv_timeout(std::time::Duration::from_secs(60)))
            .expect("the receiver prints a line")
    }
}

impl Drop for LibraryReceiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(output: ChildStdout) -> mpsc::Receiver<Value> {
    use std::io::{BufRead, BufReader};
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let report = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if sender.send(report).is_err() {
                return;
            }
        }
    });
    receiver
}
