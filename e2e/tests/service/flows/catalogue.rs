//! The operator's catalogue: prices of every kind, price changes while jobs wait, and removed models.

use std::fs;
use std::path::{Path, PathBuf};

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{post_analysis, post_transcription, transcription_form};
use auris_e2e::settings::{CATALOG, JOB_CONCURRENCY, LEASE_SECONDS};
use auris_e2e::ten_billionths;
use auris_e2e::{DatabaseKind, Server, ServerOptions, both_databases};
use serde_json::{Value, json};
use tempfile::TempDir;

const TEXT: &str = "Ten letters";

/// Writes a catalogue with the model `metered` at this price per character, some others and, if wanted, `doomed`.
fn catalogue(folder: &Path, price: &str, doomed: bool) -> PathBuf {
    let model = |id: &str, rates: &[(&str, &str, &str)]| {
        let rates = rates.iter().map(|(capability, unit, price)| {
            format!("{{ capability = \"{capability}\", native_unit = \"{unit}\", price_per_unit_usd = \"{price}\" }}")
        });
        let rates = rates.collect::<Vec<_>>().join(", ");
        format!(
            "[[models]]\nid = \"{id}\"\ndisplay_name = \"{id}\"\nengine = \"fake\"\ncapabilities = [{rates}]\n"
        )
    };
    let mut text = "plans = [\"free\", \"pro\"]\n".to_owned();
    text += &model("metered", &[("summary", "character", price)]);
    text += &model("gift", &[("summary", "character", "0"), ("transcription", "audio_second", "0")]);
    let two = [("task", "input_token", "0.0000001"), ("task", "output_token", "0.0000000003")];
    text += &model("two-units", &two);
    if doomed {
        text +=
            &model("doomed", &[("summary", "character", price), ("transcription", "audio_second", price)]);
    }
    let path = folder.join("catalog.toml");
    fs::write(&path, text).expect("the temporary folder is writable");
    path
}

fn options(database: DatabaseKind, catalogue: &Path) -> ServerOptions {
    let options = ServerOptions::new(database).with(CATALOG, catalogue.display());
    options.with(JOB_CONCURRENCY, 1).with(LEASE_SECONDS, 3)
}

fn summary_by(model: &str, text: &str) -> Value {
    json!({"transcript": {"text": text}, "processing": {"summary": {"model": model}}})
}

both_databases! {
    async fn old_jobs_keep_their_price_and_a_job_of_a_removed_model_fails(database: DatabaseKind) {
        let folder = TempDir::new().expect("a folder");
        let path = catalogue(folder.path(), "0.0000000007", true);
        let mut server = options(database, &path).start().await;
        server.auris(&["projects", "credit", "default", "1"]);
        let client = server.client();
        // Occupies the only slot until the server is restarted.
        let blocker = post_analysis(&client, &summary_by("gift", "fake:delay=60000")).await.expect_status(202).id();
        let old = post_analysis(&client, &summary_by("metered", TEXT)).await.expect_status(202).id();
        let doomed = post_analysis(&client, &summary_by("doomed", TEXT)).await.expect_status(202).id();
        server.kill();
        catalogue(folder.path(), "0.5", false);
        server.restart().await;
        let client = server.reconnect(&client);
        client.post(&format!("/v1/jobs/{blocker}/cancel")).send().await.expect_status(200);
        let old = wait_and_check(&server, &client, &old).await;
        assert_eq!(old["usage"]["cost_usd"], "0.0000000077", "{old}");
        let doomed = wait_and_check(&server, &client, &doomed).await;
        assert_eq!((&doomed["status"], &doomed["error"]["code"]), (&json!("failed"), &json!("model_not_found")));
        assert!(doomed["error"]["message"].as_str().is_some_and(|said| said.contains("`doomed`")), "{doomed}");
        assert_eq!(doomed["usage"]["cost_usd"], "0");
        let missing = post_analysis(&client, &summary_by("doomed", TEXT)).await.expect_error(404, "model_not_found");
        assert_eq!(missing.param.as_deref(), Some("processing.summary.model"));
        let dear = post_analysis(&client, &summary_by("metered", TEXT)).await;
        dear.expect_error(403, "insufficient_balance");
        server.finished(&client, &blocker).await;
        let account = auris_e2e::balances::Account::of(&server, "default");
        assert_eq!((account.balance, account.held), (ten_billionths("0.9999999923"), 0));
    }

    async fn two_units_add_up_and_a_free_model_needs_no_balance(database: DatabaseKind) {
        let folder = TempDir::new().expect("a folder");
        let server = options(database, &catalogue(folder.path(), "1", true)).start().await;
        let client = server.client();
        let task = json!({"id": "do", "model": "two-units", "instructions": "Say something.", "max_output_tokens": 50});
        let body = json!({"transcript": {"text": TEXT}, "processing": {"tasks": [task]}});
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        let usage = wait_and_check(&server, &client, &id).await["usage"].clone();
        let units = |name: &str| i128::from(usage[name].as_i64().expect("a count"));
        let cost = units("input_tokens") * 1_000 + units("output_tokens") * 3;
        assert!(units("input_tokens") > 0 && units("output_tokens") > 0, "{usage}");
        assert_eq!(usage["cost_usd"].as_str().map(ten_billionths), Some(cost));
        server.auris(&["projects", "create", "poor", "--credit", "0"]);
        let poor = server.client_with(&["--project", "poor"]);
        let id = post_analysis(&poor, &summary_by("gift", TEXT)).await.expect_status(202).id();
        let job = wait_and_check(&server, &poor, &id).await;
        assert_eq!((&job["status"], &job["usage"]["cost_usd"]), (&json!("completed"), &json!("0")));
        let form = transcription_form(&client).await.with("model", "gift");
        post_transcription(&poor, &form).await.expect_status(200);
        post_analysis(&poor, &body).await.expect_error(403, "insufficient_balance");
    }
}

#[tokio::test]
async fn a_price_that_is_missing_stops_the_start_and_names_the_model() {
    let folder = TempDir::new().expect("a folder");
    let path = catalogue(folder.path(), "0", false);
    let text = fs::read_to_string(&path).expect("the catalogue that was just written");
    fs::write(&path, text.replacen(", price_per_unit_usd = \"0\"", "", 1))
        .expect("the catalogue that was just written");
    let mut server: Server = options(DatabaseKind::Sqlite, &path).prepare();
    server.spawn();
    assert!(!server.listening().await, "the server started");
    let log = server.log();
    assert!(log.contains("`metered`") && log.contains("price_per_unit_usd"), "{log}");
}
