//! The event stream: complete, live, and resumed after any event.

use auris_e2e::finished_job::events_are_complete;
use auris_e2e::requests::{post_analysis, post_transcription, transcription_form};
use auris_e2e::{
    Client, DatabaseKind, Event, SeededRandom, Server, both_databases, count_from_environment, wav,
};
use serde_json::json;

both_databases! {
    async fn soak_a_stream_read_with_reconnects_equals_the_stored_stream(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let mut random = SeededRandom::new("reconnects");
        let form = transcription_form(&client).await.without("file").file(wav(60_000));
        let form = form.text("async", "true").text("prompt", "fake:delay=20");
        let id = post_transcription(&client, &form).await.expect_status(202).id();
        // Read while the job runs, and reconnect after random numbers of events.
        let live = read_in_pieces(&client, &id, &mut random).await;
        let stored = read(&client, &id, 0).await;
        assert_eq!(live, stored);
        let job = server.finished(&client, &id).await;
        events_are_complete(&job, &[], &stored);
        for _ in 0..count_from_environment("AURIS_SOAK_RESUMES", 20) {
            assert_eq!(read_in_pieces(&client, &id, &mut random).await, stored);
            let place = random.below(stored.len() + 1);
            assert_eq!(read(&client, &id, place).await, stored[place..]);
        }
    }

    async fn a_stream_survives_a_restart_of_the_server(database: DatabaseKind) {
        let mut server = Server::start(database).await;
        let client = server.client();
        let body = json!({"transcript": {"text": "Anna met Boris."}, "processing": {"summary": {}, "topics": {}}});
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        server.finished(&client, &id).await;
        let before = read(&client, &id, 0).await;
        server.terminate().await;
        server.restart().await;
        let client = server.reconnect(&client);
        assert_eq!(read(&client, &id, 0).await, before);
        assert_eq!(read(&client, &id, 2).await, before[2..]);
    }
}

#[tokio::test]
async fn an_invalid_last_event_id_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let id = post_analysis(&client, &auris_e2e::requests::analysis()).await.expect_status(202).id();
    server.finished(&client, &id).await;
    let length = read(&client, &id, 0).await.len();
    assert_eq!(read(&client, &id, length).await, [], "there is nothing after the last event");
    for place in ["x", "-1", "1.5", "999999", "99999999999999999999999", "evt_1"] {
        let call = client.get(&format!("/v1/jobs/{id}/events")).header("Last-Event-ID", place);
        let error = call.send().await.expect_error(400, "invalid_last_event_id");
        assert_eq!(error.param.as_deref(), Some("Last-Event-ID"));
    }
    let head = client.get(&format!("/v1/jobs/{id}/events")).stream().await.head;
    assert_eq!(head.header("cache-control"), "no-cache, no-transform");
    assert_eq!(head.header("x-accel-buffering"), "no");
}

async fn read(client: &Client, id: &str, after: usize) -> Vec<Event> {
    let call = client.get(&format!("/v1/jobs/{id}/events"));
    call.header("Last-Event-ID", after.to_string()).stream().await.rest().await
}

async fn read_in_pieces(client: &Client, id: &str, random: &mut SeededRandom) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let call = client.get(&format!("/v1/jobs/{id}/events"));
        let call = match events.last() {
            Some(event) => call.header("Last-Event-ID", event.number().to_string()),
            None => call,
        };
        let mut stream = call.stream().await;
        for _ in 0..=random.below(5) {
            match stream.next().await {
                Some(event) => events.push(event),
                None => return events,
            }
        }
    }
}
