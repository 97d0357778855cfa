//! Receivers written with the published `standardwebhooks` libraries of Python and JavaScript.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;

use auris_e2e::requests::{analysis, post_analysis};
use auris_e2e::settings::CA_FILE;
use auris_e2e::{Certificates, DatabaseKind, Server, both_databases, eventually};
use serde_json::{Value, json};

use crate::delivering;

const JOBS: usize = 5;
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/webhooks");

both_databases! {
    async fn the_python_library_accepts_every_delivery_and_refuses_what_it_should(database: DatabaseKind) {
        let python = tool("AURIS_TEST_WEBHOOKS_PYTHON");
        let mut command = Command::new(python);
        command.arg(Path::new(SCRIPTS).join("receiver.py"));
        accepts_and_refuses(database, command).await;
    }

    async fn the_javascript_library_accepts_every_delivery_and_refuses_what_it_should(database: DatabaseKind) {
        let packages = tool("AURIS_TEST_WEBHOOKS_NODE");
        let mut command = Command::new("node");
        command.arg(Path::new(SCRIPTS).join("receiver.mjs")).current_dir(packages);
        accepts_and_refuses(database, command).await;
    }
}

fn tool(variable: &str) -> PathBuf {
    let told = std::env::var_os(variable);
    told.unwrap_or_else(|| panic!("{variable} is not set: run ./scripts/test, which installs what it names"))
        .into()
}

async fn accepts_and_refuses(database: DatabaseKind, command: Command) {
    let certificates = Certificates::make();
    let server = delivering(database).with(CA_FILE, certificates.authority().display()).start().await;
    let client = server.client();
    let receiver = Receiver::start(command, &certificates);
    let url = format!("https://127.0.0.1:{}/hook", receiver.port);
    let call = client.post("/v1/webhook_endpoints").idempotency_key("endpoint").json(&json!({"url": url}));
    let endpoint = call.send().await.expect_status(201).json();
    receiver.keep_secret(endpoint["secret"].as_str().expect("a secret"));
    let mut jobs = Vec::new();
    for _ in 0..JOBS {
        jobs.push(post_analysis(&client, &analysis()).await.expect_status(202).id());
    }
    for _ in 0..JOBS {
        let report = receiver.next();
        assert_refusals(&report, 1);
        let job = report["event"]["data"]["id"].as_str().expect("an id");
        assert!(jobs.contains(&job.to_owned()), "{report}");
        assert_eq!(report["event"]["type"], "job.completed");
    }
    // The old secret goes on working for a day, beside the new one.
    let id = endpoint["id"].as_str().expect("an id");
    let rotated = server.auris(&["webhooks", "rotate", id]);
    let after = |server: &Server| server.auris(&["webhooks", "test", id, "--json"]);
    after(&server);
    assert_refusals(&receiver.next(), 2);
    receiver.keep_secret(rotated.trim());
    after(&server);
    assert_refusals(&receiver.next(), 2);
    // A job's own address, signed with the project's secret.
    receiver.keep_secret(server.auris(&["webhooks", "secret"]).trim());
    let mut request = analysis();
    request["webhook_url"] = json!(url);
    let path = format!("/v1/webhook_endpoints/{id}");
    client.delete(&path).send().await.expect_status(200);
    post_analysis(&client, &request).await.expect_status(202);
    assert_refusals(&receiver.next(), 1);
    eventually("all of them to be recorded as delivered", || async {
        let listed = server.auris(&["webhooks", "deliveries", "--status", "delivered", "--json"]);
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        (listed.as_array().map(Vec::len) == Some(JOBS + 1)).then_some(())
    })
    .await;
}

fn assert_refusals(report: &Value, signatures: usize) {
    assert_eq!(report["accepted"], true, "{report}");
    assert_eq!(report["signatures"], signatures, "{report}");
    for refused in ["changed_byte_refused", "old_timestamp_refused", "wrong_secret_refused"] {
        assert_eq!(report[refused], true, "{refused}: {report}");
    }
}

/// The program, and what it says, line by line.
struct Receiver {
    child: Child,
    port: u64,
    secret: PathBuf,
    lines: mpsc::Receiver<Value>,
}

impl Receiver {
    fn start(mut command: Command, certificates: &Certificates) -> Self {
        let secret = certificates.folder().join("secret");
        command.arg(certificates.server()).arg(certificates.server_key()).arg(&secret);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the receiver starts");
        let lines = listen(child.stdout.take().expect("a piped output"));
        let mut receiver = Self { child, port: 0, secret, lines };
        receiver.port = receiver.next()["port"].as_u64().expect("a port");
        receiver
    }

    fn keep_secret(&self, secret: &str) {
        fs::write(&self.secret, secret).expect("our own folder");
    }

    /// What it says next; panics where it says nothing for a minute.
    fn next(&self) -> Value {
        tokio::task::block_in_place(|| self.lines.recv_timeout(std::time::Duration::from_secs(60)))
            .expect("the receiver says something")
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(output: ChildStdout) -> mpsc::Receiver<Value> {
    use std::io::{BufRead, BufReader};
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let said = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if sender.send(said).is_err() {
                return;
            }
        }
    });
    receiver
}
