//! The list of jobs, page by page.

use auris_e2e::requests::{analysis, post_analysis};
use auris_e2e::{Client, DatabaseKind, Server, both_databases};
use serde_json::Value;

both_databases! {
    async fn pages_list_every_job_once_and_the_newest_first(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let mut created = Vec::new();
        for _ in 0..25 {
            created.push(post_analysis(&client, &analysis()).await.expect_status(202).id());
        }
        created.reverse();
        for limit in [1, 7, 24, 25, 26, 100] {
            assert_eq!(walk(&client, limit).await, created, "limit {limit}");
        }
        let first = page(&client, "").await;
        assert_eq!(first["data"].as_array().map(Vec::len), Some(20), "20 by default");
        let unknown = page(&client, "?after=job_zzzzzzzzzzzzzzzzzzzz").await;
        assert_eq!(unknown["data"][0]["id"], created[0].as_str(), "the job of a cursor need not exist");
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
