//! The operator's own language models: added from a GGUF file, used by a running server, charged and removed.

use std::os::unix::fs::symlink;
use std::path::Path;

use auris_e2e::balances::command_json;
use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{cost_bound, limited_analysis, post_analysis};
use auris_e2e::ten_billionths;
use auris_e2e::{DatabaseKind, Server, ServerOptions, assets};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The file of SmolLM2 135M Instruct.
const SMOLLM2: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/// The id that the file gets.
const ID: &str = "smollm2-135m-instruct.q4-1";

#[tokio::test]
async fn an_added_language_model_answers_tasks_of_a_running_server_until_it_is_removed() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).start().await;
    let client = server.client();
    let folder = TempDir::new().expect("a folder");
    let file = gguf(folder.path());
    let prices = ["--input-price", "0.000001", "--output-price", "0.0000000003"];
    assert_eq!(server.auris(&[&["models", "add", &file][..], &prices].concat()), format!("added {ID}\n"));
    assert_eq!(server.auris(&["models", "add", &file, "--id", "gift"]), "added gift\n");

    let listed = client.get("/v1/models").send().await.expect_status(200).json();
    let listed = listed["data"].as_array().expect("a list").iter().find(|model| model["id"] == ID);
    let rates = listed.expect("the model is listed")["capabilities"].as_array().expect("a list");
    assert_eq!(rates.len(), 16, "{rates:?}");
    for (unit, price) in [("input_token", "0.000001"), ("output_token", "0.0000000003")] {
        let rate = json!({"capability": "task", "native_unit": unit, "price_per_unit_usd": price});
        assert!(rates.contains(&rate), "{rates:?}");
    }
    let known = command_json(&server, &["models", "list", "--json"]);
    let known = known.as_array().expect("a list").iter().find(|model| model["id"] == ID);
    let known = known.expect("the model is listed");
    assert_eq!((&known["source"], &known["state"]), (&json!("local"), &json!("installed")), "{known}");
    let verified = command_json(&server, &["models", "verify", "--json"]);
    assert!(verified.as_array().is_some_and(|all| all.iter().all(|model| model["ok"] == true)), "{verified}");

    for (model, input_price, output_price) in [(ID, 10_000, 3), ("gift", 0, 0)] {
        let id = post_analysis(&client, &task_for(model)).await.expect_status(202).id();
        let job = wait_and_check(&server, &client, &id).await;
        assert!(job["result"]["tasks"]["about"]["text"].is_string(), "{job}");
        let usage = &job["usage"];
        let count = |unit: &str| i128::from(usage[unit].as_i64().expect("a count"));
        assert!(count("input_tokens") > 0 && count("output_tokens") > 0, "{usage}");
        let cost = count("input_tokens") * input_price + count("output_tokens") * output_price;
        assert_eq!(usage["cost_usd"].as_str().map(ten_billionths), Some(cost), "{usage}");
    }

    assert_eq!(server.auris(&["models", "remove", ID]), format!("removed {ID}\n"));
    post_analysis(&client, &task_for(ID)).await.expect_error(404, "model_not_found");
}

/// The price of a token of input, in ten-billionths of a dollar. Output is free.
const INPUT_PRICE: i128 = 10_000;

#[tokio::test]
async fn a_limit_on_the_cost_is_compared_with_counted_tokens_and_for_a_long_text_with_bytes() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).start().await;
    let client = server.client();
    let folder = TempDir::new().expect("a folder");
    server.auris(&["models", "add", &gguf(folder.path()), "--input-price", "0.000001"]);
    let mut body = task_for(ID);
    let text = "The ship leaves on Monday. ".repeat(100);
    body["transcript"]["text"] = json!(text);
    let counted = cost_bound(&client, &body).await;
    let bytes = text.len() as i128 * INPUT_PRICE;
    assert!(counted < bytes / 2, "the bound is {counted}, and {bytes} by bytes");
    limited_analysis(&client, &body, counted - 1).await.expect_error(400, "max_cost_too_low");
    let id = limited_analysis(&client, &body, counted).await.expect_status(202).id();
    let job = wait_and_check(&server, &client, &id).await;
    assert_eq!(job["status"], "completed", "{job}");
    let cost = job["usage"]["cost_usd"].as_str().map_or(0, ten_billionths);
    let tokens = i128::from(job["usage"]["input_tokens"].as_i64().expect("a count"));
    assert_eq!(cost, tokens * INPUT_PRICE);
    assert!(cost <= counted && counted < 2 * cost, "counted {counted}, paid {cost}");

    // More text than is counted for one request.
    let text = text.repeat((1 << 20) / text.len() + 1);
    body["transcript"]["text"] = json!(text);
    let by_bytes = cost_bound(&client, &body).await;
    assert!(by_bytes >= text.len() as i128 * INPUT_PRICE, "{by_bytes} for {} bytes", text.len());
}

#[tokio::test]
async fn a_language_model_that_cannot_be_used_is_refused_with_the_reason() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).prepare();
    let folder = TempDir::new().expect("a folder");
    let file = gguf(folder.path());
    refuse(&server, &["models", "add", &file, "--price", "0.1"], 1, "`--input-price` and `--output-price`");
    refuse(&server, &["models", "add", &file, "--price", "0.1", "--input-price", "0.1"], 2, "--input-price");
    refuse(&server, &["models", "add", &file, "--output-price", "-1"], 2, "non-negative");
    refuse(&server, &["models", "add", &file, "--id", "Notes"], 1, "`Notes`");

    let bytes = std::fs::read(&file).expect("the file");
    let cut = folder.path().join("cut.gguf");
    std::fs::write(&cut, &bytes[..bytes.len() - 1]).expect("a file");
    let cut = cut.display().to_string();
    refuse(&server, &["models", "add", &cut], 1, "download it again");
    // Only the trial notices that the net has no norm: its name is changed in place.
    let mut changed = bytes;
    let name = b"output_norm.weight";
    let at = changed.windows(name.len()).position(|window| window == name).expect("the tensor");
    changed[at..at + name.len()].copy_from_slice(b"output_form.weight");
    let other = folder.path().join("other.gguf");
    std::fs::write(&other, &changed).expect("a file");
    let other = other.display().to_string();
    refuse(&server, &["models", "add", &other], 1, "cannot be used, so it was not added");
    assert_eq!(server.auris(&["models", "verify"]), "");
}

/// Runs a command that fails with this code and says this.
fn refuse(server: &Server, words: &[&str], code: i32, said: &str) {
    let refused = server.try_auris(words);
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(code) && message.contains(said), "{words:?}: {message}");
    assert!(refused.stdout.is_empty());
}

fn task_for(model: &str) -> Value {
    let task =
        json!({"id": "about", "model": model, "instructions": "What is it about?", "max_output_tokens": 16});
    json!({"transcript": {"text": "The ship leaves on Monday."}, "processing": {"tasks": [task]}})
}

/// The file under the name that it was published with.
fn gguf(folder: &Path) -> String {
    let path = folder.join("SmolLM2-135M-Instruct.Q4_1.gguf");
    symlink(assets().join(SMOLLM2), &path).expect("a link");
    path.display().to_string()
}
