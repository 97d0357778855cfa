//! Projects, keys and scopes: nobody can read or change the objects of another project.

use auris_e2e::requests::{analysis, submit_transcription};
use auris_e2e::{Client, DatabaseKind, Server, both_databases, eventually_within};
use serde_json::{Value, json};
use std::time::Duration;

both_databases! {
    async fn an_object_of_another_project_is_not_found(database: DatabaseKind) {
        let server = Server::start(database).await;
        let owner = server.client();
        let stranger = server.client_of_new_project("other");
        let objects = Objects::of(&server, &owner).await;
        for (method, path, code) in objects.requests() {
            stranger.call(method, &path).send().await.expect_error(404, code);
        }
        let body = json!({"job_id": objects.job, "processing": {"summary": {}}});
        let call = stranger.post("/v1/audio/analyses").json(&body);
        call.send().await.expect_error(404, "job_not_found");
        assert_eq!(stranger.get("/v1/jobs").send().await.json()["data"], json!([]));
        assert_eq!(stranger.get("/v1/webhook_endpoints").send().await.json()["data"], json!([]));
        let job = owner.get(&format!("/v1/jobs/{}", objects.job)).send().await.expect_status(200).json();
        assert_eq!(job["result_deleted_at"], Value::Null, "the job is unchanged");
    }

    async fn a_revoked_key_stops_working_within_five_seconds(database: DatabaseKind) {
        let server = Server::start(database).await;
        let other = server.client();
        let client = server.client_with(&["--name", "to be revoked"]);
        client.get("/v1/jobs").send().await.expect_status(200);
        let keys: Value = serde_json::from_str(&server.auris(&["keys", "list", "--json"])).expect("JSON");
        let id = key_id(&keys, "to be revoked");
        server.auris(&["keys", "revoke", &id]);
        let error = eventually_within(Duration::from_secs(6), "the key to stop working", || async {
            let reply = client.get("/v1/jobs").send().await;
            (reply.status == 401).then(|| reply.error())
        })
        .await;
        assert_eq!(error.code, "revoked_api_key");
        other.get("/v1/jobs").send().await.expect_status(200);
    }
}

#[tokio::test]
async fn a_key_does_only_what_its_scopes_allow() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let reader = server.client_with(&["--scopes", "read"]);
    let writer = server.client_with(&["--scopes", "write"]);
    reader.get("/v1/jobs").send().await.expect_status(200);
    let call = reader.post("/v1/audio/analyses").json(&analysis());
    call.send().await.expect_error(403, "insufficient_scope");
    writer.get("/v1/jobs").send().await.expect_error(403, "insufficient_scope");
    let job = writer.post("/v1/audio/analyses").json(&analysis()).send().await.expect_status(202).id();
    let cancel = format!("/v1/jobs/{job}/cancel");
    reader.post(&cancel).send().await.expect_error(403, "insufficient_scope");
    writer.post(&cancel).send().await.expect_status(200);
}

#[tokio::test]
async fn a_wrong_key_and_a_missing_key_have_different_errors() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    client.with_key(None).get("/v1/jobs").send().await.expect_error(401, "missing_api_key");
    let mut wrong = client.key().to_owned();
    wrong.replace_range(10..11, if &wrong[10..11] == "a" { "b" } else { "a" });
    for key in [wrong.as_str(), "sk-", "sk-short", "not a key", "Bearer"] {
        let call = client.with_key(Some(key)).get("/v1/jobs");
        call.send().await.expect_error(401, "invalid_api_key");
    }
    for header in ["Basic dXNlcjpwYXNz", "Bearer", "", "sk-naked"] {
        let call = client.with_key(None).get("/v1/jobs").header("Authorization", header);
        assert_eq!(call.send().await.status, 401, "`{header}`");
    }
    let scheme = format!("bearer {}", client.key());
    let call = client.with_key(None).get("/v1/jobs").header("Authorization", scheme);
    call.send().await.expect_status(200);
}

struct Objects {
    job: String,
    step: String,
    artifact: String,
    endpoint: String,
}

impl Objects {
    async fn of(server: &Server, client: &Client) -> Self {
        let job = submit_transcription(client).await;
        let result = server.finished(client, &job).await["result"].clone();
        let steps = client.get(&format!("/v1/jobs/{job}/steps")).send().await.json();
        let body = json!({"url": "https://127.0.0.1:9/hook"});
        let call = client.post("/v1/webhook_endpoints").idempotency_key("e").json(&body);
        Self {
            step: steps["data"][0]["id"].as_str().expect("a step").to_owned(),
            artifact: result["artifacts"][0]["id"].as_str().expect("an artifact").to_owned(),
            endpoint: call.send().await.expect_status(201).id(),
            job,
        }
    }

    fn requests(&self) -> Vec<(&'static str, String, &'static str)> {
        let job = format!("/v1/jobs/{}", self.job);
        let artifact = format!("/v1/artifacts/{}", self.artifact);
        vec![
            ("GET", job.clone(), "job_not_found"),
            ("GET", format!("{job}/steps"), "job_not_found"),
            ("GET", format!("{job}/steps/{}", self.step), "job_not_found"),
            ("GET", format!("{job}/events"), "job_not_found"),
            ("POST", format!("{job}/cancel"), "job_not_found"),
            ("DELETE", format!("{job}/content"), "job_not_found"),
            ("GET", artifact.clone(), "artifact_not_found"),
            ("GET", format!("{artifact}/content"), "artifact_not_found"),
            ("DELETE", artifact, "artifact_not_found"),
            ("DELETE", format!("/v1/webhook_endpoints/{}", self.endpoint), "webhook_endpoint_not_found"),
        ]
    }
}

fn key_id(keys: &Value, name: &str) -> String {
    let list = keys.as_array().or(keys["data"].as_array()).expect("a list of keys");
    let key = list.iter().find(|key| key["name"] == name);
    let key = key.unwrap_or_else(|| panic!("there is no key `{name}` in {keys}"));
    key["id"].as_str().expect("an id").to_owned()
}
