//! The routes of the console are exactly the operations of its document, and each needs a sign-in.

use std::collections::BTreeSet;

use auris_e2e::{Console, DatabaseKind, Operation, Server, console_contract};

use super::routes::{METHODS, is_route_code};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_of_the_console_is_served() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let operator = Console::operator(&server).await;
    let (ending, others): (Vec<_>, Vec<_>) = operations().partition(|operation| ends_the_session(operation));
    for operation in others.into_iter().chain(ending) {
        let path = operation.path(console_value);
        let reply = operator.call(&operation.method, &path).send().await;
        let unserved = reply.status == 404 && is_route_code(&reply.error().code);
        assert!(!unserved, "{reply}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_other_method_of_a_path_of_the_console_is_not_found() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let operator = Console::operator(&server).await;
    for path in paths() {
        let others = METHODS.iter().filter(|method| console_contract().operation(method, &path).is_none());
        for method in others {
            operator.call(method, &path).send().await.expect_error(404, "method_not_allowed");
        }
        let head = operator.call("HEAD", &path).send().await;
        let wanted = match console_contract().operation("GET", &path) {
            Some(_) => operator.get(&path).send().await.status,
            None => 404,
        };
        assert_eq!((head.status, head.body.len()), (wanted, 0), "HEAD {path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_path_of_the_console_that_is_not_documented_is_not_found() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let operator = Console::operator(&server).await;
    let known = paths();
    let mut near: BTreeSet<String> = known.iter().flat_map(|path| variations(path)).collect();
    near.extend(
        ["/console", "/console/v1", "/console/v2/session", "/operator", "/operator/v1"].map(str::to_owned),
    );
    let is_documented =
        |path: &str| METHODS.iter().any(|method| console_contract().operation(method, path).is_some());
    near.retain(|path| !is_documented(path));
    assert!(near.len() > 100, "only {} paths", near.len());
    for path in near {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            operator.call(method, &path).send().await.expect_error(404, "unknown_path");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_of_the_console_needs_a_sign_in_and_a_change_its_header() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let operator = Console::operator(&server).await;
    let stranger = Console::stranger(&server);
    let ended = "auris_session=cs-000000000000000000000000000000000000000000000000";
    for operation in operations() {
        let path = operation.path(console_value);
        let method = operation.method.as_str();
        if method != "GET" {
            let bare = operator.bare_call(method, &path).send().await;
            bare.expect_error(403, "missing_console_header");
        }
        // Only signing in needs no session.
        if operation.definition["security"].is_null() {
            stranger.call(method, &path).send().await.expect_error(401, "missing_session");
            let late = stranger.call(method, &path).header("Cookie", ended).send().await;
            late.expect_error(401, "expired_session");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_project_user_gets_nothing_of_operators_or_of_another_project() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let user = Console::user(&server, server.client_of_new_project("two").key()).await;
    for operation in operations() {
        let path = operation.path(console_value);
        let call = user.call(&operation.method, &path);
        if path.starts_with("/operator/") {
            call.send().await.expect_error(403, "operator_only");
        } else if path.starts_with("/console/v1/projects/default/") {
            call.send().await.expect_error(404, "not_found");
        }
    }
}

fn operations() -> impl Iterator<Item = &'static Operation> {
    console_contract().operations().iter()
}

fn ends_the_session(operation: &Operation) -> bool {
    operation.method == "DELETE" && operation.template == "/console/v1/session"
}

fn paths() -> BTreeSet<String> {
    operations().map(|operation| operation.path(console_value)).collect()
}

fn variations(path: &str) -> Vec<String> {
    let (prefix, rest) = path.split_at(path.find("v1/").unwrap_or_default());
    let shorter = path.rsplit_once('/').map(|(start, _)| start.to_owned());
    let mut variations = vec![
        format!("{path}/"),
        format!("{path}/more"),
        format!("{path}s"),
        format!("{path}/events/1"),
        format!("{prefix}{}", rest.replacen('/', "//", 1)),
        format!("{prefix}{}", rest.to_uppercase()),
        path.replacen("/console/", "/operator/", 1),
    ];
    variations.extend(shorter);
    variations
}

/// The default project, and well-formed ids that nothing has.
pub(crate) fn console_value(parameter: &str) -> String {
    let prefix = match parameter {
        "project" => return "default".to_owned(),
        "modelId" => return "no-such-model".to_owned(),
        "jobId" => "job_",
        "stepId" => "stp_",
        "artifactId" => "art_",
        "endpointId" => "whk_",
        "deliveryId" => "dlv_",
        "keyId" => "key_",
        "operatorKeyId" => "opk_",
        "sessionId" => "ses_",
        "taskId" => "mtk_",
        other => panic!("unknown path parameter `{other}`"),
    };
    format!("{prefix}00000000000000000000")
}
