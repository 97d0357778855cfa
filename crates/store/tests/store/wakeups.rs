//! Wake-ups, within a process and between two.

use std::time::Duration;

use auris_domain::id::JobId;

use super::builders::{new_job, run_of};
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};

/// Longer than `soon` allows, so that only a wake-up can end the wait: the stores of these tests do not poll.
const LONG: Duration = Duration::from_secs(300);

/// Fails if the wait has not ended within 20 seconds.
async fn soon<F: Future>(wait: F) {
    let woken = tokio::time::timeout(Duration::from_secs(20), wait).await;
    assert!(woken.is_ok(), "there was no wake-up");
}

on_both_databases! {
    async fn a_waiter_is_woken_by_changes_after_its_subscription(test) {
        let id = test.job(&[&[]]).await;
        let mut waiter = test.store.wakeups().subscribe_job(&id);
        let mut steps = test.store.wakeups().steps_waiter();
        test.claim("worker").await;
        soon(waiter.changed(LONG)).await;
        test.job(&[&[]]).await;
        soon(steps.changed(LONG)).await;
    }

    async fn a_waiter_returns_after_its_timeout(test) {
        let mut waiter = test.store.wakeups().subscribe_job(&JobId::generate(NOW));
        soon(waiter.changed(Duration::from_millis(1))).await;
    }

    async fn a_terminal_job_with_a_webhook_url_wakes_the_deliverer(test) {
        let mut run = run_of(&test.project, &[&[]], NOW);
        run.job.webhook_url = Some("https://example.com/hook".into());
        test.store.create_job(new_job(run)).await.unwrap();
        let mut deliveries = test.store.wakeups().deliveries_waiter();
        let claimed = test.claim("worker").await.remove(0);
        test.complete(&claimed).await.unwrap();
        soon(deliveries.changed(LONG)).await;
    }

    async fn a_change_without_a_wake_up_is_found_by_polling(test) {
        let id = test.job(&[&[]]).await;
        let node = test.polling_node().await;
        let mut waiter = node.wakeups().subscribe_job(&id);
        // The first poll finds the events that were there before.
        soon(waiter.changed(LONG)).await;
        test.sql("UPDATE jobs SET event_seq = event_seq + 1 WHERE id = $1", args![&id]).await;
        soon(waiter.changed(LONG)).await;
        node.close().await;
    }

    async fn readers_at_the_same_position_share_a_read_until_the_next_wake_up(test) {
        let id = test.job(&[&[]]).await;
        let one = test.store.wakeups().subscribe_job(&id);
        let other = test.store.wakeups().subscribe_job(&id);
        let read = test.store.events_for(&one, 0, 100).await.unwrap();
        assert!(std::sync::Arc::ptr_eq(&read, &test.store.events_for(&other, 0, 100).await.unwrap()));
        assert!(test.store.events_for(&other, read.events.len() as i64, 100).await.unwrap().events.is_empty());
        test.claim("worker").await;
        let newer = test.store.events_for(&other, 0, 100).await.unwrap();
        assert!(newer.events.len() > read.events.len(), "it includes what the wake-up announced");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgres_other_nodes_are_woken_too() {
    let test = TestStore::postgres().await;
    let other = test.other_node().await;
    other.wakeups().listening().await;
    let mut steps = other.wakeups().steps_waiter();
    let id = test.job(&[&[]]).await;
    soon(steps.changed(LONG)).await;
    let mut waiter = other.wakeups().subscribe_job(&id);
    test.claim("worker").await;
    soon(waiter.changed(LONG)).await;
    other.close().await;
    test.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_listens_again_after_its_connection_was_lost() {
    let test = TestStore::postgres().await;
    let other = test.other_node().await;
    other.wakeups().listening().await;
    let mut steps = other.wakeups().steps_waiter();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'";
    test.sql(cut, vec![]).await;
    // Reconnecting wakes every waiter, because it is unknown what was missed.
    soon(steps.changed(LONG)).await;
    other.wakeups().listening().await;
    test.job(&[&[]]).await;
    soon(steps.changed(LONG)).await;
    other.close().await;
    test.close().await;
}
