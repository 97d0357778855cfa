//! Wake-ups, within a process and between two.

use std::time::Duration;

use auris_domain::id::JobId;

use super::bed::{Bed, NOW};
use super::on_both;
use crate::sql::database::args;

/// Long enough that only a notice can end the wait within a test.
const LONG: Duration = Duration::from_secs(300);

/// Fails when the wait was ended by its own time, which would take far longer than any test.
async fn soon<F: Future>(wait: F) {
    let told = tokio::time::timeout(Duration::from_secs(20), wait).await;
    assert!(told.is_ok(), "nobody told");
}

on_both! {
    async fn a_waiter_hears_what_happened_since_it_subscribed(bed) {
        let id = bed.job(&[&[]]).await;
        let mut waiter = bed.store.notify().subscribe_job(&id);
        let mut steps = bed.store.notify().steps_waiter();
        bed.claim("worker").await;
        soon(waiter.changed(LONG)).await;
        bed.job(&[&[]]).await;
        soon(steps.changed(LONG)).await;
    }

    async fn a_waiter_returns_when_its_time_is_up(bed) {
        let mut waiter = bed.store.notify().subscribe_job(&JobId::generate(NOW));
        soon(waiter.changed(Duration::from_millis(1))).await;
    }

    async fn a_terminal_job_with_an_address_wakes_the_deliverer(bed) {
        let mut run = super::super::build::run_of(&bed.project, &[&[]], NOW);
        run.job.webhook_url = Some("https://example.com/hook".into());
        bed.store.create_job(super::super::build::new_job(run)).await.unwrap();
        let mut deliveries = bed.store.notify().deliveries_waiter();
        let claimed = bed.claim("worker").await.remove(0);
        bed.complete(&claimed).await.unwrap();
        soon(deliveries.changed(LONG)).await;
    }

    async fn a_change_that_nobody_told_of_is_found_by_the_poll(bed) {
        let id = bed.job(&[&[]]).await;
        let mut waiter = bed.store.notify().subscribe_job(&id);
        // The first look tells what there was before.
        soon(waiter.changed(LONG)).await;
        bed.sql("UPDATE jobs SET event_seq = event_seq + 1 WHERE id = $1", args![&id]).await;
        soon(waiter.changed(LONG)).await;
    }

    async fn readers_at_the_same_place_share_a_read_until_they_are_told(bed) {
        let id = bed.job(&[&[]]).await;
        let (one, other) = (bed.store.notify().subscribe_job(&id), bed.store.notify().subscribe_job(&id));
        let read = bed.store.events_for(&one, 0, 100).await.unwrap();
        assert!(std::sync::Arc::ptr_eq(&read, &bed.store.events_for(&other, 0, 100).await.unwrap()));
        assert!(bed.store.events_for(&other, read.len() as i64, 100).await.unwrap().is_empty());
        bed.claim("worker").await;
        let told = bed.store.events_for(&other, 0, 100).await.unwrap();
        assert!(told.len() > read.len(), "what was told of is in it");
    }

    async fn a_job_without_waiters_is_not_remembered(bed) {
        let id = JobId::generate(NOW);
        let first = bed.store.notify().subscribe_job(&id);
        let second = bed.store.notify().subscribe_job(&id);
        assert_eq!(bed.store.notify().jobs_listened_to(), 1);
        drop(first);
        assert_eq!(bed.store.notify().jobs_listened_to(), 1);
        drop(second);
        assert_eq!(bed.store.notify().jobs_listened_to(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgres_another_node_hears_too() {
    let bed = Bed::postgres().await;
    let other = bed.other_node().await;
    other.notify().listening().await;
    let mut steps = other.notify().steps_waiter();
    let id = bed.job(&[&[]]).await;
    soon(steps.changed(LONG)).await;
    let mut waiter = other.notify().subscribe_job(&id);
    bed.claim("worker").await;
    soon(waiter.changed(LONG)).await;
    other.close().await;
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_connection_was_cut_listens_again() {
    let bed = Bed::postgres().await;
    let other = bed.other_node().await;
    other.notify().listening().await;
    let mut steps = other.notify().steps_waiter();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'";
    bed.sql(cut, vec![]).await;
    // Coming back wakes everybody, for nobody knows what was missed.
    soon(steps.changed(LONG)).await;
    other.notify().listening().await;
    bed.job(&[&[]]).await;
    soon(steps.changed(LONG)).await;
    other.close().await;
    bed.close().await;
}
