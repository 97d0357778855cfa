//! Graphs of tasks: chains, diamonds, sources of every kind, and failures in the middle.

use std::collections::BTreeMap;

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{model_for, post_analysis};
use auris_e2e::settings::{JOB_CONCURRENCY, LEASE_SECONDS};
use auris_e2e::{Client, DatabaseKind, Server, ServerOptions, both_databases, eventually};
use serde_json::{Value, json};

const TEXT: &str = "Anna met Boris.";

both_databases! {
    async fn a_chain_and_a_diamond_run_in_the_order_of_their_sources(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let model = model_for(&client, "task").await;
        let tasks = json!([
            task(&model, "end", "End.", &["#/tasks/left/text", "#/tasks/right/text"]),
            task(&model, "right", "Right.", &["#/tasks/top/text"]),
            task(&model, "left", "Left.", &["#/tasks/top/text"]),
            task(&model, "top", "Top.", &["#/transcript/text"]),
            task(&model, "after", "After.", &["#/tasks/end/text", "#/summary/text"]),
        ]);
        let body = json!({"transcript": {"text": TEXT}, "processing": {"summary": {}, "tasks": tasks}});
        let job = done(&server, &client, &body).await;
        // The fake model repeats its instructions and then its sources, so the text shows the order of the tasks.
        let top = format!("Top.\n{TEXT}");
        assert_eq!(job["result"]["tasks"]["end"]["text"], format!("End.\nLeft.\n{top}\nRight.\n{top}"));
        let keys = keys(&client, &job).await;
        let place = |key: &str| keys.iter().position(|found| found == key);
        for (earlier, later) in [("top", "left"), ("top", "right"), ("left", "end"), ("right", "end"), ("end", "after")] {
            assert!(place(&format!("tasks/{earlier}")) < place(&format!("tasks/{later}")), "{keys:?}");
        }
        let steps = steps(&client, &job).await;
        let moment = |key: &str, name: &str| steps[key][name].as_i64().unwrap_or_default();
        assert!(moment("tasks/end", "started_at") >= moment("tasks/left", "completed_at"));
    }

    async fn a_chain_of_sixteen_tasks_runs(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let model = model_for(&client, "task").await;
        let chain = |nth: usize| {
            let source = if nth == 0 { "#/transcript/text".to_owned() } else { format!("#/tasks/t{}/text", nth - 1) };
            task(&model, &format!("t{nth}"), "x", &[source.as_str()])
        };
        let tasks: Vec<Value> = (0..16).map(chain).collect();
        let job = done(&server, &client, &json!({"transcript": {"text": TEXT}, "processing": {"tasks": tasks}})).await;
        assert_eq!(job["result"]["tasks"]["t15"]["text"], format!("{}{TEXT}", "x\n".repeat(16)));
        assert_eq!(job["progress"]["completed_steps"], 16, "{job}");
    }

    async fn sources_can_name_array_elements_and_escaped_names(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let model = model_for(&client, "task").await;
        let schema = json!({
            "type": "object", "required": ["a/b", "c~d"],
            "properties": {
                "a/b": {"type": "array", "items": {"const": "slash"}, "minItems": 2},
                "c~d": {"const": "tilde"},
            },
        });
        let format = json!({"format": {"type": "json_schema", "name": "odd", "schema": schema}});
        let mut shaped = task(&model, "shaped", "Make it.", &["#/transcript/text"]);
        shaped["text"] = format;
        let tasks = json!([
            shaped,
            task(&model, "reads", "Read.", &["#/tasks/shaped/json/a~1b/1", "#/tasks/shaped/json/c~0d", "#/transcript/segments/1/text"]),
        ]);
        let transcript = json!({"text": TEXT, "segments": [{"text": "Anna"}, {"text": "met Boris."}]});
        let job = done(&server, &client, &json!({"transcript": transcript, "processing": {"tasks": tasks}})).await;
        assert_eq!(job["result"]["tasks"]["reads"]["text"], "Read.\nslash\ntilde\nmet Boris.", "{job}");
    }

    async fn a_missing_source_fails_only_its_step(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let model = model_for(&client, "task").await;
        let schema = json!({"type": "object", "required": ["items"], "properties": {"items": {"type": "array"}}});
        let mut first = task(&model, "first", "x", &["#/transcript/text"]);
        first["text"] = json!({"format": {"type": "json_schema", "name": "list", "schema": schema}});
        let tasks = json!([first, task(&model, "lost", "x", &["#/tasks/first/json/items/7"])]);
        let processing = json!({"tasks": tasks, "failure_policy": "continue_independent"});
        let job = done(&server, &client, &json!({"transcript": {"text": TEXT}, "processing": processing})).await;
        let steps = steps(&client, &job).await;
        assert_eq!(steps["tasks/lost"]["error"]["code"], "source_not_found", "{}", steps["tasks/lost"]);
        assert_eq!(steps["tasks/first"]["status"], "completed");
        assert_eq!(job["status"], "completed", "{job}");
    }

    async fn a_failure_in_the_middle_follows_the_failure_policy(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        for (policy, status, after, code) in [
            ("fail_fast", "failed", "skipped", "fail_fast"),
            ("continue_independent", "completed", "skipped", "dependency_failed"),
        ] {
            let job = done(&server, &client, &chain_with(&client, "fake:fail", policy).await).await;
            let steps = steps(&client, &job).await;
            assert_eq!(job["status"], status, "{job}");
            assert_eq!(steps["tasks/first"]["status"], "completed");
            assert!(steps["tasks/first"]["output"]["text"].is_string(), "earlier outputs stay readable");
            assert_eq!(steps["tasks/middle"]["error"]["code"], "backend_error");
            assert_eq!((steps["tasks/last"]["status"].as_str(), steps["tasks/last"]["error"]["code"].as_str()), (Some(after), Some(code)));
            assert_eq!(steps["tasks/last"]["started_at"], Value::Null);
        }
    }

    async fn a_cancel_in_the_middle_keeps_earlier_outputs(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let body = chain_with(&client, "fake:delay=600000", "fail_fast").await;
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        running(&client, &id, "tasks/middle").await;
        client.post(&format!("/v1/jobs/{id}/cancel")).send().await.expect_status(200);
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "cancelled", "{job}");
        let steps = steps(&client, &job).await;
        let statuses: Vec<&str> =
            ["first", "middle", "last"].iter().map(|id| steps[&format!("tasks/{id}")]["status"].as_str().unwrap_or_default()).collect();
        assert_eq!(statuses, ["completed", "cancelled", "cancelled"]);
        assert!(steps["tasks/first"]["output"]["text"].is_string());
    }

    async fn the_step_of_a_killed_worker_is_run_again(database: DatabaseKind) {
        let options = ServerOptions::new(database).with(LEASE_SECONDS, 3).with(JOB_CONCURRENCY, 1);
        let mut server = options.start().await;
        let client = server.client();
        let body = chain_with(&client, "fake:delay=1500", "fail_fast").await;
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        running(&client, &id, "tasks/middle").await;
        let first = steps(&client, &json!({"id": id})).await["tasks/first"].clone();
        server.kill();
        server.restart().await;
        let client = server.reconnect(&client);
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "{job}");
        let steps = steps(&client, &job).await;
        assert_eq!(steps["tasks/first"], first, "a completed step is not run again");
        assert!(["middle", "last"].iter().all(|id| steps[&format!("tasks/{id}")]["status"] == "completed"), "{steps:?}");
    }
}

#[tokio::test]
async fn a_cycle_of_two_tasks_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let model = model_for(&client, "task").await;
    let tasks =
        json!([task(&model, "a", "x", &["#/tasks/b/text"]), task(&model, "b", "x", &["#/tasks/a/text"])]);
    let body = json!({"transcript": {"text": TEXT}, "processing": {"tasks": tasks}});
    let error = post_analysis(&client, &body).await.expect_error(400, "source_cycle");
    assert!(error.param.is_some_and(|param| param.starts_with("processing.tasks[")));
}

fn task(model: &str, id: &str, instructions: &str, sources: &[&str]) -> Value {
    json!({"id": id, "model": model, "instructions": instructions, "sources": sources})
}

/// A chain of three tasks; the middle one has the directive.
async fn chain_with(client: &Client, directive: &str, policy: &str) -> Value {
    let model = model_for(client, "task").await;
    let tasks = json!([
        task(&model, "first", "x", &["#/transcript/text"]),
        task(&model, "middle", directive, &["#/tasks/first/text"]),
        task(&model, "last", "x", &["#/tasks/middle/text"]),
    ]);
    json!({"transcript": {"text": TEXT}, "processing": {"tasks": tasks, "failure_policy": policy}})
}

async fn done(server: &Server, client: &Client, body: &Value) -> Value {
    let id = post_analysis(client, body).await.expect_status(202).id();
    wait_and_check(server, client, &id).await
}

async fn running(client: &Client, id: &str, key: &str) {
    eventually(&format!("{key} to run"), || async {
        let steps = steps(client, &json!({"id": id})).await;
        (steps[key]["status"] == "in_progress").then_some(())
    })
    .await;
}

async fn listed(client: &Client, job: &Value) -> Vec<Value> {
    let path = format!("/v1/jobs/{}/steps", job["id"].as_str().unwrap_or_default());
    let steps = client.get(&path).send().await.expect_status(200).json();
    steps["data"].as_array().cloned().unwrap_or_default()
}

async fn keys(client: &Client, job: &Value) -> Vec<String> {
    let steps = listed(client, job).await;
    steps.iter().map(|step| step["key"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn steps(client: &Client, job: &Value) -> BTreeMap<String, Value> {
    let steps = listed(client, job).await;
    steps.into_iter().map(|step| (step["key"].as_str().unwrap_or_default().to_owned(), step)).collect()
}
