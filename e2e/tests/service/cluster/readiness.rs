//! Readiness while the database is down, and afterwards.

use auris_e2e::infrastructure::{PostgresServer, S3Server};
use auris_e2e::requests::submit_transcription;
use auris_e2e::{Client, DatabaseKind, ServerOptions, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_not_ready_while_its_database_is_down() {
    let (mut postgres, s3) = tokio::join!(PostgresServer::start(), S3Server::start());
    let options = ServerOptions::new(DatabaseKind::Postgres).with("AURIS_LOGS__LEVEL", "error");
    let mut server = options.prepare_beside(postgres.url(&postgres.address()), s3.store());
    server.restart().await;
    let client = server.client();
    assert_eq!(readiness(&client).await, Readiness::Ready);
    postgres.kill();
    eventually("the node to be not ready", || async {
        (readiness(&client).await == Readiness::NotReady("storage_unavailable".into())).then_some(())
    })
    .await;
    client.get_outside_api("/healthz", &[]).await.expect_status(200);
    postgres.restart().await;
    eventually("the node to be ready again", || async {
        (readiness(&client).await == Readiness::Ready).then_some(())
    })
    .await;
    let id = submit_transcription(&client).await;
    let job = server.finished(&client, &id).await;
    assert_eq!(job["status"], "completed", "{job}");
}

#[derive(Debug, PartialEq)]
enum Readiness {
    Ready,
    /// With the error code.
    NotReady(String),
}

async fn readiness(client: &Client) -> Readiness {
    let reply = client.get_outside_api("/readyz", &[]).await;
    match reply.status {
        200 => Readiness::Ready,
        503 => Readiness::NotReady(reply.error().code),
        other => panic!("/readyz returned {other}"),
    }
}
