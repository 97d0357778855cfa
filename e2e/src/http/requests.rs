//! Requests that many tests share.

use serde_json::{Value, json};

use super::{Client, Form, Reply};
use crate::amounts::ten_billionths;
use crate::fixtures::wav;

/// A fake model with that capability that every plan may use. What is installed on the machine does not matter.
pub async fn model_for(client: &Client, capability: &str) -> String {
    let models = client.get("/v1/models").send().await.expect_status(200).json();
    let models = models["data"].as_array().expect("a list").clone();
    let able = |model: &&Value| {
        let capabilities = model["capabilities"].as_array().expect("a list");
        let free = model["required_plan"].is_null();
        let fake = model["id"].as_str().expect("a string").starts_with("fake-");
        fake && free && capabilities.iter().any(|item| item["capability"] == capability)
    };
    let model = models.iter().find(able);
    let model = model.unwrap_or_else(|| panic!("there is no model for {capability}: {models:?}"));
    model["id"].as_str().expect("a string").to_owned()
}

/// A valid form for a transcription of a short recording.
pub async fn transcription_form(client: &Client) -> Form {
    let model = model_for(client, "transcription").await;
    Form::new().file(wav(400)).text("model", model)
}

/// Submits an asynchronous transcription and returns the job's id.
pub async fn submit_transcription(client: &Client) -> String {
    let form = transcription_form(client).await.text("async", "true");
    post_transcription(client, &form).await.expect_status(202).id()
}

pub async fn post_transcription(client: &Client, form: &Form) -> Reply {
    client.post("/v1/audio/transcriptions").form(form).send().await
}

pub async fn post_analysis(client: &Client, body: &Value) -> Reply {
    client.post("/v1/audio/analyses").json(body).send().await
}

/// The body of an analysis whose 16 tasks have the same schema of almost 256 KiB: arrays in arrays, each of which takes
/// 150 times as much memory as a tree of values. The schema differs with the number.
pub fn deep_schemas(model: &str, number: usize) -> String {
    const LEVELS: usize = 30;
    const BYTES: usize = 255 << 10;
    let value = format!("{}{number}{}", "[".repeat(LEVELS), "]".repeat(LEVELS));
    let values = vec![value.as_str(); BYTES / (value.len() + 1)].join(",");
    let task = |id: usize| {
        format!(
            r#"{{"id":"t{id}","model":"{model}","text":{{"format":{{"type":"json_schema","name":"n","schema":{{"enum":[{values}]}}}}}}}}"#
        )
    };
    let tasks: Vec<String> = (0..16).map(task).collect();
    format!(r#"{{"transcript":{{"text":"Hello."}},"processing":{{"tasks":[{}]}}}}"#, tasks.join(","))
}

/// The most that an analysis can cost, in ten-billionths of a dollar. The service states it when it refuses a lower
/// limit.
pub async fn cost_bound(client: &Client, body: &Value) -> i128 {
    let error = limited_analysis(client, body, 1).await.expect_error(400, "max_cost_too_low");
    assert_eq!(error.param.as_deref(), Some("processing.max_cost_usd"));
    let amount = error.message.split("up to ").nth(1).and_then(|rest| rest.split(' ').next());
    ten_billionths(amount.unwrap_or_else(|| panic!("no amount in `{}`", error.message)))
}

/// Sends an analysis that may cost this number of ten-billionths of a dollar.
pub async fn limited_analysis(client: &Client, body: &Value, limit: i128) -> Reply {
    let mut body = body.clone();
    let limit = format!("{}.{:010}", limit / 10_000_000_000, limit % 10_000_000_000);
    body["processing"]["max_cost_usd"] = json!(limit);
    post_analysis(client, &body).await
}

/// A transcript for which every stage has a result.
pub fn transcript() -> Value {
    json!({
        "text": "Anna met Boris in Berlin on Monday. They were happy. The project ships in June.",
        "language": "en",
        "duration_seconds": "7.5",
    })
}

/// The smallest analysis.
pub fn analysis() -> Value {
    json!({"transcript": transcript(), "processing": {"summary": {}}})
}
