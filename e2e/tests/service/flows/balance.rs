//! Prepaid balances: nobody overspends, and failed work costs nothing.

use auris_e2e::balances::Account;
use auris_e2e::requests::{analysis, post_analysis, post_transcription, transcription_form};
use auris_e2e::settings::{CONCURRENT_CALLS, CONCURRENT_TRANSCRIPTIONS, LEASE_SECONDS, SWEEP_SECONDS};
use auris_e2e::ten_billionths;
use auris_e2e::{Client, DatabaseKind, Reply, Server, ServerOptions, both_databases, eventually, wav};
use futures::future::join_all;
use serde_json::json;

/// The price of one second of the fake speech model.
const SECOND: &str = "0.0001";

fn options(database: DatabaseKind) -> ServerOptions {
    let options = ServerOptions::new(database).with(CONCURRENT_TRANSCRIPTIONS, 0).with(CONCURRENT_CALLS, 500);
    options.with(LEASE_SECONDS, 3).with(SWEEP_SECONDS, 1)
}

/// The cost of the smallest analysis: 0.000002 dollars per character.
fn analysis_cost() -> i128 {
    let text = analysis()["transcript"]["text"].as_str().expect("a text").chars().count();
    text as i128 * ten_billionths("0.000002")
}

fn dollars(ten_billionths: i128) -> String {
    format!("{}.{:010}", ten_billionths / 10_000_000_000, ten_billionths % 10_000_000_000)
}

both_databases! {
    async fn of_two_hundred_concurrent_requests_only_the_fifty_affordable_ones_run(database: DatabaseKind) {
        let server = options(database).start().await;
        let mut nodes = Vec::new();
        if database == DatabaseKind::Postgres {
            nodes.extend([server.node().await, server.node().await]);
        }
        let calls = clients_of(&server, &nodes, "calls", 50 * ten_billionths(SECOND)).await;
        let form = transcription_form(&calls[0]).await;
        let replies = join_all((0..200).map(|number| post_transcription(&calls[number % calls.len()], &form))).await;
        fifty_were_served(replies, 200);
        let account = Account::of(&server, "calls");
        assert_eq!(account, Account { balance: 0, held: 0, cost: 50 * ten_billionths(SECOND), requests: 50 });

        let jobs = clients_of(&server, &nodes, "jobs", 50 * analysis_cost()).await;
        let body = analysis();
        let replies = join_all((0..200).map(|number| post_analysis(&jobs[number % jobs.len()], &body))).await;
        for id in fifty_were_served(replies, 202) {
            assert_eq!(server.finished(&jobs[0], &id).await["status"], "completed");
        }
        let account = Account::of(&server, "jobs");
        assert_eq!(account, Account { balance: 0, held: 0, cost: 50 * analysis_cost(), requests: 50 });
    }

    async fn the_hold_of_failed_or_cancelled_work_is_released_at_once(database: DatabaseKind) {
        let server = options(database).start().await;
        server.auris(&["projects", "credit", "default", SECOND]);
        let client = server.client();
        let form = transcription_form(&client).await;
        for _ in 0..3 {
            let failing = form.clone().text("prompt", "fake:fail");
            post_transcription(&client, &failing).await.expect_error(503, "backend_unavailable");
            let text = form.clone().text("prompt", "fake:fail").text("stream", "true");
            post_transcription(&client, &text).await.expect_error(503, "backend_unavailable");
        }
        let job = form.clone().text("async", "true");
        let failing = job.clone().text("prompt", "fake:fail");
        let failed = post_transcription(&client, &failing).await.expect_status(202).id();
        assert_eq!(server.finished(&client, &failed).await["status"], "failed");
        let slow = job.clone().text("prompt", "fake:delay=60000");
        let slow = post_transcription(&client, &slow).await.expect_status(202).id();
        post_transcription(&client, &form).await.expect_error(403, "insufficient_balance");
        client.post(&format!("/v1/jobs/{slow}/cancel")).send().await.expect_status(200);
        assert_eq!(server.finished(&client, &slow).await["status"], "cancelled");
        assert_eq!(Account::of(&server, "default").cost, 0);
        let streamed = form.clone().text("stream", "true");
        client.post("/v1/audio/transcriptions").form(&streamed).stream().await.rest().await;
        let spent = Account { balance: 0, held: 0, cost: ten_billionths(SECOND), requests: 1 };
        assert_eq!(Account::of(&server, "default"), spent);
        let refused = post_transcription(&client, &form).await.expect_error(403, "insufficient_balance");
        assert_eq!(refused.kind, "insufficient_balance_error");
        assert!(refused.message.contains("0.0001 USD"), "{}", refused.message);
    }

    async fn a_call_whose_process_died_holds_nothing_for_ever(database: DatabaseKind) {
        let mut server = options(database).start().await;
        server.auris(&["projects", "credit", "default", SECOND]);
        let client = server.client();
        let form = transcription_form(&client).await;
        let slow = form.clone().text("prompt", "fake:delay=60000");
        let call = client.post("/v1/audio/transcriptions").form(&slow);
        let hold = async { eventually("a hold", || async { (Account::of(&server, "default").held > 0).then_some(()) }).await };
        tokio::select! {
            answer = call.try_send() => panic!("{answer:?}"),
            () = hold => {}
        }
        server.kill();
        server.restart().await;
        let client = server.reconnect(&client);
        let deadline = std::time::Duration::from_secs(60);
        auris_e2e::eventually_within(deadline, "the hold to be released", || async {
            (post_transcription(&client, &form).await.status == 200).then_some(())
        })
        .await;
        assert_eq!(Account::of(&server, "default").cost, ten_billionths(SECOND));
    }

    async fn a_replayed_request_is_charged_once(database: DatabaseKind) {
        let server = options(database).start().await;
        server.auris(&["projects", "credit", "default", "1"]);
        let client = server.client();
        let form = transcription_form(&client).await;
        for _ in 0..3 {
            let call = client.post("/v1/audio/transcriptions").form(&form);
            call.idempotency_key("call").send().await.expect_status(200);
        }
        let mut ids = Vec::new();
        for _ in 0..3 {
            let call = client.post("/v1/audio/analyses").json(&analysis());
            ids.push(call.idempotency_key("job").send().await.expect_status(202).id());
        }
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        server.finished(&client, &ids[0]).await;
        let cost = ten_billionths(SECOND) + analysis_cost();
        let paid = Account { balance: ten_billionths("1") - cost, held: 0, cost, requests: 2 };
        assert_eq!(Account::of(&server, "default"), paid);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cost_limit_of_a_request_is_checked_before_the_balance() {
    let server = options(DatabaseKind::Sqlite).start().await;
    server.auris(&["projects", "credit", "default", "0"]);
    let client = server.client();
    let mut body = analysis();
    body["processing"]["max_cost_usd"] = json!("0.0000000001");
    post_analysis(&client, &body).await.expect_error(400, "max_cost_too_low");
    body["processing"]["max_cost_usd"] = json!("1");
    post_analysis(&client, &body).await.expect_error(403, "insufficient_balance");
    let premium = transcription_form(&client).await.with("model", "fake-premium");
    post_transcription(&client, &premium).await.expect_error(403, "plan_required");
    server.auris(&["projects", "credit", "default", "--unlimited"]);
    post_analysis(&client, &body).await.expect_status(202);
    let long = transcription_form(&client).await.without("file").file(wav(3_000));
    post_transcription(&client, &long).await.expect_status(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_key_is_refused_by_every_node_within_five_seconds() {
    let server = options(DatabaseKind::Postgres).start().await;
    let nodes = [server.node().await, server.node().await];
    let client = server.client_with(&["--name", "short-lived"]);
    let on_every_node: Vec<Client> =
        std::iter::once(&server).chain(&nodes).map(|node| node.reconnect(&client)).collect();
    for client in &on_every_node {
        client.get("/v1/models").send().await.expect_status(200);
    }
    let keys = auris_e2e::balances::command_json(&server, &["keys", "list", "--json"]);
    let key = keys
        .as_array()
        .into_iter()
        .flatten()
        .find(|key| key["name"] == "short-lived")
        .expect("the new key is listed")
        .clone();
    server.auris(&["keys", "revoke", key["id"].as_str().expect("an id")]);
    for client in &on_every_node {
        let deadline = std::time::Duration::from_secs(5);
        auris_e2e::eventually_within(deadline, "the key to be refused", || async {
            (client.get("/v1/models").send().await.status == 401).then_some(())
        })
        .await;
    }
}

/// Creates a project with this balance and returns a client of it for every node.
async fn clients_of(server: &Server, nodes: &[Server], project: &str, balance: i128) -> Vec<Client> {
    server.auris(&["projects", "create", project, "--credit", &dollars(balance)]);
    let client = server.client_with(&["--project", project]);
    std::iter::once(server).chain(nodes).map(|node| node.reconnect(&client)).collect()
}

/// Checks that 50 were served and returns the ids of their jobs, if they created jobs.
fn fifty_were_served(replies: Vec<Reply>, status: u16) -> Vec<String> {
    let (served, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == status);
    assert_eq!(served.len(), 50);
    for reply in refused {
        reply.expect_error(403, "insufficient_balance");
    }
    served.iter().filter(|_| status == 202).map(Reply::id).collect()
}
