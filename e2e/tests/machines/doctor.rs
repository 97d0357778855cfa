//! `auris doctor`: nothing to say of a sound installation, and the right word for a broken one.

use auris_e2e::settings::MASTER_KEY;
use auris_e2e::{DatabaseKind, Server, both_databases};
use serde_json::Value;

both_databases! {
    async fn a_sound_installation_has_no_problem(database: DatabaseKind) {
        let server = Server::start(database).await;
        let told: Value = serde_json::from_str(&server.auris(&["doctor", "--json"])).expect("JSON");
        assert_eq!(told["ok"], true, "{told}");
        for check in ["data folder", "database", "database health", "schema", "clock", "master key", "blobs"] {
            assert_eq!(state(&told, check), "ok", "{told}");
        }
        let text = server.auris(&["doctor"]);
        assert!(text.contains("schema") && !text.contains("PROBLEM"), "{text}");
        let blobs: Vec<_> = server.files().into_iter().filter(|path| path.to_string_lossy().contains("doctor")).collect();
        assert!(blobs.is_empty(), "it cleans up: {blobs:?}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_named_with_what_to_do() {
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
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(
            (&told["ok"], state(&told, check)),
            (&Value::Bool(false), "problem"),
            "{variable}: {told}"
        );
        assert!(told.to_string().contains(advice), "{variable}: {told}");
        server.unset(variable);
    }
}

fn state<'a>(told: &'a Value, check: &str) -> &'a str {
    let findings = told["findings"].as_array().into_iter().flatten();
    let found = findings.into_iter().find(|finding| finding["check"] == check);
    found.and_then(|finding| finding["state"].as_str()).unwrap_or("not looked at")
}
