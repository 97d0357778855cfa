//! Plans and cost limits.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{
    analysis, cost_bound, limited_analysis, model_for, post_analysis, post_transcription, transcription_form,
};
use auris_e2e::ten_billionths;
use auris_e2e::{Client, DatabaseKind, Server, both_databases};
use serde_json::{Value, json};

#[tokio::test]
async fn a_model_of_a_higher_plan_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let model = model_of_a_higher_plan(&client).await;
    let form = transcription_form(&client).await.with("model", model.as_str());
    let error = post_transcription(&client, &form).await.expect_error(403, "plan_required");
    assert_eq!(error.param.as_deref(), Some("model"));
    let mut body = analysis();
    body["processing"]["summary"]["model"] = json!(model);
    let error = post_analysis(&client, &body).await.expect_error(403, "plan_required");
    assert_eq!(error.param.as_deref(), Some("processing.summary.model"));
    assert_eq!(client.get("/v1/jobs").send().await.json()["data"], json!([]));
}

both_databases! {
    async fn a_job_never_costs_more_than_its_limit(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let mut body = analysis();
        body["processing"]["max_cost_usd"] = json!("0.0000000001");
        let error = post_analysis(&client, &body).await.expect_error(400, "max_cost_too_low");
        assert_eq!(error.param.as_deref(), Some("processing.max_cost_usd"));
        body["processing"]["max_cost_usd"] = json!("1.50");
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "{job}");
        let cost = job["usage"]["cost_usd"].as_str().map_or(0, ten_billionths);
        assert!(cost > 0 && cost <= ten_billionths("1.5"), "{}", job["usage"]);
    }

    /// The tokens of a fake model cannot be counted, so bytes bound them.
    async fn the_limit_is_compared_with_the_most_that_all_steps_can_cost(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let model = model_for(&client, "task").await;
        let first = json!({"id": "first", "model": model, "instructions": "Go.", "max_output_tokens": 10});
        let second = json!({"id": "second", "model": model, "sources": ["#/tasks/first/text"]});
        let mut body = analysis();
        body["processing"] = json!({"tasks": [first], "failure_policy": "continue_independent"});
        let of_one = cost_bound(&client, &body).await;
        body["processing"]["tasks"].as_array_mut().expect("a list").push(second);
        let of_both = cost_bound(&client, &body).await;
        assert!(0 < of_one && of_one < of_both, "{of_one} {of_both}");
        for too_low in [of_one, of_both - 1] {
            limited_analysis(&client, &body, too_low).await.expect_error(400, "max_cost_too_low");
        }
        assert_eq!(client.get("/v1/jobs").send().await.json()["data"], json!([]));
        let id = limited_analysis(&client, &body, of_both).await.expect_status(202).id();
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "{job}");
        let cost = job["usage"]["cost_usd"].as_str().map_or(0, ten_billionths);
        assert!(cost > 0 && cost <= of_both, "{}", job["usage"]);
    }
}

async fn model_of_a_higher_plan(client: &Client) -> String {
    let models = client.get("/v1/models").send().await.expect_status(200).json();
    let models = models["data"].as_array().cloned().unwrap_or_default();
    let model = models.iter().find(|model| model["required_plan"].is_string());
    let id = model.map(|model: &Value| model["id"].as_str().unwrap_or_default().to_owned());
    id.expect("a fake model of a higher plan")
}
