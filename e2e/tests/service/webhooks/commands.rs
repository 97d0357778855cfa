//! `auris webhooks`, next to a running server.

use auris_e2e::settings::DELIVER;
use auris_e2e::{DatabaseKind, Server, WebhookReceiver, both_databases, eventually};
use serde_json::{Value, json};

use super::delivering;
use super::delivery::submit;

both_databases! {
    async fn deliveries_are_listed_shown_and_sent_again(database: DatabaseKind) {
        let server = delivering(database).start().await;
        let client = server.client();
        let receiver = WebhookReceiver::start(|_, _| 200).await;
        let job = submit(&client, &receiver.url()).await.expect_status(202).id();
        let delivery = eventually("the delivery to be recorded", || async {
            let listed = json_of(&server, &["deliveries", "--status", "delivered"]);
            listed.as_array()?.first().cloned()
        })
        .await;
        assert_eq!((&delivery["job_id"], &delivery["attempts"]), (&json!(job), &json!(1)));
        let id = delivery["id"].as_str().expect("an id");
        let shown = json_of(&server, &["deliveries", id]);
        assert_eq!(shown["last_attempts"][0]["status"], 200);
        assert_eq!(shown["body"], receiver.received()[0].body);
        let text = server.auris(&["webhooks", "deliveries", id]);
        assert!(text.contains("attempt 1") && text.contains(&job), "{text}");
        assert!(server.auris(&["webhooks", "deliveries"]).contains(id));
        assert_eq!(json_of(&server, &["resend", id]), json!({"resent": 1}));
        eventually("the second delivery", || async { (receiver.received().len() == 2).then_some(()) }).await;
        let received = receiver.received();
        assert_eq!((&received[0].id, &received[0].body), (&received[1].id, &received[1].body));
        let strange = server.try_auris(&["webhooks", "resend", "dlv_00000000000000000000"]);
        assert_eq!(strange.status.code(), Some(1));
    }

    async fn a_test_message_prints_the_receivers_response(database: DatabaseKind) {
        let server = delivering(database).with(DELIVER, false).start().await;
        let receiver = WebhookReceiver::start(|_, before| if before == 0 { 204 } else { 500 }).await;
        let tried = json_of(&server, &["test", &receiver.url()]);
        assert_eq!((&tried["success"], &tried["status"]), (&json!(true), &json!(204)));
        assert_eq!(receiver.received()[0].json()["type"], "webhook.test");
        let failing = WebhookReceiver::start(|_, _| 500).await;
        let refused = server.try_auris(&["webhooks", "test", &failing.url()]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("500"));
        let inside = server.try_auris(&["webhooks", "test", "http://169.254.169.254/latest/meta-data/"]);
        assert_eq!(inside.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&inside.stderr).contains("is refused (link-local"));
        let neither = server.try_auris(&["webhooks", "test", "hooks.example"]);
        assert_eq!(neither.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&neither.stderr).contains("nor the id of an endpoint"));
    }

    async fn only_the_secret_is_printed_and_it_is_kept_until_it_is_rotated(database: DatabaseKind) {
        let server = Server::start(database).await;
        let secret = server.auris(&["webhooks", "secret"]);
        assert!(secret.starts_with("whsec_") && secret.lines().count() == 1, "{secret}");
        assert_eq!(server.auris(&["webhooks", "secret"]), secret);
        let rotated = server.auris(&["webhooks", "rotate"]);
        assert_ne!(rotated, secret);
        assert_eq!(server.auris(&["webhooks", "secret"]), rotated);
        server.auris(&["projects", "create", "other"]);
        assert_ne!(server.auris(&["webhooks", "secret", "--project", "other"]), rotated);
    }

    async fn the_master_key_is_changed_while_the_server_runs(database: DatabaseKind) {
        let server = delivering(database).start().await;
        let client = server.client();
        let receiver = WebhookReceiver::start(|_, _| 200).await;
        let secret = server.auris(&["webhooks", "secret"]);
        let key = server.data().join("master.key");
        let old = std::fs::read_to_string(&key).expect("a key");
        assert_eq!(json_of(&server, &["reseal", "--new-key"]), json!({"resealed": 1, "forgotten_keys": 0}));
        submit(&client, &receiver.url()).await.expect_status(202);
        eventually("a delivery signed under the new key", || async { receiver.received().pop() }).await;
        assert_eq!(json_of(&server, &["reseal", "--forget-old"]), json!({"resealed": 1, "forgotten_keys": 1}));
        let new = std::fs::read_to_string(&key).expect("a key");
        assert!(new.lines().count() == 1 && !new.contains(old.trim()));
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&key).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(server.auris(&["webhooks", "secret"]), secret, "the secret itself is unchanged");
    }

    async fn endpoints_are_listed_and_enabled(database: DatabaseKind) {
        let server = delivering(database).start().await;
        let client = server.client();
        let url = "https://127.0.0.1:9/hook";
        let call = client.post("/v1/webhook_endpoints").idempotency_key("one").json(&json!({"url": url}));
        let id = call.send().await.expect_status(201).id();
        let listed = json_of(&server, &["list"]);
        assert_eq!((&listed[0]["id"], &listed[0]["status"]), (&json!(id), &json!("enabled")));
        assert_eq!(json_of(&server, &["enable", &id]), json!({"id": id, "status": "enabled"}));
        assert!(server.auris(&["webhooks", "list"]).contains(url));
        let strange = server.try_auris(&["webhooks", "enable", "whk_00000000000000000000"]);
        assert_eq!(strange.status.code(), Some(1));
    }
}

fn json_of(server: &Server, words: &[&str]) -> Value {
    let line = [&["webhooks"], words, &["--json"]].concat();
    serde_json::from_str(&server.auris(&line)).expect("JSON")
}
