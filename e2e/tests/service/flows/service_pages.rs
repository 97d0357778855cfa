//! Addresses outside `/v1`: health, readiness and metrics.

use auris_e2e::requests::submit_transcription;
use auris_e2e::{DatabaseKind, Server, both_databases};

both_databases! {
    async fn health_readiness_and_metrics_are_served(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        client.get_outside_api("/healthz", &[]).await.expect_status(200);
        client.get_outside_api("/readyz", &[]).await.expect_status(200);
        let id = submit_transcription(&client).await;
        server.finished(&client, &id).await;
        let metrics = client.get_outside_api("/metrics", &[]).await.expect_status(200);
        assert!(metrics.header("content-type").starts_with("text/plain"), "{:?}", metrics.headers);
        assert!(metrics.text().contains("# TYPE"), "{metrics}");
        assert!(!metrics.text().contains("sk-"), "the metrics contain no key");
    }
}

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    for path in ["/nowhere", "/v2/jobs", "/v1x", "/../etc/passwd", "/.git/config"] {
        client.get_outside_api(path, &[]).await.expect_status(404);
    }
}
