//! Which nodes are alive, and the work on their models.

use auris_domain::id::{ModelTaskId, NodeId};
use auris_domain::model_task::{ModelAction, ModelTask, TaskProgress, TaskStatus};
use auris_domain::node::{ALIVE_MS, Node};
use auris_domain::time::Millis;

use super::on_both_databases;
use super::test_store::{NOW, TestStore};

fn node(host: &str, seen_at: Millis) -> Node {
    Node {
        id: NodeId::generate(NOW),
        role: "all".into(),
        version: "0.1.0".into(),
        host: host.into(),
        started_at: NOW.timestamp(),
        seen_at,
        loaded_models: vec!["one".into(), "two".into()],
        installed_models: vec!["one".into(), "two".into(), "three".into()],
    }
}

/// A task for a model that no other task of the test has.
fn task(node: &NodeId, created: Millis) -> ModelTask {
    ModelTask {
        id: ModelTaskId::generate(created),
        node: node.clone(),
        model: format!("model-{}", created.0),
        action: ModelAction::Pull,
        status: TaskStatus::Queued,
        progress: TaskProgress::default(),
        error: None,
        created_at: created.timestamp(),
        ended_at: None,
    }
}

impl TestStore {
    async fn model_task(&self, node: &NodeId, age: i64) -> ModelTask {
        let task = task(node, NOW.plus_ms(age));
        assert!(self.store.create_model_task(&task).await.unwrap());
        task
    }

    async fn task_status(&self, task: &ModelTask) -> TaskStatus {
        self.store.model_task(&task.id).await.unwrap().unwrap().status
    }
}

on_both_databases! {
    async fn a_node_is_listed_until_it_is_removed_or_silent_for_an_hour(test) {
        let hour = 3_600_000;
        let (mut first, second) = (node("one", NOW), node("two", NOW));
        test.store.record_node(&first).await.unwrap();
        test.store.record_node(&second).await.unwrap();
        assert_eq!(test.store.nodes().await.unwrap().len(), 2);
        first.seen_at = NOW.plus_ms(hour);
        first.loaded_models.clear();
        test.store.record_node(&first).await.unwrap();
        assert_eq!(test.store.nodes().await.unwrap().len(), 2);
        first.seen_at = NOW.plus_ms(hour + 1);
        test.store.record_node(&first).await.unwrap();
        assert_eq!(test.store.nodes().await.unwrap(), [first.clone()]);
        test.store.remove_node(&first.id).await.unwrap();
        assert_eq!(test.store.nodes().await.unwrap(), []);
    }

    async fn a_node_starts_its_own_tasks_oldest_first(test) {
        let (own, other) = (NodeId::generate(NOW), NodeId::generate(NOW));
        let later = test.model_task(&own, 5).await;
        let earlier = test.model_task(&own, 1).await;
        assert_eq!(test.store.start_model_task(&other).await.unwrap(), None);
        for expected in [&earlier, &later] {
            let started = test.store.start_model_task(&own).await.unwrap().unwrap();
            assert_eq!((&started.id, started.status), (&expected.id, TaskStatus::Running));
        }
        assert_eq!(test.store.start_model_task(&own).await.unwrap(), None);
        assert_eq!(test.store.model_tasks().await.unwrap()[0].id, later.id, "the newest first");
        assert_eq!(test.store.model_task(&ModelTaskId::generate(NOW)).await.unwrap(), None);
    }

    async fn a_model_of_a_node_has_one_open_task(test) {
        let (own, other) = (NodeId::generate(NOW), NodeId::generate(NOW));
        let first = test.model_task(&own, 0).await;
        let again = |node: &NodeId, action| ModelTask { action, ..task(node, NOW) };
        assert!(!test.store.create_model_task(&again(&own, ModelAction::Remove)).await.unwrap());
        assert!(test.store.create_model_task(&again(&other, ModelAction::Verify)).await.unwrap());
        test.store.end_model_task(&first.id, TaskStatus::Completed, None, NOW).await.unwrap();
        assert!(test.store.create_model_task(&again(&own, ModelAction::Remove)).await.unwrap());
    }

    async fn the_progress_and_the_end_of_a_task_are_recorded_once(test) {
        let own = NodeId::generate(NOW);
        let task = test.model_task(&own, 0).await;
        let progress = TaskProgress { file: Some("model.bin".into()), done_bytes: 5, total_bytes: 1 << 40 };
        test.store.record_task_progress(&task.id, &progress).await.unwrap();
        assert_eq!(test.store.model_task(&task.id).await.unwrap(), Some(task.clone()), "it has not started");
        test.store.start_model_task(&own).await.unwrap().unwrap();
        test.store.record_task_progress(&task.id, &progress).await.unwrap();
        let end = NOW.plus_ms(7_000);
        test.store.end_model_task(&task.id, TaskStatus::Failed, Some("no space".into()), end).await.unwrap();
        test.store.end_model_task(&task.id, TaskStatus::Completed, None, end.plus_ms(9_000)).await.unwrap();
        let expected = ModelTask {
            status: TaskStatus::Failed,
            error: Some("no space".into()),
            ended_at: Some(end.timestamp()),
            progress,
            ..task
        };
        assert_eq!(test.store.model_task(&expected.id).await.unwrap(), Some(expected));
    }

    async fn a_queued_task_is_cancelled_at_once_and_a_running_one_is_asked_to_stop(test) {
        let own = NodeId::generate(NOW);
        let running = test.model_task(&own, 0).await;
        let queued = test.model_task(&own, 1).await;
        test.store.start_model_task(&own).await.unwrap().unwrap();
        assert!(!test.store.is_task_cancelled(&running.id).await.unwrap());
        for task in [&running, &queued] {
            test.store.cancel_model_task(&task.id, NOW).await.unwrap();
            assert!(test.store.is_task_cancelled(&task.id).await.unwrap());
        }
        assert_eq!(test.task_status(&running).await, TaskStatus::Running);
        assert_eq!(test.task_status(&queued).await, TaskStatus::Cancelled);
        assert_eq!(test.store.start_model_task(&own).await.unwrap(), None);
        assert!(test.store.is_task_cancelled(&ModelTaskId::generate(NOW)).await.unwrap(), "there is no such task");
    }

    async fn the_tasks_of_nodes_that_are_gone_fail(test) {
        let (alive, gone) = (node("alive", NOW), node("gone", NOW.plus_ms(-ALIVE_MS - 1)));
        for node in [&alive, &gone] {
            test.store.record_node(node).await.unwrap();
        }
        let kept = test.model_task(&alive.id, 0).await;
        let silent = test.model_task(&gone.id, 1).await;
        let unknown = test.model_task(&NodeId::generate(NOW), 2).await;
        assert_eq!(test.store.abandon_model_tasks("The node has stopped.", NOW).await.unwrap(), 2);
        assert_eq!(test.task_status(&kept).await, TaskStatus::Queued);
        for task in [&silent, &unknown] {
            let failed = test.store.model_task(&task.id).await.unwrap().unwrap();
            assert_eq!((failed.status, failed.error.as_deref()), (TaskStatus::Failed, Some("The node has stopped.")));
            assert_eq!(failed.ended_at, Some(NOW.timestamp()));
        }
    }

    async fn only_the_newest_ended_tasks_are_kept(test) {
        let own = NodeId::generate(NOW);
        let open = test.model_task(&own, 0).await;
        let ended = test.model_task(&own, 1).await;
        test.store.end_model_task(&ended.id, TaskStatus::Completed, None, NOW).await.unwrap();
        for age in 2..103 {
            test.model_task(&own, age).await;
        }
        assert_eq!(test.store.model_task(&ended.id).await.unwrap(), None);
        assert_eq!(test.task_status(&open).await, TaskStatus::Queued, "a task that has not ended is kept");
        assert_eq!(test.store.model_tasks().await.unwrap().len(), 100);
    }
}
