//! `auris export` on one machine, `auris import` on another database and another blob store.

use std::fs;
use std::path::{Path, PathBuf};

use auris_e2e::finished_job::{download, wait_and_check};
use auris_e2e::requests::{post_analysis, submit_transcription};
use auris_e2e::settings::{DRAIN_SECONDS, JOB_CONCURRENCY, LEASE_SECONDS, MASTER_KEY};
use auris_e2e::{Client, DatabaseKind, Event, Server, ServerOptions, eventually};
use serde_json::{Value, json};

/// A server with a finished, a running and a queued job.
struct Source {
    server: Server,
    client: Client,
    jobs: Vec<String>,
}

#[tokio::test]
async fn an_export_from_one_machine_is_imported_into_a_cluster() {
    moves(DatabaseKind::Sqlite, DatabaseKind::Postgres).await;
}

#[tokio::test]
async fn an_export_from_a_cluster_is_imported_into_one_machine() {
    moves(DatabaseKind::Postgres, DatabaseKind::Sqlite).await;
}

async fn moves(from: DatabaseKind, to: DatabaseKind) {
    let mut source = source(from).await;
    let id = source.jobs[0].clone();
    let before = seen(&source.client, &id).await;
    let endpoints = read(&source.client, "/v1/webhook_endpoints").await;
    source.server.terminate().await;
    let file = export(&source);
    let mut target = target(&source, to);
    let output = target.auris(&["import", path(&file)]);
    assert!(output.contains("3 jobs"), "{output}");
    target.restart().await;
    // The same key gives access to the same project.
    let client = target.reconnect(&source.client);
    assert_eq!(seen(&client, &id).await, before);
    assert_eq!(read(&client, "/v1/webhook_endpoints").await, endpoints);
    let listed = read(&client, "/v1/jobs").await;
    let ids: Vec<&str> =
        listed["data"].as_array().into_iter().flatten().filter_map(|job| job["id"].as_str()).collect();
    for job in &source.jobs {
        assert!(ids.contains(&job.as_str()), "{job} is lost: {ids:?}");
        let ended = wait_and_check(&target, &client, job).await;
        assert_eq!(ended["status"], "completed", "{ended}");
    }
    let again = target.try_auris(&["import", path(&file)]);
    assert_eq!(again.status.code(), Some(1), "an import needs an empty installation");
    assert!(String::from_utf8_lossy(&again.stderr).contains("empty"), "{again:?}");
}

#[tokio::test]
async fn a_failed_import_leaves_nothing_behind() {
    let mut source = source(DatabaseKind::Sqlite).await;
    let running = source.server.try_auris(&["export", "/nowhere/x.tar"]);
    assert!(String::from_utf8_lossy(&running.stderr).contains("--live"), "{running:?}");
    source.server.terminate().await;
    let file = export(&source);
    let mut with_other_key = target(&source, DatabaseKind::Sqlite);
    with_other_key.set(MASTER_KEY, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    refused(&with_other_key, &file, "master key");
    let target = target(&source, DatabaseKind::Sqlite);
    let whole = fs::read(&file).expect("the export");
    let cut = source.server.data().join("cut.tar");
    // The archive ends after the blobs and some of the rows.
    fs::write(&cut, &whole[..whole.len() * 9 / 10]).expect("the temporary folder is writable");
    refused(&target, &cut, "");
    fs::write(&cut, b"no archive").expect("the temporary folder is writable");
    refused(&target, &cut, "");
    assert!(
        target.auris(&["import", path(&file)]).contains("3 jobs"),
        "the failed imports left nothing behind"
    );
}

fn refused(target: &Server, file: &Path, reason: &str) {
    let output = target.try_auris(&["import", path(file)]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains(reason), "{output:?}");
}

async fn source(database: DatabaseKind) -> Source {
    let options = ServerOptions::new(database).with(JOB_CONCURRENCY, 1).with(DRAIN_SECONDS, 0);
    let server = options.with(LEASE_SECONDS, 3).start().await;
    let client = server.client();
    let call = client.post("/v1/webhook_endpoints").idempotency_key("endpoint");
    call.json(&json!({"url": "https://example.com/hook"})).send().await.expect_status(201);
    let finished = submit_transcription(&client).await;
    server.finished(&client, &finished).await;
    let slow =
        json!({"transcript": {"text": "Anna met Boris. fake:delay=5000"}, "processing": {"summary": {}}});
    let running = post_analysis(&client, &slow).await.expect_status(202).id();
    eventually("the job to run", || async {
        (read(&client, &format!("/v1/jobs/{running}")).await["status"] == "in_progress").then_some(())
    })
    .await;
    let queued = submit_transcription(&client).await;
    Source { server, client, jobs: vec![finished, running, queued] }
}

fn export(source: &Source) -> PathBuf {
    let file = source.server.data().join("export.tar");
    let output = source.server.auris(&["export", path(&file)]);
    assert!(output.contains("3 jobs"), "{output}");
    file
}

fn target(source: &Source, database: DatabaseKind) -> Server {
    let key = fs::read_to_string(source.server.data().join("master.key")).expect("the source's master key");
    ServerOptions::new(database).with(MASTER_KEY, key.lines().next().unwrap_or_default()).prepare()
}

/// Everything that a caller can read of a job.
async fn seen(client: &Client, id: &str) -> (Value, Value, Vec<Event>, Vec<Vec<u8>>) {
    let job = read(client, &format!("/v1/jobs/{id}")).await;
    let steps = read(client, &format!("/v1/jobs/{id}/steps")).await;
    let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
    let mut contents = Vec::new();
    for artifact in job["result"]["artifacts"].as_array().into_iter().flatten() {
        let id = artifact["id"].as_str().unwrap_or_default();
        contents.push(download(client, id).await.expect_status(200).body.to_vec());
    }
    assert!(!contents.is_empty(), "{job}");
    (job, steps, events, contents)
}

async fn read(client: &Client, path: &str) -> Value {
    client.get(path).send().await.expect_status(200).json()
}

fn path(file: &Path) -> &str {
    file.to_str().expect("a path in UTF-8")
}
