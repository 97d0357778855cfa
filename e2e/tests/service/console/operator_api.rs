//! What operators see and do: projects, keys, credit, usage, jobs, webhooks, models and the state of the installation.

use auris_e2e::requests::submit_transcription;
use auris_e2e::{Console, DatabaseKind, Server, both_databases, eventually};
use serde_json::{Value, json};

both_databases! {
    async fn projects_keys_and_credit_are_managed(database: DatabaseKind) {
        let server = Server::start(database).await;
        let operator = Console::operator(&server).await;
        let body = json!({"name": "support", "credit_usd": "5", "requests_per_minute": 7});
        let created = operator.post("/operator/v1/projects").json(&body).send().await.expect_status(201).json();
        assert_eq!((&created["balance_usd"], &created["requests_per_minute"]), (&json!("5"), &json!(7)));
        operator.post("/operator/v1/projects").json(&body).send().await.expect_error(409, "conflict");
        let path = "/operator/v1/projects/support";
        let changes = json!({"requests_per_minute": null, "concurrent_transcriptions": 3});
        let changed = operator.call("PATCH", path).json(&changes).send().await.expect_status(200).json();
        assert_eq!((&changed["requests_per_minute"], &changed["concurrent_transcriptions"]), (&json!(null), &json!(3)));
        let credit = |body: Value| operator.post(&format!("{path}/credit")).json(&body).send();
        assert_eq!(credit(json!({"add_usd": "2.5"})).await.expect_status(200).json()["balance_usd"], "7.5");
        credit(json!({"add_usd": "-100"})).await.expect_error(409, "conflict");
        assert_eq!(credit(json!({"remove": true})).await.expect_status(200).json()["balance_usd"], json!(null));
        let wrong = credit(json!({"add_usd": "much"})).await.expect_error(400, "invalid_value");
        assert_eq!(wrong.param.as_deref(), Some("add_usd"));

        let keys = format!("{path}/keys");
        let key = operator.post(&keys).json(&json!({"name": "ci", "scopes": ["read"]})).send().await;
        let key = key.expect_status(201).json();
        let client = server.client().with_key(key["key"].as_str());
        client.get("/v1/jobs").send().await.expect_status(200);
        client.post("/v1/audio/analyses").json(&json!({})).send().await.expect_error(403, "insufficient_scope");
        let id = key["id"].as_str().expect("a text");
        let rotated = operator.post(&format!("{keys}/{id}/rotate")).json(&json!({"grace_seconds": 0})).send().await;
        let rotated = rotated.expect_status(201).json();
        assert_ne!(rotated["key"], key["key"]);
        let listed = operator.get(&keys).send().await.expect_status(200).json();
        assert_eq!(listed["data"].as_array().expect("a list").len(), 2);
        assert!(!listed.to_string().contains(rotated["key"].as_str().expect("a text")), "{listed}");
        let id = rotated["id"].as_str().expect("a text");
        operator.call("DELETE", &format!("{keys}/{id}")).send().await.expect_status(200);
        operator.get("/operator/v1/projects/nobody").send().await.expect_error(404, "not_found");
        operator.get("/operator/v1/projects/nobody/keys").send().await.expect_error(404, "not_found");
    }

    async fn a_refusal_names_the_parameter_that_is_wrong(database: DatabaseKind) {
        let server = Server::start(database).await;
        let operator = Console::operator(&server).await;
        for (method, path, body, param) in [
            ("POST", "projects", json!({"name": "support", "plan": "none"}), "plan"),
            ("POST", "projects", json!({"name": "?", "plan": "free"}), "name"),
            ("PATCH", "projects/default", json!({"plan": "none"}), "plan"),
            ("POST", "models/fake-text/verify", json!({"node": "nod_00000000000000000000"}), "node"),
        ] {
            let refused = operator.call(method, &format!("/operator/v1/{path}")).json(&body).send().await;
            assert_eq!(refused.expect_error(400, "invalid_value").param.as_deref(), Some(param), "{body}");
        }
        let refused = operator.get("/operator/v1/usage?project=").send().await.expect_error(400, "invalid_value");
        assert_eq!(refused.param.as_deref(), Some("project"));
    }

    async fn jobs_of_all_projects_are_listed_by_filter(database: DatabaseKind) {
        let server = Server::start(database).await;
        let (one, two) = (server.client(), server.client_of_new_project("two"));
        for client in [&one, &one, &two] {
            let job = submit_transcription(client).await;
            server.finished(client, &job).await;
        }
        let operator = Console::operator(&server).await;
        let list = |query: &str| operator.get(&format!("/operator/v1/jobs{query}")).send();
        let all = list("").await.expect_status(200).json();
        let projects: Vec<_> = all["data"].as_array().expect("a list").iter().map(|job| job["project"].clone()).collect();
        assert_eq!(projects, ["two", "default", "default"]);
        let count = |reply: auris_e2e::Reply| reply.expect_status(200).json()["data"].as_array().expect("a list").len();
        assert_eq!(count(list("?project=two").await), 1);
        assert_eq!(count(list("?status=completed&operation=transcription").await), 3);
        assert_eq!(count(list("?status=failed").await), 0);
        assert_eq!(count(list("?created_before=1").await), 0);
        let first = list("?limit=2").await.expect_status(200).json();
        assert_eq!(first["has_more"], true);
        let after = first["last_id"].as_str().expect("a text");
        assert_eq!(count(list(&format!("?limit=2&after={after}")).await), 1);
        for (query, param) in [("?status=lost", "status"), ("?limit=0", "limit"), ("?color=red", "color")] {
            let reply = list(query).await;
            assert_eq!(reply.status, 400, "{reply}");
            assert_eq!(reply.error().param.as_deref(), Some(param), "{reply}");
        }
        list("?project=nobody").await.expect_error(404, "not_found");
    }

    async fn the_state_of_the_installation_is_shown(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let job = submit_transcription(&client).await;
        server.finished(&client, &job).await;
        let operator = Console::operator(&server).await;
        let overview = eventually("this node to be listed", || async {
            let overview = operator.get("/operator/v1/overview").send().await.expect_status(200).json();
            (overview["nodes"].as_array().expect("a list").len() == 1).then_some(overview)
        })
        .await;
        assert_eq!(overview["nodes"][0]["id"], overview["node"]);
        assert_eq!(overview["jobs"], json!({"queued": 0, "in_progress": 0, "cancelling": 0}));
        let report = operator.get("/operator/v1/doctor").send().await.expect_status(200).json();
        assert!(report["findings"].as_array().expect("a list").len() > 5, "{report}");
        let settings = operator.get("/operator/v1/settings").send().await.expect_status(200).json();
        let setting = |name: &str| {
            let all = settings["data"].as_array().expect("a list");
            all.iter().find(|one| one["name"] == name).expect("it is listed").clone()
        };
        // The tests start the server with `--listen`.
        assert_eq!(setting("server.listen")["source"], "flag");
        assert!(setting("server.listen")["value"].as_str().is_some_and(|value| value.starts_with("127.0.0.1:")));
        assert_eq!(setting("jobs.concurrency")["source"], "default");
        setting("security.master_key");
        let usage = operator.get("/operator/v1/usage?by=project").send().await.expect_status(200).json();
        assert_eq!(usage["groups"][0]["project"], "default");
        assert_eq!(usage["total"]["requests"], 1);
        let csv = operator.download("/operator/v1/usage.csv?by=model", None).await.expect_status(200).text();
        assert!(csv.starts_with("model,requests,audio_seconds,"), "{csv}");
        let account = operator.get("/console/v1/projects/default/account").send().await.expect_status(200).json();
        assert_eq!(account["usage"]["total"]["requests"], 1);
    }

    async fn webhooks_and_deliveries_are_shown(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let operator = Console::operator(&server).await;
        let base = "/console/v1/projects/default";
        let created = operator.post(&format!("{base}/webhook_endpoints")).idempotency_key("one");
        let created = created.json(&json!({"url": "https://127.0.0.1:9/hook"})).send().await.expect_status(201).json();
        let id = created["id"].as_str().expect("a text");
        let job = submit_transcription(&client).await;
        server.finished(&client, &job).await;
        let user = Console::user(&server, client.key()).await;
        for (visitor, prefix) in [(&operator, "/operator/v1/projects/default"), (&user, base)] {
            let endpoints = visitor.get(&format!("{prefix}/webhooks")).send().await.expect_status(200).json();
            assert_eq!(endpoints["data"][0]["id"], id);
            let deliveries = visitor.get(&format!("{prefix}/deliveries?status=pending")).send().await;
            let delivery = deliveries.expect_status(200).json()["data"][0].clone();
            assert_eq!(delivery["job_id"], job.as_str());
            let one = format!("{prefix}/deliveries/{}", delivery["id"].as_str().expect("a text"));
            visitor.get(&one).send().await.expect_status(200);
            visitor.post(&format!("{one}/resend")).send().await.expect_status(200);
        }
        let tested = operator.post(&format!("{base}/webhooks/{id}/test")).send().await.expect_status(200).json();
        assert_eq!(tested["success"], false);
        let rotated = operator.post(&format!("{base}/webhooks/{id}/rotate")).send().await.expect_status(200).json();
        assert!(rotated["secret"].as_str().expect("a text").starts_with("whsec_"), "{rotated}");
        operator.post(&format!("{base}/webhooks/{id}/enable")).send().await.expect_status(200);
        operator.post(&format!("{base}/deliveries/resend_failed")).send().await.expect_status(200);
        let wrong = operator.get(&format!("{base}/deliveries?status=lost")).send().await;
        assert_eq!(wrong.expect_error(400, "invalid_value").param.as_deref(), Some("status"));
    }
}

#[tokio::test]
async fn a_model_is_pulled_with_progress_verified_and_removed() {
    let server = auris_e2e::ServerOptions::new(DatabaseKind::Sqlite).with_real_models().start().await;
    let operator = Console::operator(&server).await;
    let path = "/operator/v1/models/moonshine-tiny-en";
    let state = || async {
        let models = operator.get("/operator/v1/models").send().await.expect_status(200).json();
        let models = models["data"].as_array().expect("a list").clone();
        models.into_iter().find(|model| model["id"] == "moonshine-tiny-en").expect("the model")["state"]
            .clone()
    };
    assert_eq!(state().await, "not installed");
    let run = |call: auris_e2e::Call| async {
        let task = call.send().await.expect_status(202).json();
        let id = task["id"].as_str().expect("a text").to_owned();
        eventually("the task to end", || async {
            let task = operator
                .get(&format!("/operator/v1/model_tasks/{id}"))
                .send()
                .await
                .expect_status(200)
                .json();
            let ended = ["completed", "failed", "cancelled"].iter().any(|status| task["status"] == *status);
            ended.then_some(task)
        })
        .await
    };
    let pulled = run(operator.post(&format!("{path}/pull"))).await;
    assert_eq!(pulled["status"], "completed", "{pulled}");
    assert_eq!(state().await, "installed");
    let verified = run(operator.post(&format!("{path}/verify"))).await;
    assert_eq!(verified["status"], "completed", "{verified}");
    let removed = run(operator.call("DELETE", path)).await;
    assert_eq!(removed["status"], "completed", "{removed}");
    assert_eq!(state().await, "not installed");
    let unknown = operator.post("/operator/v1/models/nothing/pull").send().await;
    assert_eq!(unknown.status, 404, "{unknown}");
}
