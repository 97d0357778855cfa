//! What is served outside `/v1`.

use auris_e2e::requests::submit_transcription;
use auris_e2e::{DatabaseKind, Server, both_databases};

both_databases! {
    async fn health_readiness_and_metrics_are_told(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        client.outside("/healthz", &[]).await.expect_status(200);
        client.outside("/readyz", &[]).await.expect_status(200);
        let id = submit_transcription(&client).await;
        server.finished(&client, &id).await;
        let metrics = client.outside("/metrics", &[]).await.expect_status(200);
        assert!(metrics.header("content-type").starts_with("text/plain"), "{:?}", metrics.headers);
        assert!(metrics.text().contains("# TYPE"), "{metrics}");
        assert!(!metrics.text().contains("sk-"), "no key is told");
    }
}

#[tokio::test]
async fn a_path_that_is_nowhere_is_not_found() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    for path in ["/nowhere", "/v2/jobs", "/v1x", "/../etc/passwd", "/.git/config"] {
        client.outside(path, &[]).await.expect_status(404);
    }
}
