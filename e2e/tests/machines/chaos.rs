//! Everything goes wrong at random, again and again: every job ends once, is told once and is charged once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use auris_e2e::audit::{audited, events_are_whole};
use auris_e2e::settings::{ALLOWED_NETWORKS, DELIVER};
use auris_e2e::{Client, Dice, Receiver, Server, count_from_environment, eventually_within};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::disasters::Machines;
use crate::workload::Workload;

const AT_ONCE: usize = 8;
/// So many are let in before the next thing goes wrong.
const JOBS_A_DISASTER: usize = 8;
/// Between two disasters, so that some of it is done too and some is not.
const PEACE: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(600);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_heavy_three_nodes_lose_and_double_nothing_whatever_is_killed() {
    let jobs = count_from_environment("AURIS_SOAK_JOBS", 32);
    let mut dice = Dice::new("disasters");
    let receiver = Receiver::start(|_, _| 204).await;
    let settings = [
        (DELIVER, "true".to_owned()),
        (ALLOWED_NETWORKS, "127.0.0.0/8".to_owned()),
        // What is away is told a thousand times; what is wrong must stand out.
        ("AURIS_LOGS__LEVEL", "error".to_owned()),
    ];
    let mut machines = Machines::start(&settings).await;
    let client = machines.nodes[0].client();
    let workload = Workload::new(&client, machines.addresses(), Some(receiver.url())).await;
    let leave = Arc::new(Semaphore::new(0));
    let sending = tokio::spawn(workload.send_all(jobs, AT_ONCE, Arc::clone(&leave)));
    while !sending.is_finished() {
        leave.add_permits(JOBS_A_DISASTER);
        tokio::time::sleep(PEACE).await;
        machines.disaster(&mut dice).await;
    }
    let accepted = sending.await.expect("all were accepted");
    assert_eq!(accepted.len(), jobs);
    let client = machines.nodes[0].reconnect(&client);
    all_ended(&machines, jobs).await;
    let mut completed = 0;
    for id in &accepted {
        let job = ended_well(&machines.nodes, &client, id).await;
        completed += usize::from(job["status"] == "completed");
    }
    charged_once(&machines, jobs);
    all_told(&machines, &receiver).await;
    eprintln!(
        "{jobs} jobs, {completed} completed, the others lost their worker three times; {:?}",
        machines.told
    );
    assert!(completed * 10 >= jobs * 8, "most of them complete");
}

async fn all_ended(machines: &Machines, jobs: usize) {
    let open = "SELECT COUNT(*) FROM jobs WHERE completed_at IS NULL";
    eventually_within(LONG, "every job to end", || async {
        (machines.postgres.query(open) == ["0"]).then_some(())
    })
    .await;
    assert_eq!(machines.postgres.query("SELECT COUNT(*) FROM jobs"), [jobs.to_string()], "none is doubled");
}

/// Sound in itself, and told alike by every node.
async fn ended_well(nodes: &[Server], client: &Client, id: &str) -> Value {
    let job = audited(&nodes[0], client, id).await;
    if job["status"] != "completed" {
        assert_eq!(job["error"]["code"], "worker_lost", "{job}");
    }
    let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
    events_are_whole(&job, &[], &events);
    for node in &nodes[1..] {
        let there = node.reconnect(client).get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
        assert_eq!(there, events, "whichever node tells it");
    }
    job
}

/// Every job with an address was told of there, as often as it takes, always as the same event.
async fn all_told(machines: &Machines, receiver: &Receiver) {
    let wanted = machines.postgres.query("SELECT id FROM jobs WHERE webhook_url IS NOT NULL");
    assert!(!wanted.is_empty());
    eventually_within(LONG, "every webhook to arrive", || async {
        let told: BTreeSet<String> = receiver.received().iter().map(|received| received.job()).collect();
        wanted.iter().all(|job| told.contains(job)).then_some(())
    })
    .await;
    let events: BTreeSet<(String, String)> =
        receiver.received().iter().map(|received| (received.job(), received.id.clone())).collect();
    assert_eq!(events.len(), wanted.len(), "one event a job, however often it was sent");
}

/// One booking for each step that was completed, and none for anything else.
fn charged_once(machines: &Machines, jobs: usize) {
    let booked = machines.postgres.query("SELECT COUNT(*) FROM ledger WHERE step_id IS NOT NULL");
    let steps = "SELECT COUNT(*) FROM steps WHERE status = 'completed'";
    assert_eq!(booked, machines.postgres.query(steps), "{jobs} jobs");
    let twice = "SELECT step_id FROM ledger WHERE step_id IS NOT NULL GROUP BY step_id HAVING COUNT(*) > 1";
    assert_eq!(machines.postgres.query(twice), Vec::<String>::new(), "charged twice");
}
