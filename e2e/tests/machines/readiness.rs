//! What a balancer hears while the database is away, and afterwards.

use auris_e2e::machines::{OwnPostgres, OwnS3};
use auris_e2e::requests::submit_transcription;
use auris_e2e::{Client, DatabaseKind, ServerOptions, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_without_its_database_is_not_ready_until_it_is_back() {
    let (mut postgres, s3) = tokio::join!(OwnPostgres::start(), OwnS3::start());
    let options = ServerOptions::new(DatabaseKind::Postgres).with("AURIS_LOGS__LEVEL", "error");
    let mut server = options.prepare_beside(postgres.url(&postgres.address()), s3.store());
    server.restart().await;
    let client = server.client();
    assert_eq!(readiness(&client).await, Readiness::Ready);
    postgres.kill();
    eventually("the node to say that it is not ready", || async {
        (readiness(&client).await == Readiness::No("storage_unavailable".into())).then_some(())
    })
    .await;
    client.outside("/healthz", &[]).await.expect_status(200);
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
    /// With the code of the refusal.
    No(String),
}

async fn readiness(client: &Client) -> Readiness {
    let reply = client.outside("/readyz", &[]).await;
    match reply.status {
        200 => Readiness::Ready,
        503 => Readiness::No(reply.error().code),
        other => panic!("/readyz answered {other}"),
    }
}
