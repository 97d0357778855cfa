//! Every endpoint with every kind of key: the right status, and no hint whether an object exists.

use auris_e2e::requests::{submit_transcription, transcription_form};
use auris_e2e::{Client, DatabaseKind, Operation, Reply, Server, both_databases, contract, eventually};
use serde_json::{Value, json};

const ABSENT: &str = "00000000000000000000";

both_databases! {
    async fn no_endpoint_reveals_to_a_foreign_key_whether_an_object_exists(database: DatabaseKind) {
        let server = Server::start(database).await;
        let objects = Objects::of(&server).await;
        let keys = Keys::of(&server).await;
        for operation in contract().operations() {
            for (name, client, status, code) in keys.refused() {
                let answers = objects.asked(client, operation).await;
                for reply in &answers {
                    assert_eq!((reply.status, reply.error().code.as_str()), (status, code), "{name}: {reply}");
                }
                expect_same_answer(&answers, &objects, name);
            }
            let reads = operation.method == "GET";
            let reader = objects.asked(&keys.read_only, operation).await;
            if reads {
                assert!(reader[0].status < 400, "{}", reader[0]);
            } else {
                assert!(reader.iter().all(|reply| reply.status == 403 && reply.error().code == "insufficient_scope"), "{reader:?}");
                expect_same_answer(&reader, &objects, "read-only");
            }
            let stranger = objects.asked(&keys.stranger, operation).await;
            expect_same_answer(&stranger, &objects, "another project's");
            if operation.template.contains('{') {
                assert!(stranger.iter().all(|reply| reply.status == 404), "{stranger:?}");
            }
        }
        objects.are_unchanged(&server).await;
    }
}

/// Callers that must be refused, and two with limited access.
struct Keys {
    none: Client,
    wrong: Client,
    unknown: Client,
    revoked: Client,
    expired: Client,
    read_only: Client,
    stranger: Client,
}

impl Keys {
    async fn of(server: &Server) -> Self {
        let client = server.client();
        let mut wrong = client.key().to_owned();
        wrong.replace_range(20..21, if &wrong[20..21] == "a" { "b" } else { "a" });
        // A valid key of another installation.
        let elsewhere = Server::start(DatabaseKind::Sqlite).await;
        let keys = Self {
            none: client.with_key(None),
            wrong: client.with_key(Some(&wrong)),
            unknown: client.with_key(Some(elsewhere.client().key())),
            revoked: server.client_with(&["--name", "revoked"]),
            expired: server.client_with(&["--name", "expired", "--expires", "1s"]),
            read_only: server.client_with(&["--scopes", "read"]),
            stranger: server.client_of_new_project("strangers"),
        };
        let listed = auris_e2e::balances::command_json(server, &["keys", "list", "--json"]);
        let revoked = listed.as_array().into_iter().flatten().find(|key| key["name"] == "revoked");
        server.auris(&["keys", "revoke", revoked.and_then(|key| key["id"].as_str()).expect("its id")]);
        for (_, client, status, code) in keys.refused() {
            eventually("the key to be refused", || async {
                let reply = client.get("/v1/models").send().await;
                (reply.status == status && reply.error().code == code).then_some(())
            })
            .await;
        }
        keys
    }

    fn refused(&self) -> [(&'static str, &Client, u16, &'static str); 5] {
        [
            ("no key", &self.none, 401, "missing_api_key"),
            ("a wrong key", &self.wrong, 401, "invalid_api_key"),
            ("an unknown key", &self.unknown, 401, "invalid_api_key"),
            ("a revoked key", &self.revoked, 401, "revoked_api_key"),
            ("an expired key", &self.expired, 401, "expired_api_key"),
        ]
    }
}

/// Objects of project `default`.
struct Objects {
    owner: Client,
    job: String,
    step: String,
    artifact: String,
    endpoint: String,
}

impl Objects {
    async fn of(server: &Server) -> Self {
        let owner = server.client();
        let job = submit_transcription(&owner).await;
        let result = server.finished(&owner, &job).await["result"].clone();
        let steps = owner.get(&format!("/v1/jobs/{job}/steps")).send().await.json();
        let body = json!({"url": "https://127.0.0.1:9/hook"});
        let call = owner.post("/v1/webhook_endpoints").idempotency_key("e").json(&body);
        Self {
            step: steps["data"][0]["id"].as_str().expect("a step").to_owned(),
            artifact: result["artifacts"][0]["id"].as_str().expect("an artifact").to_owned(),
            endpoint: call.send().await.expect_status(201).id(),
            job,
            owner,
        }
    }

    /// The answers for existing objects and for missing ones.
    async fn asked(&self, client: &Client, operation: &Operation) -> [Reply; 2] {
        let existing = operation.path(|name| self.id(name).to_owned());
        let absent = operation.path(|name| format!("{}_{ABSENT}", &self.id(name)[..3]));
        [
            self.ask(client, operation, &existing, &self.job).await,
            self.ask(client, operation, &absent, &format!("job_{ABSENT}")).await,
        ]
    }

    async fn ask(&self, client: &Client, operation: &Operation, path: &str, job: &str) -> Reply {
        let call = client.call(&operation.method, path);
        let call = match (operation.method.as_str(), operation.template.as_str()) {
            ("POST", "/v1/audio/analyses") => {
                call.json(&json!({"job_id": job, "processing": {"summary": {}}}))
            }
            // The key is checked before the body. Another project may transcribe for itself.
            ("POST", "/v1/audio/transcriptions") => call.form(&transcription_form(&self.owner).await),
            ("POST", "/v1/webhook_endpoints") => {
                call.idempotency_key("mine").json(&json!({"url": "https://127.0.0.1:9/mine"}))
            }
            _ => call,
        };
        call.send().await
    }

    fn id(&self, parameter: &str) -> &str {
        match parameter {
            "jobId" => &self.job,
            "stepId" => &self.step,
            "artifactId" => &self.artifact,
            "endpointId" => &self.endpoint,
            other => panic!("unknown path parameter `{other}`"),
        }
    }

    /// The text with the ids of the request replaced.
    fn without_ids(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for id in [&self.job, &self.step, &self.artifact, &self.endpoint] {
            text = text.replace(&id[4..], ABSENT);
        }
        text
    }

    async fn are_unchanged(&self, server: &Server) {
        let job = self.owner.get(&format!("/v1/jobs/{}", self.job)).send().await.expect_status(200).json();
        assert_eq!((&job["status"], &job["result_deleted_at"]), (&json!("completed"), &Value::Null));
        let artifact = self.owner.get(&format!("/v1/artifacts/{}", self.artifact)).send().await.json();
        assert_eq!(artifact["status"], "available");
        let endpoints = self.owner.get("/v1/webhook_endpoints").send().await.json();
        assert_eq!(endpoints["data"].as_array().map(Vec::len), Some(1));
        assert!(server.log().contains("request"), "requests are logged");
    }
}

/// Checks that status, body and headers are the same except for the ids in the request.
fn expect_same_answer([existing, absent]: &[Reply; 2], objects: &Objects, who: &str) {
    let shown = |reply: &Reply| {
        let own = [
            "x-request-id",
            "date",
            "x-ratelimit-remaining-requests",
            "x-ratelimit-reset-requests",
            "idempotent-replayed",
        ];
        let headers = reply.headers.iter().filter(|(name, _)| !own.contains(&name.as_str()));
        let headers: Vec<String> = headers.map(|(name, value)| format!("{name}: {value:?}")).collect();
        (reply.status, objects.without_ids(&reply.text()), headers)
    };
    assert_eq!(shown(existing), shown(absent), "{who} can tell existing from missing objects: {existing}");
}
