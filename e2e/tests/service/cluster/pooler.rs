//! Nodes behind a pooler in transaction mode, where no prepared statement, notification or lock outlives a transaction.

use auris_e2e::finished_job::events_are_complete;
use auris_e2e::infrastructure::{Pooler, PostgresServer, S3Server};
use auris_e2e::requests::submit_transcription;
use auris_e2e::settings::POOLER;
use auris_e2e::{Client, DatabaseKind, Event, ServerOptions};

const JOBS: usize = 12;
/// Fewer connections than the nodes would open without a pooler.
const CONNECTIONS: u32 = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_behind_a_pooler_finish_every_job_and_tell_it_expect_same_answer() {
    let (postgres, s3) = tokio::join!(PostgresServer::start(), S3Server::start());
    let pooler = Pooler::before(&postgres, CONNECTIONS).await;
    let options = ServerOptions::new(DatabaseKind::Postgres).with(POOLER, true);
    let mut first = options.prepare_beside(postgres.url(&pooler.address()), s3.store());
    first.restart().await;
    let second = first.node().await;
    let clients = [first.client(), second.client()];
    let submitted = (0..JOBS).map(|number| submit_transcription(&clients[number % 2]));
    let ids = futures::future::join_all(submitted).await;
    for (number, id) in ids.iter().enumerate() {
        let job = first.finished(&clients[0], id).await;
        assert_eq!(job["status"], "completed", "{job}");
        let here = &clients[number % 2];
        let there = &clients[(number + 1) % 2];
        let stored = events(here, id).await;
        events_are_complete(&job, &[], &stored);
        assert_eq!(stored, events(there, id).await, "all nodes return the same events");
    }
    let shared = postgres.query("SELECT count(*) FROM pg_stat_activity WHERE datname = 'postgres'");
    let shared: u32 = shared[0].parse().expect("a count");
    assert!(shared <= CONNECTIONS + 1, "{shared} connections: the nodes bypassed the pooler");
}

async fn events(client: &Client, id: &str) -> Vec<Event> {
    client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await
}
