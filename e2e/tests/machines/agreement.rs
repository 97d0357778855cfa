//! What nodes have to agree on before they work side by side.

use auris_e2e::requests::submit_transcription;
use auris_e2e::settings::{DRAIN_SECONDS, MASTER_KEY, MIGRATE, UNREADY_SECONDS};
use auris_e2e::{DatabaseKind, Server, ServerOptions, eventually};

#[tokio::test]
async fn a_node_with_another_master_key_is_refused_and_told_why() {
    let first = Server::start(DatabaseKind::Postgres).await;
    let mut other = first.unstarted_node();
    other.set(MASTER_KEY, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    other.spawn();
    assert!(!other.listening().await, "it started");
    assert!(other.log().contains("is not the one that the database was set up with"), "{}", other.log());
    let mut without = first.unstarted_node();
    without.unset(MASTER_KEY);
    without.spawn();
    assert!(!without.listening().await, "it started");
    assert!(without.log().contains("AURIS_SECURITY__MASTER_KEY"), "{}", without.log());
    assert!(!without.data().join("master.key").exists(), "no key is made that nobody shares");
}

#[tokio::test]
async fn what_one_node_takes_another_finishes_and_shows() {
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
async fn a_node_that_may_not_migrate_says_how_to() {
    let mut server = ServerOptions::new(DatabaseKind::Postgres).with(MIGRATE, false).prepare();
    server.spawn();
    assert!(!server.listening().await, "it started on an empty database");
    assert!(server.log().contains("auris migrate"), "{}", server.log());
    let told = server.auris(&["migrate", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["schema"], told["known"], "{told}");
    assert_eq!(told["before"], 0, "{told}");
    server.restart().await;
    assert!(server.auris(&["migrate"]).contains("nothing to do"));
}

/// A balancer hears of the end before the door is shut.
#[tokio::test]
async fn a_node_that_leaves_says_so_while_it_still_answers() {
    let options =
        ServerOptions::new(DatabaseKind::Postgres).with(UNREADY_SECONDS, 600).with(DRAIN_SECONDS, 1);
    let mut server = options.start().await;
    let client = server.client();
    client.outside("/readyz", &[]).await.expect_status(200);
    server.signal("TERM");
    eventually("the node to say that it leaves", || async {
        let reply = client.outside("/readyz", &[]).await;
        (reply.status == 503).then(|| assert_eq!(reply.error().code, "shutting_down"))
    })
    .await;
    client.get("/v1/models").send().await.expect_status(200);
    client.outside("/healthz", &[]).await.expect_status(200);
    // A second signal does not wait.
    server.signal("TERM");
    server.exited().await;
}
