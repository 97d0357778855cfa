//! Tasks whose JSON schemas need much time or memory.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{deep_schemas, model_for, post_analysis};
use auris_e2e::{DatabaseKind, Server, ServerOptions};
use futures::future::{join, join_all};
use serde_json::{Map, Value, json};

const MEBIBYTE: u64 = 1_048_576;
/// Mebibytes of address space of a server that must need little memory: what it reserves, and some more.
const ADDRESS_SPACE: u32 = 3072;
const SCHEMA: &str = "processing.tasks[0].text.format.schema";

/// An analysis with one task.
fn analysis(model: &str, schema: &Value) -> Value {
    let format = json!({"type": "json_schema", "name": "n", "schema": schema});
    let task = json!({"id": "t", "model": model, "text": {"format": format}});
    json!({"transcript": {"text": "Hello."}, "processing": {"tasks": [task]}})
}

/// A schema with patterns of letters of all scripts, each of which compiles to megabytes.
fn patterns(count: usize, pattern: impl Fn(usize) -> String) -> Value {
    let field = |number: usize| (format!("f{number}"), json!({"type": "string", "pattern": pattern(number)}));
    json!({"type": "object", "properties": (0..count).map(field).collect::<Map<_, _>>()})
}

/// The schemas of 96 requests would compile to 40 MB each. Those of 24 others are accepted and compile to 16 MB each.
#[tokio::test]
async fn heavy_many_large_schemas_at_once_need_little_memory() {
    const LIMIT: u64 = 320 * MEBIBYTE;
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_memory(ADDRESS_SPACE).start().await;
    let client = server.client();
    let model = model_for(&client, "task").await;
    let before = server.memory("VmHWM");
    let send = |schema: Value| {
        let client = client.clone();
        let body = analysis(&model, &schema);
        async move { post_analysis(&client, &body).await }
    };
    let refused = (0..96)
        .map(|call| send(patterns(16, |field| format!("^[\\w\\d\\p{{L}}X]{{{}}}{call}$", 30 + field % 15))));
    let accepted =
        (0..24).map(|call| send(patterns(6, |field| format!("^[\\p{{L}}X]{{40}}-{call}-{field}$"))));
    let (refused, accepted) = join(join_all(refused), join_all(accepted)).await;
    for reply in refused {
        let error = reply.expect_error(400, "invalid_json_schema");
        assert_eq!(error.param.as_deref(), Some(SCHEMA), "{}", error.message);
    }
    for reply in accepted {
        let job = wait_and_check(&server, &client, &reply.expect_status(202).id()).await;
        assert_eq!(job["status"], "completed", "{job}");
    }
    let grown = server.memory("VmHWM").saturating_sub(before);
    assert!(grown < LIMIT, "the server needed {} MiB", grown / MEBIBYTE);
}

/// As trees of values, the schemas of one of these requests take 600 MB. Its body has 4.2 MB. On a slow machine, some wait
/// too long for their check.
#[tokio::test]
async fn heavy_many_tasks_with_a_deep_schema_need_little_memory() {
    const LIMIT: u64 = 400 * MEBIBYTE;
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_memory(ADDRESS_SPACE).start().await;
    let client = server.client();
    let model = model_for(&client, "task").await;
    let before = server.memory("VmHWM");
    let requests = (0..16).map(|number| {
        let body = deep_schemas(&model, number);
        client.post("/v1/audio/analyses").bytes("application/json", body.into_bytes()).send()
    });
    let grown = || server.memory("VmHWM").saturating_sub(before) / MEBIBYTE;
    let replies = join_all(requests).await;
    eprintln!("the requests needed {} MiB", grown());
    let (accepted, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 202);
    assert!(!accepted.is_empty());
    for reply in refused {
        reply.expect_error(503, "engine_overloaded");
    }
    for reply in accepted {
        let job = server.finished(&client, &reply.expect_status(202).id()).await;
        assert_eq!(job["status"], "completed", "{}", job["error"]);
    }
    assert!(grown() < LIMIT / MEBIBYTE, "the server needed {} MiB", grown());
}

#[tokio::test]
async fn a_schema_that_asks_for_a_million_million_fields_fails_its_step() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_memory(ADDRESS_SPACE).start().await;
    let client = server.client();
    let model = model_for(&client, "task").await;
    let names: Vec<String> = (0..10).map(|index| format!("f{index}")).collect();
    let level = |number: usize| {
        let inner = json!({"$ref": format!("#/$defs/d{}", number + 1)});
        let fields = names.iter().map(|name| (name.clone(), inner.clone()));
        json!({"type": "object", "required": names, "properties": fields.collect::<Map<_, _>>()})
    };
    let mut definitions: Map<String, Value> =
        (0..12).map(|number| (format!("d{number}"), level(number))).collect();
    definitions.insert("d12".into(), json!({"type": "integer"}));
    let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    let id = post_analysis(&client, &analysis(&model, &schema)).await.expect_status(202).id();
    let job = wait_and_check(&server, &client, &id).await;
    assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!("backend_error")), "{job}");
    let message = job["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("JSON values"), "{message}");
}

#[tokio::test]
async fn schemas_that_are_fine_alone_can_be_too_much_together() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let model = model_for(&client, "task").await;
    let task = |number: usize| {
        let schema = patterns(2, |field| format!("^[\\p{{L}}X]{{40}}-{number}-{field}$"));
        let mut body = analysis(&model, &schema);
        let mut task = body["processing"]["tasks"][0].take();
        task["id"] = json!(format!("t{number}"));
        task
    };
    let with = |count: usize| {
        let tasks: Vec<Value> = (0..count).map(task).collect();
        json!({"transcript": {"text": "Hello."}, "processing": {"tasks": tasks}})
    };
    let id = post_analysis(&client, &with(3)).await.expect_status(202).id();
    assert_eq!(wait_and_check(&server, &client, &id).await["status"], "completed");
    let error = post_analysis(&client, &with(4)).await.expect_error(400, "invalid_json_schema");
    assert_eq!(error.param.as_deref(), Some("processing.tasks[3].text.format.schema"));
}
