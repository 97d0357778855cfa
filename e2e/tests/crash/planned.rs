//! A server that dies at named places, each of them between two things that belong together.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use auris_e2e::settings::CRASH_AT;
use auris_e2e::{Client, DatabaseKind, Server, both_databases};

use crate::workload::{Workload, everything_ended_well, options, start};

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates");
/// Requests enough that every place is passed.
const REQUESTS: usize = 6;

both_databases! {
    async fn heavy_a_death_at_any_named_place_loses_and_doubles_nothing(database: DatabaseKind) {
        let points = crash_points();
        assert!(points.len() >= 3, "the code names only {points:?}");
        for point in points {
            for pass in [1, 3] {
                dies_and_recovers(database, &format!("{point}:{pass}")).await;
            }
        }
    }
}

async fn dies_and_recovers(database: DatabaseKind, place: &str) {
    eprintln!("dying at {place}");
    let mut server = start(options(database)).await;
    let client = server.client();
    let mut workload = Workload::new(&client).await;
    server.kill();
    server.set(CRASH_AT, place);
    server.spawn();
    let mut accepted = Vec::new();
    if server.listening().await {
        accepted = work_until_death(&server.reconnect(&client), &mut workload).await;
        died_or_idle(&mut server, &client, &accepted, place).await;
    }
    server.kill();
    server.unset(CRASH_AT);
    server.restart().await;
    let client = server.reconnect(&client);
    // What was asked for without an answer is asked for again, as a client would.
    while let Some(reply) = workload.send(&client).await {
        accepted.push(reply.expect_status(202).id());
        if accepted.len() >= REQUESTS {
            break;
        }
    }
    everything_ended_well(&server, &client, &accepted).await;
}

async fn work_until_death(client: &Client, workload: &mut Workload) -> Vec<String> {
    let mut accepted = Vec::new();
    for _ in 0..REQUESTS {
        match workload.send(client).await {
            Some(reply) => accepted.push(reply.expect_status(202).id()),
            None => break,
        }
    }
    accepted
}

// A place that is passed fewer times than planned is no failure: then all jobs end.
async fn died_or_idle(server: &mut Server, client: &Client, accepted: &[String], place: &str) {
    let client = server.reconnect(client);
    let mut looks = tokio::time::interval(std::time::Duration::from_millis(20));
    for _ in 0..1_000 {
        looks.tick().await;
        if !server.is_running() {
            return;
        }
        let mut open = 0;
        for id in accepted {
            match client.get(&format!("/v1/jobs/{id}")).try_send().await {
                Ok(reply) if reply.json()["completed_at"].is_i64() => {}
                _ => open += 1,
            }
        }
        if open == 0 {
            return delete_content(&client, accepted, place).await;
        }
    }
    panic!("neither died at {place} nor ended its jobs");
}

// The places on the way of a deletion are passed only by one.
async fn delete_content(client: &Client, accepted: &[String], place: &str) {
    for id in &accepted[..accepted.len() / 2] {
        if client.delete(&format!("/v1/jobs/{id}/content")).try_send().await.is_err() {
            return;
        }
    }
    eprintln!("{place} was never passed");
}

/// Every `crash_point("…")` of the service and the store.
fn crash_points() -> BTreeSet<String> {
    let mut points = BTreeSet::new();
    for folder in ["service/src", "store/src"] {
        read_folder(&Path::new(CRATES).join(folder), &mut points);
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
