//! Values that all nodes of a cluster must share.

use auris_e2e::requests::submit_transcription;
use auris_e2e::settings::{DRAIN_SECONDS, MASTER_KEY, MIGRATE, UNREADY_SECONDS};
use auris_e2e::{DatabaseKind, Server, ServerOptions, eventually};

#[tokio::test]
async fn a_node_with_another_master_key_stops_with_an_explanation() {
    let first = Server::start(DatabaseKind::Postgres).await;
    let mut other = first.unstarted_node();
    other.set(MASTER_KEY, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    other.spawn();
    assert!(!other.listening().await, "the server started");
    assert!(
        other.log().contains("differs from the one that the database was set up with"),
        "{}",
        other.log()
    );
    let mut without = first.unstarted_node();
    without.unset(MASTER_KEY);
    without.spawn();
    assert!(!without.listening().await, "the server started");
    assert!(without.log().contains("AURIS_SECURITY__MASTER_KEY"), "{}", without.log());
    assert!(
        !without.data().join("master.key").exists(),
        "no key is created that the other nodes do not have"
    );
}

#[tokio::test]
async fn a_job_of_one_node_is_visible_on_another() {
    let first = Server::start(DatabaseKind::Postgres).await;
    let mut second = first.unstarted_node();
    second.restart().await;
    let client = first.client();
    let id = submit_transcription(&client).await;
    let there = second.reconnect(&client);
    let job = second.finished(&there, &id).await;
    assert_eq!(job["status"], "completed", "{job}");
    let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
    assert_eq!(there.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await, events);
}

#[tokio::test]
async fn a_node_that_may_not_migrate_names_the_command() {
    let mut server = ServerOptions::new(DatabaseKind::Postgres).with(MIGRATE, false).prepare();
    server.spawn();
    assert!(!server.listening().await, "the server started on an empty database");
    assert!(server.log().contains("auris migrate"), "{}", server.log());
    let output = server.auris(&["migrate", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(report["schema"], report["known"], "{report}");
    assert_eq!(report["before"], 0, "{report}");
    server.restart().await;
    assert!(server.auris(&["migrate"]).contains("is up to date"));
}

/// A load balancer sees that the node is not ready before the node stops accepting requests.
#[tokio::test]
async fn a_stopping_node_reports_that_it_is_not_ready_and_still_answers() {
    let options =
        ServerOptions::new(DatabaseKind::Postgres).with(UNREADY_SECONDS, 600).with(DRAIN_SECONDS, 1);
    let mut server = options.start().await;
    let client = server.client();
    client.get_outside_api("/readyz", &[]).await.expect_status(200);
    server.signal("TERM");
    eventually("the node to report that it is stopping", || async {
        let reply = client.get_outside_api("/readyz", &[]).await;
        (reply.status == 503).then(|| assert_eq!(reply.error().code, "shutting_down"))
    })
    .await;
    client.get("/v1/models").send().await.expect_status(200);
    client.get_outside_api("/healthz", &[]).await.expect_status(200);
    // A second signal ends the node without waiting.
    server.signal("TERM");
    server.exited().await;
}
