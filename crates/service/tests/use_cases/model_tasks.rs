//! Tasks for the models of a node: what they do, how they end, and which node does them.

use std::fs;

use auris_domain::id::{ModelTaskId, NodeId};
use auris_domain::model_task::{ModelAction, TaskStatus};
use auris_domain::node::ALIVE_MS;
use auris_service::operator::OperatorError;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::test_node::{BYTES, MODEL, TestNode, content};
use crate::test_service::{NOW, TestService};

/// Serves the file a little at a time: it takes ten minutes, longer than any test waits.
async fn slow_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        let _ = connection.read(&mut request).await.unwrap();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {BYTES}\r\n\r\n");
        connection.write_all(head.as_bytes()).await.unwrap();
        for piece in content().chunks(100) {
            if connection.write_all(piece).await.is_err() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    });
    format!("url:http://{address}/net.bin")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_pulled_verified_and_removed() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    node.fill_mirror();
    let running = node.start();

    let pulled = node.run(ModelAction::Pull).await;
    assert_eq!((pulled.status, &pulled.error), (TaskStatus::Completed, &None));
    assert_eq!((pulled.progress.done_bytes, pulled.progress.total_bytes), (BYTES as u64, BYTES as u64));
    assert_eq!(pulled.progress.file.as_deref(), Some("m/net.bin"));
    assert_eq!(pulled.ended_at, Some(NOW.timestamp()));
    let file = node.folder.path().join("models/m/net.bin");
    assert_eq!(fs::read(&file).unwrap(), content());

    let verified = node.run(ModelAction::Verify).await;
    assert_eq!((verified.status, verified.progress.done_bytes), (TaskStatus::Completed, BYTES as u64));
    fs::write(&file, vec![0; BYTES]).unwrap();
    let damaged = node.run(ModelAction::Verify).await;
    assert_eq!(damaged.status, TaskStatus::Failed);
    let error = damaged.error.unwrap();
    assert!(error.contains("net.bin") && error.contains("pull it again"), "{error}");

    assert_eq!(node.run(ModelAction::Remove).await.status, TaskStatus::Completed);
    assert!(!file.exists());
    let nothing = node.run(ModelAction::Remove).await;
    assert!(nothing.error.unwrap().contains("nothing was removed"));
    assert_eq!(node.operator.list_model_tasks().await.unwrap().len(), 5);
    node.stop();
    running.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_that_no_source_can_serve_fails_with_what_to_do() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &["file:/nowhere"]).await;
    let _running = node.start();
    let failed = node.run(ModelAction::Pull).await;
    let error = failed.error.unwrap();
    assert_eq!(failed.status, TaskStatus::Failed);
    assert!(error.contains("/nowhere") && error.contains("models.mirror"), "{error}");
    let unverified = node.run(ModelAction::Verify).await;
    assert!(unverified.error.unwrap().contains("pull it first"));
    node.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_pull_is_cancelled() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[&slow_server().await]).await;
    let _running = node.start();
    let task = node.create(ModelAction::Pull).await.unwrap();
    node.wait_for_progress(&task.id).await;
    node.operator.cancel_model_task(&task.id).await.unwrap();
    let cancelled = node.end_of(&task.id).await;
    assert_eq!((cancelled.status, cancelled.error), (TaskStatus::Cancelled, None));
    let again = node.operator.cancel_model_task(&task.id).await.unwrap();
    assert_eq!(again.status, TaskStatus::Cancelled, "a task that has ended stays as it is");
    node.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_fails_when_the_server_stops() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[&slow_server().await]).await;
    let running = node.start();
    let task = node.create(ModelAction::Pull).await.unwrap();
    node.wait_for_progress(&task.id).await;
    node.stop();
    running.await.unwrap();
    let failed = node.operator.read_model_task(&task.id).await.unwrap();
    assert_eq!(failed.status, TaskStatus::Failed);
    assert!(failed.error.unwrap().contains("start the task again"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queued_task_is_cancelled_at_once_and_only_one_is_open_for_a_model() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    let task = node.create(ModelAction::Pull).await.unwrap();
    assert_eq!(task.status, TaskStatus::Queued);
    assert!(matches!(node.create(ModelAction::Remove).await, Err(OperatorError::Conflict(_))));
    let cancelled = node.operator.cancel_model_task(&task.id).await.unwrap();
    assert_eq!(cancelled.status, TaskStatus::Cancelled);
    node.create(ModelAction::Remove).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_model_node_or_task_is_refused() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    let library = node.node.library();
    let own = node.node.identity.id.clone();
    let unknown = node.operator.create_model_task(&library, "x", ModelAction::Pull, own).await;
    assert!(matches!(unknown, Err(OperatorError::NotFound(_))));
    let other = NodeId::generate(NOW);
    let unknown = node.operator.create_model_task(&library, MODEL, ModelAction::Pull, other).await;
    assert!(matches!(unknown, Err(OperatorError::InvalidParameter { param: "node", .. })));
    let task = ModelTaskId::generate(NOW);
    assert!(matches!(node.operator.read_model_task(&task).await, Err(OperatorError::NotFound(_))));
    assert!(matches!(node.operator.cancel_model_task(&task).await, Err(OperatorError::NotFound(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_done_by_its_node_only() {
    let test = TestService::new().await;
    let (one, other) = (TestNode::new(&test, &[]).await, TestNode::new(&test, &[]).await);
    other.fill_mirror();
    let running = one.start();
    let there = other.node.identity.id.clone();
    let library = one.node.library();
    let pull = one.operator.create_model_task(&library, MODEL, ModelAction::Pull, there);
    let task = pull.await.unwrap();
    assert_eq!(one.run(ModelAction::Remove).await.status, TaskStatus::Failed, "the first node has no files");
    assert_eq!(one.operator.read_model_task(&task.id).await.unwrap().status, TaskStatus::Queued);
    let _other_running = other.start();
    assert_eq!(one.end_of(&task.id).await.status, TaskStatus::Completed);
    assert!(other.folder.path().join("models/m/net.bin").exists());
    assert!(!one.folder.path().join("models/m/net.bin").exists());
    one.stop();
    other.stop();
    running.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tasks_of_a_node_that_is_gone_fail() {
    let test = TestService::new().await;
    let (one, gone) = (TestNode::new(&test, &[]).await, TestNode::new(&test, &[]).await);
    let task = gone.create(ModelAction::Pull).await.unwrap();
    one.operator.beat(&one.node).await.unwrap();
    assert_eq!(one.operator.read_model_task(&task.id).await.unwrap().status, TaskStatus::Queued);
    test.advance(ALIVE_MS);
    one.operator.beat(&one.node).await.unwrap();
    let failed = one.operator.read_model_task(&task.id).await.unwrap();
    assert_eq!(failed.status, TaskStatus::Failed);
    assert!(failed.error.unwrap().contains("has stopped"));
    assert!(
        matches!(gone.create(ModelAction::Pull).await, Err(OperatorError::InvalidParameter { .. })),
        "it is dead"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_has_the_form_of_the_operator_api() {
    let test = TestService::new().await;
    let node = TestNode::new(&test, &[]).await;
    let task = node.create(ModelAction::Pull).await.unwrap();
    let (id, node) = (task.id.clone(), task.node.clone());
    let expected = serde_json::json!({
        "object": "model_task", "id": id, "model": "m", "action": "pull", "node": node, "status": "queued",
        "progress": { "file": null, "done_bytes": 0, "total_bytes": 0 },
        "error": null, "created_at": NOW.timestamp(), "ended_at": null,
    });
    assert_eq!(serde_json::to_value(task).unwrap(), expected);
}
