//! What is delivered, when, and to which addresses.

use auris_e2e::requests::{post_transcription, transcription_form};
use auris_e2e::settings::{ALLOWED_NETWORKS, CRASH_AT, DELIVER, WEBHOOK_TIMEOUT_SECONDS};
use auris_e2e::{Client, DatabaseKind, Reply, Server, WebhookReceiver, both_databases, eventually};
use serde_json::Value;

use super::delivering;

both_databases! {
    async fn deliveries_that_wait_while_delivery_is_off_are_sent_later(database: DatabaseKind) {
        let mut server = delivering(database).with(DELIVER, false).start().await;
        let client = server.client();
        let receiver = WebhookReceiver::start(|_, _| 204).await;
        let job = submit(&client, &receiver.url()).await.expect_status(202).id();
        server.finished(&client, &job).await;
        server.terminate().await;
        assert_eq!(receiver.received(), []);
        server.set(DELIVER, "true");
        server.restart().await;
        let received = eventually("the delivery", || async { receiver.received().pop() }).await;
        assert_eq!(received.job(), job);
    }

    async fn a_crash_between_sending_and_recording_repeats_the_same_delivery(database: DatabaseKind) {
        let options = delivering(database).with(WEBHOOK_TIMEOUT_SECONDS, 1);
        let mut server = options.with(CRASH_AT, "webhooks.before_record").start().await;
        let client = server.client();
        let receiver = WebhookReceiver::start(|_, _| 204).await;
        submit(&client, &receiver.url()).await.expect_status(202);
        server.exited().await;
        assert_eq!(receiver.received().len(), 1);
        server.unset(CRASH_AT);
        server.restart().await;
        let received = eventually("the second delivery", || async {
            Some(receiver.received()).filter(|received| received.len() == 2)
        })
        .await;
        assert_eq!((&received[0].id, &received[0].body), (&received[1].id, &received[1].body));
    }
}

/// On SQLite and a folder, because an object store may be behind a proxy.
#[tokio::test]
async fn deliveries_ignore_proxies_in_the_environment() {
    let refused = "http://127.0.0.1:1";
    let options = delivering(DatabaseKind::Sqlite).with("HTTP_PROXY", refused).with("http_proxy", refused);
    let server = options.with("ALL_PROXY", refused).with("all_proxy", refused).start().await;
    let client = server.client();
    let receiver = WebhookReceiver::start(|_, _| 204).await;
    let job = submit(&client, &receiver.url()).await.expect_status(202).id();
    let received = eventually("the delivery", || async { receiver.received().pop() }).await;
    let ended = server.finished(&client, &job).await;
    let event = received.json();
    assert_eq!((&event["type"], &event["data"]["id"]), (&"job.completed".into(), &ended["id"]));
    assert_eq!((&event["data"]["result"], &event["data"]["progress"]), (&Value::Null, &Value::Null));
    for same in ["status", "usage", "metadata", "created_at", "completed_at", "expires_at"] {
        assert_eq!(event["data"][same], ended[same], "{same}");
    }
    assert!(received.body.len() < 20_000);
}

#[tokio::test]
async fn an_address_of_a_private_network_is_refused_by_default() {
    let server = delivering(DatabaseKind::Sqlite).with(ALLOWED_NETWORKS, "").start().await;
    let client = server.client();
    let receiver = WebhookReceiver::start(|_, _| 204).await;
    let error = submit(&client, &receiver.url()).await.expect_error(400, "invalid_webhook_url");
    assert_eq!(error.param.as_deref(), Some("webhook_url"));
    assert!(error.message.contains("127.0.0.1 (loopback)"), "{}", error.message);
    // A name is checked when it is resolved, for every connection.
    let named = receiver.url().replace("127.0.0.1", "localhost");
    submit(&client, &named).await.expect_status(202);
    let attempt = eventually("an attempt", || async { first_attempt(&server) }).await;
    let error = attempt["error"].as_str().expect("an error").to_owned();
    assert!(error.contains("is refused (loopback)"), "{error}");
    assert_eq!(receiver.received(), []);
}

fn first_attempt(server: &Server) -> Option<Value> {
    let listed = server.auris(&["webhooks", "deliveries", "--json"]);
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    listed[0]["last_attempts"].as_array()?.first().cloned()
}

/// Submits an asynchronous transcription with this webhook URL.
pub(crate) async fn submit(client: &Client, url: &str) -> Reply {
    let form = transcription_form(client).await.text("async", "true").text("webhook_url", url);
    post_transcription(client, &form).await
}
