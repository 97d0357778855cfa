//! `auris doctor`: no problems in a healthy installation, and the right advice for a broken one.

use auris_e2e::settings::MASTER_KEY;
use auris_e2e::{DatabaseKind, Server, both_databases};
use serde_json::Value;

both_databases! {
    async fn a_healthy_installation_has_no_problems(database: DatabaseKind) {
        let server = Server::start(database).await;
        let report: Value = serde_json::from_str(&server.auris(&["doctor", "--json"])).expect("JSON");
        assert_eq!(report["ok"], true, "{report}");
        for check in ["data folder", "database", "database health", "schema", "clock", "master key", "blobs"] {
            assert_eq!(state(&report, check), "ok", "{report}");
        }
        for check in ["installation id", "stored content"] {
            assert_eq!(state(&report, check), "ok", "{report}");
        }
        let text = server.auris(&["doctor"]);
        assert!(text.contains("schema") && !text.contains("PROBLEM"), "{text}");
        let blobs: Vec<_> = server.files().into_iter().filter(|path| path.to_string_lossy().contains("doctor")).collect();
        assert!(blobs.is_empty(), "its test files are removed: {blobs:?}");
    }
}

#[tokio::test]
async fn each_problem_is_reported_with_advice() {
    let mut server = Server::start(DatabaseKind::Postgres).await;
    for (variable, value, check, advice) in [
        ("AWS_SECRET_ACCESS_KEY", "wrong", "blobs", "s3:PutObject"),
        (
            MASTER_KEY,
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "master key",
            "AURIS_SECURITY__MASTER_KEY",
        ),
        ("AURIS_DATABASE__URL", "postgres://nobody@127.0.0.1:1/none", "database", "database.url"),
    ] {
        server.set(variable, value);
        let output = server.try_auris(&["doctor", "--json"]);
        assert_eq!(output.status.code(), Some(1), "{variable}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(
            (&report["ok"], state(&report, check)),
            (&Value::Bool(false), "problem"),
            "{variable}: {report}"
        );
        assert!(report.to_string().contains(advice), "{variable}: {report}");
        server.unset(variable);
    }
}

fn state<'a>(report: &'a Value, check: &str) -> &'a str {
    let findings = report["findings"].as_array().into_iter().flatten();
    let found = findings.into_iter().find(|finding| finding["check"] == check);
    found.and_then(|finding| finding["state"].as_str()).unwrap_or("not checked")
}
