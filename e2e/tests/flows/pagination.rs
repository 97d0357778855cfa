//! The list of jobs, page by page.

use auris_e2e::requests::{analysis, post_analysis};
use auris_e2e::{Client, DatabaseKind, Server, both_databases};
use serde_json::Value;

both_databases! {
    async fn pages_show_every_job_once_newest_first(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let mut made = Vec::new();
        for _ in 0..25 {
            made.push(post_analysis(&client, &analysis()).await.expect_status(202).id());
        }
        made.reverse();
        for limit in [1, 7, 24, 25, 26, 100] {
            assert_eq!(walk(&client, limit).await, made, "limit {limit}");
        }
        let first = page(&client, "").await;
        assert_eq!(first["data"].as_array().map(Vec::len), Some(20), "20 by default");
        let gone = page(&client, "?after=job_zzzzzzzzzzzzzzzzzzzz").await;
        assert_eq!(gone["data"][0]["id"], made[0].as_str(), "the cursor needs no such job");
        let end = page(&client, "?after=job_00000000000000000000").await;
        assert_eq!(end["data"].as_array().map(Vec::len), Some(0));
        assert_eq!((&end["has_more"], &end["last_id"]), (&Value::Bool(false), &Value::Null));
    }
}

#[tokio::test]
async fn a_parameter_given_twice_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let reply = server.client().get("/v1/jobs?limit=3&limit=4").send().await;
    assert_eq!(reply.status, 400, "{reply}");
    assert_eq!(reply.error().param.as_deref(), Some("limit"));
}

async fn walk(client: &Client, limit: usize) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut query = format!("?limit={limit}");
    loop {
        let page = page(client, &query).await;
        let jobs = page["data"].as_array().expect("a list");
        assert!(jobs.len() <= limit);
        ids.extend(jobs.iter().filter_map(|job| job["id"].as_str().map(str::to_owned)));
        assert_eq!(page["last_id"].as_str(), ids.last().map(String::as_str));
        if page["has_more"] == false {
            return ids;
        }
        query = format!("?limit={limit}&after={}", page["last_id"].as_str().expect("a cursor"));
    }
}

async fn page(client: &Client, query: &str) -> Value {
    client.get(&format!("/v1/jobs{query}")).send().await.expect_status(200).json()
}
