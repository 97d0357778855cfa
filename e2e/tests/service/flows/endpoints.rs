//! Webhook endpoints: created with a secret that is returned once, listed, deleted, and limited to sixteen.

use auris_e2e::settings::ALLOWED_NETWORKS;
use auris_e2e::{Client, DatabaseKind, Reply, Server, ServerOptions, both_databases};
use serde_json::{Value, json};

both_databases! {
    async fn an_endpoint_is_created_listed_and_deleted(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let created = create(&client, "first", "https://127.0.0.1:9/a").await.expect_status(201).json();
        let secret = created["secret"].as_str().expect("a secret");
        assert!(secret.starts_with("whsec_"));
        assert_eq!(created["status"], "enabled");
        let listed = list(&client).await;
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0]["id"], created["id"]);
        assert_eq!(listed[0]["secret"], Value::Null, "the secret is returned only once");
        let again = create(&client, "first", "https://127.0.0.1:9/a").await.expect_status(201);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.json()["id"], created["id"]);
        create(&client, "first", "https://127.0.0.1:9/b").await.expect_error(409, "idempotency_key_reused");
        let path = format!("/v1/webhook_endpoints/{}", created["id"].as_str().expect("an id"));
        assert_eq!(client.delete(&path).send().await.expect_status(200).json(), json!({"deleted": true}));
        client.delete(&path).send().await.expect_error(404, "webhook_endpoint_not_found");
        assert_eq!(list(&client).await, Vec::<Value>::new());
    }

    async fn a_project_has_at_most_sixteen_endpoints(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let creations = (0..24).map(|index| {
            let client = client.clone();
            let key = format!("key-{index}");
            async move { create(&client, &key, "https://127.0.0.1:9/many").await }
        });
        let replies = futures::future::join_all(creations).await;
        let (created, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 201);
        assert_eq!(created.len(), 16, "the limit also holds for concurrent requests");
        for reply in refused {
            reply.expect_error(409, "endpoint_limit_reached");
        }
        assert_eq!(list(&client).await.len(), 16);
    }
}

#[tokio::test]
async fn an_address_that_nothing_is_sent_to_is_refused() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(ALLOWED_NETWORKS, "10.1.0.0/16").start().await;
    let client = server.client();
    let refused = [
        "127.0.0.1",
        "127.1:8443",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "10.2.0.1",
        "169.254.169.254",
        "192.168.0.1",
        "0.0.0.0",
        "240.0.0.1",
        "[::1]",
        "[fd00::1]",
        "[fe80::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:a9fe:a9fe]",
    ];
    for (number, host) in refused.iter().enumerate() {
        let reply = create(&client, &format!("refused-{number}"), &format!("https://{host}/hook")).await;
        let error = reply.expect_error(400, "invalid_webhook_url");
        assert_eq!(error.param.as_deref(), Some("url"), "{host}");
        let body = json!({"webhook_url": format!("https://{host}/hook"), "processing": {"summary": {}},
                          "transcript": {"text": "Hello."}});
        let reply = client.post("/v1/audio/analyses").json(&body).send().await;
        let error = reply.expect_error(400, "invalid_webhook_url");
        assert_eq!(error.param.as_deref(), Some("webhook_url"), "{host}");
    }
    for (number, host) in
        ["10.1.2.3", "[::ffff:10.1.2.3]", "8.8.8.8", "localhost", "hooks.example"].iter().enumerate()
    {
        let reply = create(&client, &format!("accepted-{number}"), &format!("https://{host}/hook")).await;
        assert_eq!(reply.status, 201, "{host}: {reply}");
    }
}

async fn create(client: &Client, key: &str, url: &str) -> Reply {
    let call = client.post("/v1/webhook_endpoints").idempotency_key(key);
    call.json(&json!({"url": url})).send().await
}

async fn list(client: &Client) -> Vec<Value> {
    let list = client.get("/v1/webhook_endpoints").send().await.expect_status(200).json();
    list["data"].as_array().cloned().unwrap_or_default()
}
