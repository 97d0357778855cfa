//! The pages in a real browser. Each test starts a server and runs a script of `e2e/browser` against it.

use std::path::PathBuf;
use std::process::{Command, Output};

use auris_e2e::{DatabaseKind, Server, ServerOptions, link, repository};

/// The folder of the browser driver that `scripts/test` sets; panics with instructions if it is not set.
fn driver() -> PathBuf {
    let path = std::env::var_os("AURIS_TEST_BROWSER").map(PathBuf::from);
    path.expect("AURIS_TEST_BROWSER is not set: run the tests with scripts/test, which installs the browser")
}

/// Runs a script with the address of the server and a sign-in link.
async fn run(server: &Server, script: &str, settings: &[(&str, String)]) {
    let output = spawn(server, script, settings).await;
    let printed =
        format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script}:\n{printed}");
}

async fn spawn(server: &Server, script: &str, settings: &[(&str, String)]) -> Output {
    let driver = driver();
    let mut command = Command::new("node");
    command.arg(repository().join("e2e/browser").join(script));
    command.env("AURIS_BROWSER_PACKAGES", &driver).env("NODE_PATH", driver.join("node_modules"));
    command.env("AURIS_BASE", server.base()).env("AURIS_LINK", link(server));
    command.env("AURIS_KEY", server.client().key());
    command.env("AURIS_SAMPLE", repository().join("samples/inaugural.wav"));
    command.env("AURIS_PICTURES", pictures());
    command.envs(settings.iter().map(|(name, value)| (*name, value.as_str())));
    let ran = tokio::task::spawn_blocking(move || command.output()).await;
    ran.expect("the thread ends").expect("node starts")
}

/// Where screenshots are kept after the run.
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
    run(&server, "newcomer.mjs", &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_every_page_is_accessible_in_light_and_dark() {
    let server = server_with_models().await;
    run(&server, "pages.mjs", &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_wrong_input_is_explained_in_every_form() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    run(&server, "forms.mjs", &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_project_user_sees_no_operator_pages_and_scripts_never_run() {
    let server = Server::start(DatabaseKind::Postgres).await;
    run(&server, "visitors.mjs", &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_long_transcript_keeps_few_rows_in_the_page() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    run(&server, "long_transcript.mjs", &[]).await;
}
