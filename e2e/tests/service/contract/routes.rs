//! The routes of the server are exactly the operations of the contract.

use std::collections::BTreeSet;

use auris_e2e::{Client, DatabaseKind, Server, contract};

pub(super) const METHODS: [&str; 8] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_of_the_contract_is_served() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    for operation in contract().operations() {
        let path = operation.path(well_formed_id);
        let reply = client.call(&operation.method, &path).send().await;
        let unserved = reply.status == 404 && is_route_code(&reply.error().code);
        assert!(!unserved, "{reply}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_other_method_of_a_path_is_not_found() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    for path in paths() {
        let others = METHODS.iter().filter(|method| contract().operation(method, &path).is_none());
        for method in others {
            client.call(method, &path).send().await.expect_error(404, "method_not_allowed");
        }
        head_is_get_without_a_body(&client, &path).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_path_that_is_not_in_the_contract_is_not_found() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    for path in near_misses() {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            client.call(method, &path).send().await.expect_error(404, "unknown_path");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_requires_a_key() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    for operation in contract().operations() {
        let path = operation.path(well_formed_id);
        let anonymous = client.with_key(None);
        let call = anonymous.call(&operation.method, &path);
        call.send().await.expect_error(401, "missing_api_key");
        let wrong = client.with_key(Some("sk-000000000000000000000000000000000000000000000000"));
        let call = wrong.call(&operation.method, &path);
        call.send().await.expect_error(401, "invalid_api_key");
    }
}

async fn head_is_get_without_a_body(client: &Client, path: &str) {
    let reply = client.call("HEAD", path).send().await;
    let wanted = match contract().operation("GET", path) {
        Some(_) => client.get(path).send().await.status,
        None => 404,
    };
    assert_eq!((reply.status, reply.body.len()), (wanted, 0), "HEAD {path}");
}

fn paths() -> BTreeSet<String> {
    let operations = contract().operations().iter();
    operations.map(|operation| operation.path(well_formed_id)).collect()
}

fn near_misses() -> Vec<String> {
    let known = paths();
    let mut near: BTreeSet<String> = known.iter().flat_map(|path| variations(path)).collect();
    near.extend(
        ["/v1", "/v1/", "/v1/audio", "/v1/job", "/v1/keys", "/v1/projects", "/v1/metrics"].map(str::to_owned),
    );
    near.extend(
        ["/v1/chat/completions", "/v1/audio/speech", "/v1/healthz", "/v1/openapi.yaml"].map(str::to_owned),
    );
    let matched = |path: &String| METHODS.iter().any(|method| contract().operation(method, path).is_some());
    near.into_iter().filter(|path| !matched(path)).collect()
}

fn variations(path: &str) -> Vec<String> {
    let shorter = path.rsplit_once('/').map(|(start, _)| start.to_owned());
    let upper = path.replace("/v1/", "").to_uppercase();
    let mut variations = vec![
        format!("{path}/"),
        format!("{path}/more"),
        format!("{path}s"),
        format!("{path}/events/1"),
        format!("/v1//{}", path.trim_start_matches("/v1/")),
        format!("/v1/{upper}"),
        format!("/v1{path}"),
    ];
    variations.extend(shorter);
    variations
}

fn well_formed_id(parameter: &str) -> String {
    let prefix = match parameter {
        "jobId" => "job_",
        "stepId" => "stp_",
        "artifactId" => "art_",
        "endpointId" => "whk_",
        other => panic!("unknown path parameter `{other}`"),
    };
    format!("{prefix}00000000000000000000")
}

pub(super) fn is_route_code(code: &str) -> bool {
    ["unknown_path", "method_not_allowed"].contains(&code)
}
