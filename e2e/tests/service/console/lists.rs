//! Lists with filters and pages: jobs of one project, and deliveries.

use auris_e2e::requests::submit_transcription;
use auris_e2e::{Client, Console, DatabaseKind, Reply, Server, both_databases};
use serde_json::{Value, json};

const BASE: &str = "/console/v1/projects/default";

fn ids(reply: Reply) -> Vec<String> {
    let list = reply.expect_status(200).json();
    let ids =
        list["data"].as_array().expect("a list").iter().map(|entry| entry["id"].as_str().expect("an id"));
    ids.map(str::to_owned).collect()
}

async fn ended_jobs(server: &Server, client: &Client, count: usize) -> Vec<String> {
    let mut jobs = Vec::new();
    for _ in 0..count {
        let job = submit_transcription(client).await;
        server.finished(client, &job).await;
        jobs.push(job);
    }
    jobs.reverse();
    jobs
}

both_databases! {
    async fn a_project_user_filters_only_their_own_jobs(database: DatabaseKind) {
        let server = Server::start(database).await;
        let (client, other) = (server.client(), server.client_of_new_project("two"));
        let own = ended_jobs(&server, &client, 3).await;
        let foreign = ended_jobs(&server, &other, 1).await;
        let user = Console::user(&server, client.key()).await;
        let list = |query: &str| user.get(&format!("{BASE}/filtered_jobs{query}")).send();
        let all = list("").await.expect_status(200).json();
        assert!(all["data"].as_array().expect("a list").iter().all(|job| job["project"] == "default"), "{all}");
        assert_eq!(ids(list("").await), own);
        assert_eq!(ids(list("?status=completed&operation=transcription&created_after=1").await), own);
        for none in ["?status=failed", "?operation=analysis", "?created_before=1"] {
            assert_eq!(ids(list(none).await), [""; 0], "{none}");
        }
        let first = list("?status=completed&limit=2").await.expect_status(200).json();
        assert_eq!((&first["has_more"], &first["last_id"]), (&json!(true), &json!(own[1])));
        assert_eq!(ids(list(&format!("?status=completed&after={}", own[1])).await), own[2..]);
        // A cursor of another project shows nothing of it.
        assert_eq!(ids(list(&format!("?after={}", foreign[0])).await), own);
        for (query, param) in [("?project=two", "project"), ("?status=lost", "status"), ("?limit=0", "limit")] {
            let refused = list(query).await;
            assert_eq!((refused.status, refused.error().param.as_deref()), (400, Some(param)), "{refused}");
        }
        user.get("/console/v1/projects/two/filtered_jobs").send().await.expect_error(404, "not_found");
        let operator = Console::operator(&server).await;
        assert_eq!(ids(operator.get("/console/v1/projects/two/filtered_jobs").send().await), foreign);
    }

    async fn every_delivery_is_on_a_page(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let endpoint = client.post("/v1/webhook_endpoints").idempotency_key("one");
        endpoint.json(&json!({"url": "https://127.0.0.1:9/hook"})).send().await.expect_status(201);
        let jobs = ended_jobs(&server, &client, 5).await;
        let user = Console::user(&server, client.key()).await;
        let mut found: Vec<Value> = Vec::new();
        let mut after = String::new();
        loop {
            let page = user.get(&format!("{BASE}/deliveries?limit=2{after}")).send().await.expect_status(200).json();
            found.extend(page["data"].as_array().expect("a list").iter().map(|delivery| delivery["job_id"].clone()));
            if page["has_more"] == false {
                break;
            }
            after = format!("&after={}", page["last_id"].as_str().expect("an id"));
        }
        assert_eq!(found, jobs);
        let of_job = ids(user.get(&format!("{BASE}/deliveries?job_id={}", jobs[2])).send().await);
        assert_eq!(of_job.len(), 1);
        let beyond = user.get(&format!("{BASE}/deliveries?job_id={}&after={}", jobs[2], of_job[0])).send().await;
        let beyond = beyond.expect_status(200).json();
        assert_eq!((&beyond["data"], &beyond["last_id"]), (&json!([]), &Value::Null));
        let wrong = user.get(&format!("{BASE}/deliveries?after=dlv_1")).send().await;
        assert_eq!(wrong.expect_error(400, "invalid_cursor").param.as_deref(), Some("after"));
    }
}
