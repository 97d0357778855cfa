//! Idempotency keys: a request that is sent twice is run once.

use auris_e2e::requests::{analysis, model_for, submit_transcription, transcription_form};
use auris_e2e::{Client, DatabaseKind, Reply, Server, both_databases, eventually};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

const CALLERS: usize = 1_000;

both_databases! {
    async fn heavy_a_thousand_identical_requests_create_one_job(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let body = analysis();
        let replies = join_all((0..CALLERS).map(|_| send(&client, "one", &body))).await;
        let accepted: Vec<&Reply> = replies.iter().filter(|reply| reply.status == 202).collect();
        assert!(!accepted.is_empty());
        assert!(accepted.iter().all(|reply| reply.id() == accepted[0].id()), "all get the same job");
        for reply in replies.iter().filter(|reply| reply.status != 202) {
            assert_eq!(reply.status, 409, "{reply}");
            assert_eq!(reply.error().code, "idempotency_key_in_use", "{reply}");
        }
        let fresh = accepted.iter().filter(|reply| reply.header("idempotent-replayed") != "true");
        assert_eq!(fresh.count(), 1, "one answer is the original, all others are replays");
        assert_eq!(jobs(&client).await.len(), 1);
    }

    async fn a_key_cannot_be_used_for_another_request(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let first = send(&client, "mine", &analysis()).await.expect_status(202);
        let again = send(&client, "mine", &analysis()).await.expect_status(202);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.json(), first.json());
        let mut other = analysis();
        other["metadata"] = json!({"another": "request"});
        let reply = send(&client, "mine", &other).await;
        assert_eq!(reply.header("x-should-retry"), "false");
        reply.expect_error(409, "idempotency_key_reused");
        let stranger = server.client_of_new_project("other");
        send(&stranger, "mine", &other).await.expect_status(202);
        assert_eq!(jobs(&client).await.len(), 1);
    }

    async fn the_key_of_a_refused_request_can_be_used_again(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        send(&client, "again", &json!({"processing": {}})).await.expect_status(400);
        let reply = send(&client, "again", &analysis()).await.expect_status(202);
        assert_eq!(reply.header("idempotent-replayed"), "");
    }

    async fn an_upload_is_recognized_by_its_bytes(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let form = transcription_form(&client).await.text("async", "true");
        let path = "/v1/audio/transcriptions";
        let first = client.post(path).idempotency_key("up").form(&form).send().await.expect_status(202);
        let again = client.post(path).idempotency_key("up").form(&form).send().await.expect_status(202);
        assert_eq!(first.id(), again.id());
        let other = form.clone().without("file").file(auris_e2e::wav(500));
        let reply = client.post(path).idempotency_key("up").form(&other).send().await;
        reply.expect_error(409, "idempotency_key_reused");
        let once = form.without("async");
        let first = client.post(path).idempotency_key("now").form(&once).send().await.expect_status(200);
        let again = client.post(path).idempotency_key("now").form(&once).send().await.expect_status(200);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(first.body, again.body);
    }

    async fn a_held_analysis_is_running_until_it_is_answered(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let body = held_analysis(60_000);
        let first = start(&client, "held", &body);
        let job = eventually("the job", || first_job(&client)).await;
        let meanwhile = send(&client, "held", &body).await;
        assert_eq!(meanwhile.header("retry-after"), "1", "{meanwhile}");
        meanwhile.expect_error(409, "idempotency_key_in_use");
        send(&client, "held", &analysis()).await.expect_error(409, "idempotency_key_reused");
        client.post(&format!("/v1/jobs/{job}/cancel")).send().await.expect_status(200);
        let first = first.await.expect("the request ends").expect_status(202);
        assert_eq!((first.id(), &first.json()["status"]), (job, &json!("cancelled")));
        let again = send(&client, "held", &body).await.expect_status(202);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.json(), first.json());
        assert_eq!(jobs(&client).await.len(), 1);
    }

    async fn a_held_analysis_whose_connection_broke_is_answered_to_the_next_request(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let body = held_analysis(1_500);
        let first = start(&client, "held", &body);
        let job = eventually("the job", || first_job(&client)).await;
        first.abort();
        let again = eventually("the key to be free", || async {
            Some(send(&client, "held", &body).await).filter(|reply| reply.status != 409)
        })
        .await
        .expect_status(202);
        assert_eq!((again.id(), &again.json()["status"]), (job, &json!("completed")), "it waits for the same job");
        let replay = send(&client, "held", &body).await.expect_status(202);
        assert_eq!(replay.json(), again.json());
        assert_eq!(jobs(&client).await.len(), 1);
    }

    async fn a_key_with_spaces_and_a_spelled_out_default_are_the_same_request(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let first = send(&client, "order 47, part 1", &analysis()).await.expect_status(202);
        let mut spelled_out = analysis();
        spelled_out["async"] = json!(true);
        spelled_out["processing"]["failure_policy"] = json!("fail_fast");
        spelled_out["processing"]["summary"]["type"] = json!("brief");
        let again = send(&client, "order 47, part 1", &spelled_out).await.expect_status(202);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.json(), first.json());
    }

    async fn the_default_source_of_an_earlier_job_can_be_spelled_out(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let job = submit_transcription(&client).await;
        server.finished(&client, &job).await;
        let task = json!({"id": "notes", "model": model_for(&client, "task").await, "instructions": "List."});
        let mut body = json!({"job_id": job, "processing": {"tasks": [task]}});
        let first = send(&client, "defaults", &body).await.expect_status(202);
        body["processing"]["tasks"][0]["sources"] = json!(["#/transcript/text"]);
        let again = send(&client, "defaults", &body).await.expect_status(202);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.json(), first.json());
        body["processing"]["tasks"][0]["sources"] = json!(["#/transcript/utterances"]);
        send(&client, "defaults", &body).await.expect_error(409, "idempotency_key_reused");
    }

    async fn a_key_is_still_known_after_a_restart(database: DatabaseKind) {
        let mut server = Server::start(database).await;
        let client = server.client();
        let first = send(&client, "kept", &analysis()).await.expect_status(202);
        server.kill();
        server.restart().await;
        let client = server.reconnect(&client);
        let again = send(&client, "kept", &analysis()).await.expect_status(202);
        assert_eq!(again.json(), first.json());
    }
}

async fn send(client: &Client, key: &str, body: &Value) -> Reply {
    let call = client.post("/v1/audio/analyses").idempotency_key(key);
    call.json(body).send().await
}

/// An analysis that answers when its job has ended, which takes this long.
fn held_analysis(milliseconds: u32) -> Value {
    let text = format!("Anna met Boris. fake:delay={milliseconds}");
    json!({"transcript": {"text": text}, "processing": {"summary": {}}, "async": false})
}

/// Sends a request in the background. Aborting it closes the connection.
fn start(client: &Client, key: &'static str, body: &Value) -> JoinHandle<Reply> {
    let client = client.clone();
    let body = body.clone();
    tokio::spawn(async move { send(&client, key, &body).await })
}

async fn first_job(client: &Client) -> Option<String> {
    let jobs = jobs(client).await;
    jobs.first().and_then(|job| job["id"].as_str()).map(str::to_owned)
}

async fn jobs(client: &Client) -> Vec<Value> {
    let list = client.get("/v1/jobs?limit=100").send().await.expect_status(200).json();
    list["data"].as_array().cloned().unwrap_or_default()
}
