//! What an operator sees of all projects and nodes.

use auris_domain::request::AllJobsQuery;
use auris_domain::time::Timestamp;
use auris_service::operator::{BlobKind, LoggedError, OperatorError, OverviewSource, RecentErrors};
use auris_store::StepWorker;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::test_node::{MODEL, TestNode, content};
use crate::test_service::{NOW, TestService};

fn source(node: &TestNode) -> OverviewSource {
    OverviewSource {
        node: node.node.clone(),
        data_dir: node.folder.path().to_owned(),
        blobs: BlobKind::Folder,
        errors: RecentErrors::default(),
    }
}

async fn overview(node: &TestNode, source: &OverviewSource) -> Value {
    serde_json::to_value(node.operator.overview(source).await.unwrap()).unwrap()
}

async fn jobs(node: &TestNode, query: &str) -> Value {
    let page = node.operator.list_all_jobs(AllJobsQuery::parse(query).unwrap()).await.unwrap();
    serde_json::from_str(page.as_str()).unwrap()
}

fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_installation_has_its_node_and_its_storage() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    test.advance(3_500);
    let shown = overview(&node, &source(&node)).await;
    let id = node.node.identity.id.as_str();
    assert_eq!(
        (&shown["object"], &shown["role"], &shown["node"]),
        (&json!("overview"), &json!("all"), &json!(id))
    );
    assert_eq!((&shown["started_at"], &shown["uptime_seconds"]), (&json!(NOW.timestamp()), &json!(3)));
    assert_eq!(shown["jobs"], json!({ "queued": 0, "in_progress": 0, "cancelling": 0 }));
    for empty in ["queue", "running", "loaded_models", "last_errors"] {
        assert_eq!(shown[empty], json!([]), "{empty}");
    }
    assert_eq!(shown["blobs"], json!({ "kind": "folder" }));
    assert_eq!((&shown["database"]["kind"], &shown["database"]["ok"]), (&json!("sqlite"), &json!(true)));
    assert!(shown["database"]["bytes"].as_u64().unwrap() > 0);
    let disk = |name: &str| shown["disk"][name].as_u64().unwrap();
    assert!(disk("path_total_bytes") >= disk("path_free_bytes"));
    let node = &shown["nodes"][0];
    assert_eq!(
        (&node["id"], &node["alive"], &node["seen_at"]),
        (&json!(id), &json!(true), &json!(NOW.timestamp()))
    );
    assert!(!node["host"].as_str().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_and_what_runs_is_counted_by_project_and_named_by_node() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    let first = test.queue_job(None).await;
    test.advance(1_000);
    test.queue_job(None).await;
    let id = node.node.identity.id.clone();
    let now = test.clock.now();
    let worker = StepWorker { name: id.as_str(), running: 0, now, lease_until: now.plus_ms(60_000) };
    assert_eq!(test.store.claim_steps(worker, 1).await.unwrap().steps.len(), 1);

    let shown = overview(&node, &source(&node)).await;
    assert_eq!(shown["jobs"], json!({ "queued": 1, "in_progress": 1, "cancelling": 0 }));
    let oldest = now.timestamp();
    assert_eq!(
        shown["queue"],
        json!([{ "project": "test", "queued_steps": 1, "running_steps": 1, "oldest_queued_at": oldest }])
    );
    let running = &shown["running"][0];
    assert_eq!((&running["project"], &running["job_id"]), (&json!("test"), &json!(first)));
    assert_eq!((&running["step"], &running["model"]), (&json!("topics"), &json!("model")));
    assert_eq!((&running["node"], &running["started_at"]), (&json!(id), &json!(oldest)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_errors_are_shown_newest_first() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    let source = source(&node);
    for second in 0..60 {
        let message = format!("failure {second}");
        source.errors.add(LoggedError { at: Timestamp(second), message, target: "here".into() });
    }
    let shown = overview(&node, &source).await;
    assert_eq!(shown["last_errors"].as_array().unwrap().len(), 50);
    assert_eq!(shown["last_errors"][0], json!({ "at": 59, "message": "failure 59", "target": "here" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_stops_is_no_longer_listed_and_a_silent_one_is_not_alive() {
    let test = TestService::new().await;
    let (one, other) = (TestNode::new(&test, &[]).await, TestNode::new(&test, &[]).await);
    test.advance(60_000);
    one.operator.beat(&one.node).await.unwrap();
    let nodes = one.operator.list_nodes().await.unwrap();
    let alive = |node: &TestNode| nodes.iter().find(|found| found.id == node.node.identity.id).unwrap().alive;
    assert_eq!((alive(&one), alive(&other)), (true, false));
    let stop = CancellationToken::new();
    stop.cancel();
    one.operator.clone().run_heartbeat(one.node.clone(), stop).await;
    let nodes = one.operator.list_nodes().await.unwrap();
    assert!(nodes.iter().all(|found| found.id == other.node.identity.id), "{nodes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_node_lists_the_models_that_it_has_installed() {
    let test = TestService::new().await;
    let (one, other) = (TestNode::new(&test, &[]).await, TestNode::new(&test, &[]).await);
    let models = one.folder.path().join("models").join(MODEL);
    std::fs::create_dir_all(&models).unwrap();
    std::fs::write(models.join("net.bin"), content()).unwrap();
    one.operator.beat(&one.node).await.unwrap();
    let nodes = one.operator.list_nodes().await.unwrap();
    let installed = |node: &TestNode| {
        &nodes.iter().find(|found| found.id == node.node.identity.id).unwrap().installed_models
    };
    assert_eq!(installed(&one), &[MODEL]);
    assert!(installed(&other).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_jobs_of_all_projects_are_listed_by_page_and_filter() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    let ended = test.job_ends(None).await;
    test.advance(10_000);
    let queued = test.queue_job(None).await;
    let all = jobs(&node, "").await;
    assert_eq!(ids(&all), [queued.as_str(), ended.as_str()]);
    assert_eq!(
        (&all["object"], &all["has_more"], &all["last_id"]),
        (&json!("list"), &json!(false), &json!(ended))
    );
    let job = &all["data"][0];
    assert_eq!(
        (&job["project"], &job["object"], &job["result"]),
        (&json!("test"), &json!("job"), &Value::Null)
    );
    assert_eq!(job["progress"]["queue_position"], json!(0));

    let page = jobs(&node, "limit=1").await;
    assert_eq!((ids(&page), &page["has_more"]), (vec![queued.as_str()], &json!(true)));
    assert_eq!(ids(&jobs(&node, &format!("after={queued}")).await), [ended.as_str()]);
    assert_eq!(ids(&jobs(&node, "status=cancelled&project=test").await), [ended.as_str()]);
    assert_eq!(ids(&jobs(&node, "status=cancelled").await), [ended.as_str()]);
    assert_eq!(ids(&jobs(&node, "operation=transcription").await), Vec::<&str>::new());
    let second = NOW.timestamp().0 + 10;
    assert_eq!(ids(&jobs(&node, &format!("created_after={second}")).await), [queued.as_str()]);
    assert_eq!(ids(&jobs(&node, &format!("created_before={second}")).await), [ended.as_str()]);
    let unknown = node.operator.list_all_jobs(AllJobsQuery::parse("project=x").unwrap()).await;
    assert!(matches!(unknown, Err(OperatorError::NotFound(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_listed_with_its_licence_and_whether_it_is_loaded() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    let models = serde_json::to_value(source(&node).models(&node.node.library())).unwrap();
    let model = &models[0];
    assert_eq!(
        (&model["id"], &model["license"], &model["loaded"]),
        (&json!("m"), &json!("MIT"), &json!(false))
    );
    assert_eq!((&model["state"], &model["source"]), (&json!("not installed"), &json!("catalogue")));
}
