//! A rolling restart of all nodes, as in an upgrade, while a client reads an event stream.

use auris_e2e::finished_job::events_are_complete;
use auris_e2e::requests::{post_transcription, transcription_form};
use auris_e2e::settings::{DRAIN_SECONDS, LEASE_SECONDS};
use auris_e2e::{Client, DatabaseKind, Event, Server, ServerOptions, wav};
use tokio::sync::watch;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_stream_loses_and_repeats_nothing_during_a_rolling_restart() {
    let options = ServerOptions::new(DatabaseKind::Postgres).with(DRAIN_SECONDS, 1).with(LEASE_SECONDS, 3);
    let first = options.start().await;
    let client = first.client();
    let mut nodes = vec![first.unstarted_node(), first.unstarted_node()];
    for node in &mut nodes {
        node.restart().await;
    }
    nodes.insert(0, first);
    let (bases, known) = watch::channel(addresses(&nodes));
    let form = transcription_form(&client).await.without("file").file(wav(60_000));
    let form = form.text("async", "true").text("prompt", "fake:delay=150");
    let id = post_transcription(&client, &form).await.expect_status(202).id();
    let reader = tokio::spawn(read_with_reconnects(client.clone(), id.clone(), known));
    for index in 0..nodes.len() {
        nodes[index].terminate().await;
        nodes[index].restart().await;
        bases.send_replace(addresses(&nodes));
    }
    let read = reader.await.expect("the reader reads to the end");
    let client = nodes[0].reconnect(&client);
    let job = nodes[0].finished(&client, &id).await;
    assert_eq!(job["status"], "completed", "{job}");
    events_are_complete(&job, &[], &read);
    for node in &nodes {
        let there = node.reconnect(&client);
        let stored = there.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
        assert_eq!(stored, read, "all nodes return the same events");
    }
}

fn addresses(nodes: &[Server]) -> Vec<String> {
    nodes.iter().map(Server::base).collect()
}

/// Reads from one node after another, each time continuing after the last event.
async fn read_with_reconnects(client: Client, id: String, known: watch::Receiver<Vec<String>>) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for turn in 0.. {
        let bases = known.borrow().clone();
        let call = client.at(&bases[turn % bases.len()]).get(&format!("/v1/jobs/{id}/events"));
        let after = events.last().map_or(0, Event::number);
        let call = call.header("Last-Event-ID", after.to_string());
        // The node is down or stopping.
        let Ok(Ok(mut stream)) = call.open_stream().await else { continue };
        while let Ok(Some(event)) = stream.try_next().await {
            events.push(event);
        }
        let ended = events.last().is_some_and(|event| {
            ["job.completed", "job.failed", "job.cancelled"].contains(&event.kind.as_str())
        });
        if ended {
            break;
        }
    }
    events
}
