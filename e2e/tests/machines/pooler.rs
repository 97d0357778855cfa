//! Nodes behind a pooler in transaction mode: no prepared statement, no notice and no lock outlives a transaction.

use auris_e2e::audit::events_are_whole;
use auris_e2e::machines::{OwnPooler, OwnPostgres, OwnS3};
use auris_e2e::requests::submit_transcription;
use auris_e2e::settings::POOLER;
use auris_e2e::{Client, DatabaseKind, Event, ServerOptions};

const JOBS: usize = 12;
/// Fewer than the nodes would open by themselves.
const CONNECTIONS: u32 = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_behind_a_pooler_finish_every_job_and_tell_it_alike() {
    let (postgres, s3) = tokio::join!(OwnPostgres::start(), OwnS3::start());
    let pooler = OwnPooler::before(&postgres, CONNECTIONS).await;
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
        let (here, there) = (&clients[number % 2], &clients[(number + 1) % 2]);
        let told = events(here, id).await;
        events_are_whole(&job, &[], &told);
        assert_eq!(told, events(there, id).await, "whichever node tells it");
    }
    let shared = postgres.query("SELECT count(*) FROM pg_stat_activity WHERE datname = 'postgres'");
    let shared: u32 = shared[0].parse().expect("a count");
    assert!(shared <= CONNECTIONS + 1, "{shared} connections: the pooler was gone round");
}

async fn events(client: &Client, id: &str) -> Vec<Event> {
    client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await
}
