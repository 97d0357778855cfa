//! The server aborts at named places in the code, each between two actions that belong together.

use std::collections::BTreeSet;
use std::fs;
use std::future::ready;
use std::path::Path;
use std::time::Duration;

use auris_e2e::settings::CRASH_AT;
use auris_e2e::{Client, DatabaseKind, Server, WebhookReceiver, both_databases, repository};
use futures::{StreamExt as _, stream};
use serde_json::Value;

use super::workload::{
    Workload, check_all_jobs, delivering_options, every_transcription_is_delivered, start,
};

/// Requests per run. Together they pass every crash point.
const REQUESTS: usize = 6;
/// The server crashes when it passes the crash point for the first time and, in a second run, for the third time.
const PASSES: [u32; 2] = [1, 3];
/// Attempts are recorded in batches, so that nobody knows whether there is a third one.
const PASSED_AT_LEAST_ONCE: &str = "webhooks.before_record";
/// Runs at once. Each has its own server and database, and mostly waits: for a lease to end, for the next sweep.
const PARALLEL_RUNS: usize = 4;
/// How long the server may take until it has crashed or has nothing left to do.
const RUN_DEADLINE: Duration = Duration::from_secs(90);

both_databases! {
    async fn heavy_a_crash_at_any_crash_point_loses_nothing_and_repeats_nothing(database: DatabaseKind) {
        let points = crash_points();
        assert!(points.len() >= 3, "the code has only {points:?}");
        let places: BTreeSet<String> = points.iter().flat_map(|point| places_of(point)).collect();
        let runs = stream::iter(places.clone()).map(|place| async move {
            let crashed = crashes_and_recovers(database, &place).await;
            (place, crashed)
        });
        let reached = runs.buffer_unordered(PARALLEL_RUNS).filter_map(|(place, crashed)| ready(crashed.then_some(place)));
        let reached: BTreeSet<String> = reached.collect().await;
        eprintln!("reached: {reached:?}");
        let missed: Vec<&String> = places.difference(&reached).collect();
        assert!(missed.is_empty(), "the requests of this test never reach {missed:?}: add one that does");
    }
}

/// Where to crash: at which passes of a crash point.
fn places_of(point: &str) -> impl Iterator<Item = String> {
    let passes = PASSES.into_iter().filter(move |pass| *pass == 1 || point != PASSED_AT_LEAST_ONCE);
    passes.map(move |pass| format!("{point}:{pass}"))
}

/// Whether the server crashed at the place. Checks in any case that everything is right after a restart.
async fn crashes_and_recovers(database: DatabaseKind, place: &str) -> bool {
    eprintln!("crash at {place}");
    let receiver = WebhookReceiver::start(|_, _| 204).await;
    let mut server = start(delivering_options(database)).await;
    let client = server.client();
    let mut workload = Workload::new(&client).await.with_webhook(&receiver.url());
    server.kill();
    server.set(CRASH_AT, place);
    server.spawn();
    let mut accepted = Vec::new();
    let mut crashed = true;
    if server.listening().await {
        accepted = send_until_crash(&server.reconnect(&client), &mut workload).await;
        crashed = crashes_before_idle(&mut server, &client, &accepted).await;
    }
    server.kill();
    server.unset(CRASH_AT);
    server.restart().await;
    let client = server.reconnect(&client);
    // A client repeats a request that was not answered.
    while accepted.len() < REQUESTS
        && let Some(reply) = workload.send(&client).await
    {
        accepted.push(reply.expect_status(202).id());
    }
    check_all_jobs(&server, &client, &accepted).await;
    every_transcription_is_delivered(&server, &client, &receiver).await;
    crashed
}

async fn send_until_crash(client: &Client, workload: &mut Workload) -> Vec<String> {
    let mut accepted = Vec::new();
    for _ in 0..REQUESTS {
        match workload.send(client).await {
            Some(reply) => accepted.push(reply.expect_status(202).id()),
            None => break,
        }
    }
    accepted
}

/// Whether the server crashes before it has nothing left to do.
async fn crashes_before_idle(server: &mut Server, client: &Client, accepted: &[String]) -> bool {
    let client = server.reconnect(client);
    let mut deleted = false;
    let mut checks = tokio::time::interval(Duration::from_millis(50));
    let waiting = async {
        loop {
            checks.tick().await;
            if !server.is_running() {
                return true;
            }
            if !all_finished(&client, accepted).await {
                continue;
            }
            // Some crash points are passed only by a deletion.
            if !deleted {
                delete_content(&client, &accepted[..accepted.len() / 2]).await;
                deleted = true;
                continue;
            }
            if nothing_to_deliver(server) {
                return !server.is_running();
            }
        }
    };
    tokio::time::timeout(RUN_DEADLINE, waiting).await.expect("the server crashes or finishes its work")
}

async fn all_finished(client: &Client, ids: &[String]) -> bool {
    for id in ids {
        match client.get(&format!("/v1/jobs/{id}")).try_send().await {
            Ok(reply) if reply.json()["completed_at"].is_i64() => {}
            _ => return false,
        }
    }
    true
}

async fn delete_content(client: &Client, ids: &[String]) {
    for id in ids {
        // An error means that the server has crashed, which the caller notices.
        let _ = client.delete(&format!("/v1/jobs/{id}/content")).try_send().await;
    }
}

fn nothing_to_deliver(server: &Server) -> bool {
    let pending = server.auris(&["webhooks", "deliveries", "--status", "pending", "--json"]);
    serde_json::from_str::<Vec<Value>>(&pending).expect("a JSON list").is_empty()
}

/// The name of every `crash_point("…")` in the service and the store.
fn crash_points() -> BTreeSet<String> {
    let mut points = BTreeSet::new();
    for folder in ["crates/service/src", "crates/store/src"] {
        read_folder(&repository().join(folder), &mut points);
    }
    points
}

fn read_folder(folder: &Path, points: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of the checkout").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_folder(&path, points);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let code = fs::read_to_string(&path).expect("a source file");
            let named = code.split("crash_point(\"").skip(1);
            points.extend(named.filter_map(|rest| rest.split('"').next()).map(str::to_owned));
        }
    }
}
