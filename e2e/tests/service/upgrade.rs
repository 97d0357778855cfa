//! Data that the first release wrote is served by this build, byte for byte, and unfinished jobs are finished. The one
//! intended difference is in `as_answered_today`.
//!
//! `e2e/fixtures/data-of-0.1.0.tar.gz` is a data folder of a server that was killed while a job ran: jobs of every kind
//! and in every final state, and `expected.json` with the answers that the first release gave for them.

use std::process::Command;

use auris_e2e::settings::RETENTION_DAYS;
use auris_e2e::{DatabaseKind, Server, ServerOptions, repository};
use serde_json::Value;

/// As long as the fixture's jobs are kept, so that no sweep deletes their content.
const A_CENTURY_IN_DAYS: u32 = 36_500;

struct Upgraded {
    server: Server,
    expected: Value,
}

async fn upgraded() -> Upgraded {
    let options = ServerOptions::new(DatabaseKind::Sqlite).with(RETENTION_DAYS, A_CENTURY_IN_DAYS);
    let mut server = options.prepare();
    let data = server.data();
    std::fs::create_dir_all(&data).expect("the temporary folder is writable");
    let archive = repository().join("e2e/fixtures/data-of-0.1.0.tar.gz");
    let unpacked = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&data).status();
    assert!(unpacked.expect("`tar` is installed").success());
    let expected = std::fs::read_to_string(data.join("expected.json")).expect("the fixture has it");
    server.restart().await;
    Upgraded { server, expected: serde_json::from_str(&expected).expect("it is JSON") }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_jobs_are_served_byte_for_byte() {
    let Upgraded { server, expected } = upgraded().await;
    auris_tls::use_ring();
    let http = reqwest::Client::builder().no_proxy().build().expect("the options are valid");
    let key = expected["key"].as_str().expect("the fixture has a key");
    let answers = expected["answers"].as_array().expect("the fixture has answers");
    let with_body = answers.iter().filter(|answer| answer["body"].is_string());
    let mut compared = 0;
    for answer in with_body {
        let path = answer["path"].as_str().expect("a path");
        let reply = http.get(format!("{}{path}", server.base())).bearer_auth(key).send().await;
        let reply = reply.expect("the server answers");
        assert_eq!(reply.status().as_u16(), answer["status"], "{path}");
        let body = reply.text().await.expect("the body is text");
        let wanted = as_answered_today(answer["body"].as_str().expect("a body"));
        assert!(body == wanted, "{path} answers differently:\n{body:.2000}\nexpected:\n{wanted:.2000}");
        compared += 1;
    }
    assert!(compared > 60, "the fixture has jobs, steps, events and artifacts: {compared}");
}

/// The answer of the first release with the one difference that was decided later: a step that never started has no
/// `resolved_model`. Stored events stay as they are.
fn as_answered_today(body: &str) -> String {
    match serde_json::from_str::<Value>(body) {
        Ok(mut value) => {
            hide_unused_models(&mut value);
            value.to_string()
        }
        Err(_) => body.to_owned(),
    }
}

fn hide_unused_models(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("object").is_some_and(|kind| kind == "job.step") && fields["started_at"].is_null() {
                fields["resolved_model"] = Value::Null;
            }
            fields.values_mut().for_each(hide_unused_models);
        }
        Value::Array(items) => items.iter_mut().for_each(hide_unused_models),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_the_first_release_left_unfinished_is_finished() {
    let Upgraded { server, expected } = upgraded().await;
    let client = server.client().with_key(expected["unfinished_key"].as_str());
    let jobs = expected["unfinished"].as_array().expect("the fixture has unfinished jobs");
    assert!(!jobs.is_empty());
    for job in jobs {
        let job = server.finished(&client, job.as_str().expect("an id")).await;
        assert_eq!(job["status"], "completed", "{job}");
        assert_eq!(job["result"]["summary"]["type"], "detailed");
        assert!(job["result"]["tasks"]["after"]["text"].is_string(), "{job}");
    }
}
