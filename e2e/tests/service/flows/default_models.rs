//! What the first start of a server installs, and how `auto` then chooses.

use std::fs;
use std::time::Duration;

use auris_e2e::balances::command_json;
use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::post_transcription;

use auris_e2e::{DatabaseKind, Form, Server, ServerOptions, eventually_within, repository};
use serde_json::Value;

/// The models that `auto` installs: one for English, and one for all languages, which gives second opinions.
const FOR_ENGLISH: &str = "moonshine-base-en";
const FOR_ALL: &str = "whisper-small";

/// Copying and measuring the models may take this long.
const SET_UP: Duration = Duration::from_secs(300);

#[tokio::test]
async fn the_first_start_installs_and_measures_the_models_of_auto() {
    let options = ServerOptions::new(DatabaseKind::Sqlite).with_real_models();
    let server = options.with("AURIS_MODELS__PULL", true).start().await;
    let speeds = || async { speed(&server, FOR_ENGLISH).zip(speed(&server, FOR_ALL)) };
    let (english, all) = eventually_within(SET_UP, "both models to be measured", speeds).await;
    assert!(english > 0.0 && all > 0.0, "{english} and {all}");

    let client = server.client();
    let sample = fs::read(repository().join("samples/inaugural.wav")).expect("the sample");
    let form = Form::new().file(sample).text("model", "auto").text("async", "true");
    let id = post_transcription(&client, &form).await.expect_status(202).id();
    let job = wait_and_check(&server, &client, &id).await;
    let text = job["result"]["transcript"]["text"].as_str().unwrap_or_default().to_lowercase();
    assert!(text.contains("ask not what your country can do for you"), "{job}");
    let steps = client.get(&format!("/v1/jobs/{id}/steps")).send().await.json();
    assert_eq!(steps["data"][0]["resolved_model"], FOR_ENGLISH, "{steps}");
}

/// The speed of a model on this machine, in seconds of audio per second; `None` until it is measured.
fn speed(server: &Server, id: &str) -> Option<f64> {
    let models = command_json(server, &["models", "list", "--json"]);
    let is_this = |model: &&Value| model["id"] == id;
    let model = models.as_array()?.iter().find(is_this)?;
    model["speed"]["units_per_second"].as_f64()
}
