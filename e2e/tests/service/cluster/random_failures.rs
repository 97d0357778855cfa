//! Random outages, again and again: every job ends once, is delivered at least once and is charged once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use auris_e2e::finished_job::{events_are_complete, wait_and_check};
use auris_e2e::settings::{ALLOWED_NETWORKS, DELIVER};
use auris_e2e::{Client, SeededRandom, Server, WebhookReceiver, count_from_environment, eventually_within};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::outages::Cluster;
use super::workload::Workload;

const CONCURRENT_REQUESTS: usize = 8;
/// Jobs that are submitted before the next outage.
const JOBS_PER_OUTAGE: usize = 8;
/// The time between two outages, in which some jobs finish and some do not.
const BETWEEN_OUTAGES: Duration = Duration::from_millis(300);
const DEADLINE: Duration = Duration::from_secs(600);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_heavy_three_nodes_lose_nothing_and_repeat_nothing_during_outages() {
    let jobs = count_from_environment("AURIS_SOAK_JOBS", 32);
    let mut random = SeededRandom::new("outages");
    let receiver = WebhookReceiver::start(|_, _| 204).await;
    let settings = [
        (DELIVER, "true".to_owned()),
        (ALLOWED_NETWORKS, "127.0.0.0/8".to_owned()),
        // Warnings about the outages would hide the errors that matter.
        ("AURIS_LOGS__LEVEL", "error".to_owned()),
    ];
    let mut cluster = Cluster::start(&settings).await;
    let client = cluster.nodes[0].client();
    let workload = Workload::new(&client, cluster.addresses(), Some(receiver.url())).await;
    let permits = Arc::new(Semaphore::new(0));
    let sending = tokio::spawn(workload.send_all(jobs, CONCURRENT_REQUESTS, Arc::clone(&permits)));
    while !sending.is_finished() {
        permits.add_permits(JOBS_PER_OUTAGE);
        tokio::time::sleep(BETWEEN_OUTAGES).await;
        cluster.outage(&mut random).await;
    }
    let accepted = sending.await.expect("all were accepted");
    assert_eq!(accepted.len(), jobs);
    let client = cluster.nodes[0].reconnect(&client);
    all_finished(&cluster, jobs).await;
    let mut completed = 0;
    for id in &accepted {
        let job = check_job(&cluster.nodes, &client, id).await;
        completed += usize::from(job["status"] == "completed");
    }
    charged_once(&cluster, jobs);
    all_delivered(&cluster, &receiver).await;
    eprintln!(
        "{jobs} jobs, {completed} completed, the others lost their worker three times; {:?}",
        cluster.outages
    );
    assert!(completed * 10 >= jobs * 8, "most of them complete");
    eprintln!("SOAK faults={} kills={} test=cluster", cluster.outages.faults(), cluster.outages.kills());
}

async fn all_finished(cluster: &Cluster, jobs: usize) {
    let open = "SELECT COUNT(*) FROM jobs WHERE completed_at IS NULL";
    eventually_within(DEADLINE, "every job to end", || async {
        (cluster.postgres.query(open) == ["0"]).then_some(())
    })
    .await;
    assert_eq!(
        cluster.postgres.query("SELECT COUNT(*) FROM jobs"),
        [jobs.to_string()],
        "no job exists twice"
    );
}

/// Checks a job, and that all nodes return the same events.
async fn check_job(nodes: &[Server], client: &Client, id: &str) -> Value {
    let job = wait_and_check(&nodes[0], client, id).await;
    if job["status"] != "completed" {
        assert_eq!(job["error"]["code"], "worker_lost", "{job}");
    }
    let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
    events_are_complete(&job, &[], &events);
    for node in &nodes[1..] {
        let there = node.reconnect(client).get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
        assert_eq!(there, events, "all nodes return the same events");
    }
    job
}

/// Every job with a webhook URL was delivered at least once, always with the same event id and a valid signature.
async fn all_delivered(cluster: &Cluster, receiver: &WebhookReceiver) {
    let wanted = cluster.postgres.query("SELECT id FROM jobs WHERE webhook_url IS NOT NULL");
    assert!(!wanted.is_empty());
    eventually_within(DEADLINE, "every webhook to arrive", || async {
        let delivered: BTreeSet<String> = receiver.received().iter().map(|received| received.job()).collect();
        wanted.iter().all(|job| delivered.contains(job)).then_some(())
    })
    .await;
    let events: BTreeSet<(String, String)> =
        receiver.received().iter().map(|received| (received.job(), received.id.clone())).collect();
    assert_eq!(events.len(), wanted.len(), "one event per job, no matter how often it was sent");
    receiver.check_signatures(&cluster.nodes[0].webhook_secret());
}

/// One ledger entry for each completed step, and no others.
fn charged_once(cluster: &Cluster, jobs: usize) {
    let booked = cluster.postgres.query("SELECT COUNT(*) FROM ledger WHERE step_id IS NOT NULL");
    let steps = "SELECT COUNT(*) FROM steps WHERE status = 'completed'";
    assert_eq!(booked, cluster.postgres.query(steps), "{jobs} jobs");
    let twice = "SELECT step_id FROM ledger WHERE step_id IS NOT NULL GROUP BY step_id HAVING COUNT(*) > 1";
    assert_eq!(cluster.postgres.query(twice), Vec::<String>::new(), "charged twice");
}
