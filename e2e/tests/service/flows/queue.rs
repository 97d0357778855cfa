//! The queue: positions in it, and slots for projects that have nothing running.

use auris_e2e::requests::{analysis, post_analysis};
use auris_e2e::settings::JOB_CONCURRENCY;
use auris_e2e::{Client, DatabaseKind, Server, ServerOptions, both_databases, eventually};
use serde_json::{Value, json};

both_databases! {
    async fn the_answer_the_first_event_and_a_read_have_the_same_queue_position(database: DatabaseKind) {
        let server = one_slot(database).await;
        let clients = [server.client(), server.client_of_new_project("other")];
        for client in &clients {
            let running = post_analysis(client, &endless()).await.expect_status(202).id();
            has_status(client, &running, "in_progress").await;
        }
        for position in 0..2 {
            for client in &clients {
                let answer = post_analysis(client, &endless()).await.expect_status(202).json();
                assert_eq!(answer["progress"]["queue_position"], position, "other projects do not count: {answer}");
                let path = format!("/v1/jobs/{}", answer["id"].as_str().unwrap_or_default());
                assert_eq!(client.get(&path).send().await.expect_status(200).json(), answer);
                let first = client.get(&format!("{path}/events")).stream().await.next().await;
                assert_eq!(first.map(|event| event.json()["data"].clone()), Some(answer));
            }
        }
    }

    async fn a_project_that_has_nothing_running_does_not_wait_for_one_that_fills_all_slots(database: DatabaseKind) {
        let server = one_slot(database).await;
        let greedy = server.client();
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(post_analysis(&greedy, &endless()).await.expect_status(202).id());
        }
        has_status(&greedy, &ids[0], "in_progress").await;
        let other = server.client_of_new_project("other");
        for _ in 0..3 {
            let id = post_analysis(&other, &analysis()).await.expect_status(202).id();
            assert_eq!(server.finished(&other, &id).await["status"], "completed");
        }
        for id in &ids[1..] {
            has_status(&greedy, id, "queued").await;
        }
    }
}

/// One slot for steps, and threads for more than one.
async fn one_slot(database: DatabaseKind) -> Server {
    let options = ServerOptions::new(database).with(JOB_CONCURRENCY, 1);
    options.with("AURIS_ENGINES__THREADS", 4).start().await
}

fn endless() -> Value {
    json!({"transcript": {"text": "wait fake:delay=600000 here"}, "processing": {"summary": {}}})
}

async fn has_status(client: &Client, id: &str, status: &str) {
    let path = format!("/v1/jobs/{id}");
    eventually(&format!("the job to be {status}"), || async {
        let job = client.get(&path).send().await.expect_status(200).json();
        (job["status"] == status).then_some(())
    })
    .await;
}
