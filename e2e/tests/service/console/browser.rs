//! The pages in a real browser. Each test starts a server and runs a script of `e2e/browser` against it.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use auris_e2e::{DatabaseKind, Server, ServerOptions, assets, eventually_within, link, repository, settings};

use super::outside::Outside;
use super::sign_in::free_address;

/// The folder of the browser driver that `scripts/test` sets; panics with instructions if it is not set.
fn driver() -> PathBuf {
    let path = std::env::var_os("AURIS_TEST_BROWSER").map(PathBuf::from);
    path.expect("AURIS_TEST_BROWSER is not set: run the tests with scripts/test, which installs the browser")
}

/// Runs a script to its end.
async fn run(server: &Server, script: &str) {
    run_with(server, script, &[]).await;
}

async fn run_with(server: &Server, script: &str, settings: &[(&str, String)]) {
    let mut command = command(server, script, settings);
    let ran = tokio::task::spawn_blocking(move || command.output()).await;
    check(script, &ran.expect("the thread ends").expect("node starts"));
}

fn check(script: &str, output: &Output) {
    let printed =
        format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script}:\n{printed}");
}

/// A script with the address of the server and a sign-in link.
fn command(server: &Server, script: &str, settings: &[(&str, String)]) -> Command {
    let driver = driver();
    let mut command = Command::new("node");
    command.arg(repository().join("e2e/browser").join(script));
    command.env("AURIS_BROWSER_PACKAGES", &driver).env("NODE_PATH", driver.join("node_modules"));
    command.env("AURIS_BASE", server.base()).env("AURIS_LINK", link(server));
    command.env("AURIS_KEY", server.client().key());
    command.env("AURIS_SAMPLE", repository().join("samples/inaugural.wav"));
    command.env("AURIS_PICTURES", pictures());
    command.envs(settings.iter().map(|(name, value)| (*name, value.as_str())));
    command
}

/// Where screenshots are kept after the run, in a folder for each script.
fn pictures() -> PathBuf {
    let binary = auris_e2e::auris_binary();
    let target =
        binary.parent().and_then(|folder| folder.parent()).expect("the binary is in the target folder");
    target.join("console-pictures")
}

async fn server_with_models() -> Server {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().start().await;
    server.auris(&["models", "pull", "moonshine-tiny-en"]);
    server
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_newcomer_transcribes_plays_analyses_and_downloads() {
    let server = server_with_models().await;
    run(&server, "newcomer.mjs").await;
}

/// Two people on the telephone, thirty seconds.
const CALL: &str = "c319b4abca767b124e41432d364fd7df006cb26bb79d09326c487d606a134e6e";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_call_is_transcribed_and_analyzed_with_real_models() {
    let options =
        ServerOptions::new(DatabaseKind::Sqlite).with_real_models().with("AURIS_MODELS__FAKE", false);
    let server = options.start().await;
    let stages =
        ["chapters-en", "entities-net-en", "key-phrases-en", "sentiment-net-en", "summary-en", "topics-en"];
    for model in stages.into_iter().chain(["auto"]) {
        server.auris(&["models", "pull", model]);
    }
    let call = assets().join(CALL).display().to_string();
    run_with(&server, "call.mjs", &[("AURIS_CALL", call)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_an_operator_manages_projects_keys_webhooks_and_models() {
    let server = server_with_models().await;
    run(&server, "operator.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_every_page_is_accessible_in_light_and_dark() {
    let server = server_with_models().await;
    run(&server, "pages.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_pages_with_failures_deliveries_and_running_jobs_are_accessible() {
    let outside = Outside::start();
    let server = outside.options().start().await;
    run_with(&server, "states.mjs", &outside.settings()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_recording_is_read_by_chapters_at_any_speed_in_any_locale_and_without_motion() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    run(&server, "reading.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_copied_calls_run_against_the_api_if_the_console_is_elsewhere() {
    let address = free_address();
    let options = ServerOptions::new(DatabaseKind::Sqlite).with("AURIS_CONSOLE__LISTEN", &address);
    let server = options.start().await;
    let python = std::env::var("AURIS_TEST_REQUESTS_PYTHON");
    let python = python.expect("AURIS_TEST_REQUESTS_PYTHON is not set: run the tests with scripts/test");
    let settings =
        [("AURIS_BASE", format!("http://{address}")), ("AURIS_API", server.base()), ("AURIS_PYTHON", python)];
    run_with(&server, "copied_calls.mjs", &settings).await;
}

/// The browser resolves the name to this machine, but trusts it as little as any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_over_plain_http_the_microphone_is_refused_with_an_explanation() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let base = server.base().replace("127.0.0.1", "auris.test");
    run_with(&server, "plain_http.mjs", &[("AURIS_BASE", base)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_wrong_input_is_explained_in_every_form() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    run(&server, "forms.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_project_user_sees_no_operator_pages_and_scripts_never_run() {
    let server = Server::start(DatabaseKind::Postgres).await;
    run(&server, "visitors.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_page_of_another_origin_cannot_use_the_session_of_a_visitor() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    run(&server, "foreign_site.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_long_transcript_keeps_few_rows_in_the_page() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    run(&server, "long_transcript.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_recording_from_the_microphone_is_transcribed() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    run(&server, "microphone.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_recording_is_transcribed_played_and_labeled_without_a_mouse() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    run(&server, "keyboard.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_stage_without_a_model_cannot_be_chosen() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with("AURIS_MODELS__FAKE", false).start().await;
    run(&server, "no_models.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_models_failures_and_deliveries_of_other_machines_are_shown_as_text() {
    let outside = Outside::start();
    let server = outside.options().start().await;
    run_with(&server, "outside_services.mjs", &outside.settings()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_page_recovers_when_the_server_is_killed_and_started_again() {
    let options = ServerOptions::new(DatabaseKind::Sqlite).with(settings::LEASE_SECONDS, 3);
    let mut server = options.start().await;
    server.keep_address();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (ready, restarted) = (folder.path().join("ready"), folder.path().join("restarted"));
    let files =
        [("AURIS_READY", ready.display().to_string()), ("AURIS_RESTARTED", restarted.display().to_string())];
    let mut script = command(&server, "restart.mjs", &files);
    let running = tokio::task::spawn_blocking(move || script.output());
    eventually_within(Duration::from_secs(90), "the page to show the job", || async {
        ready.exists().then_some(())
    })
    .await;
    server.kill();
    server.restart().await;
    std::fs::write(&restarted, "").expect("the folder is writable");
    check("restart.mjs", &running.await.expect("the thread ends").expect("node starts"));
}
