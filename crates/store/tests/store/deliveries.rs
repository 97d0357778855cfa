//! Deliveries: claimed receiver by receiver, by one process at a time, and the effects of their attempts.

use std::collections::BTreeSet;

use auris_domain::id::EndpointId;
use auris_domain::machine::Command;
use auris_domain::metadata::Metadata;
use auris_domain::step::{Cause, StepCode};
use auris_domain::time::Millis;
use auris_domain::webhook::{EndpointStatus, FAILING_DISABLES_MS};

use super::builders::{keyed, new_endpoint, new_job, run_of};
use super::endpoints::endpoint;
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};
use auris_store::{
    AttemptRecord, ClaimedDeliveries, Delivery, DeliveryFilter, DeliveryStatus, ReceiverClaim, StoreError,
    Verdict,
};

const LEASE: i64 = 25_000;

async fn register(test: &TestStore, url: &str) -> EndpointId {
    let new = endpoint(&test.project, url);
    test.store
        .create_endpoint(new_endpoint(&new, "sealed", &keyed(&test.project, url, url), 16))
        .await
        .unwrap();
    new.id
}

/// Ends a job, which creates a delivery for each address.
async fn end_a_job(test: &TestStore, own: Option<&str>) {
    let mut run = run_of(&test.project, &[&[]], NOW);
    run.job.webhook_url = own.map(str::to_owned);
    let id = run.job.id.clone();
    test.store.create_job(new_job(run)).await.unwrap();
    test.apply(&id, Command::Cancel).await.unwrap();
}

async fn claim(test: &TestStore, receiver: &str, now: Millis) -> Vec<Delivery> {
    claim_for_receivers(test, &[receiver], 100, now)
        .await
        .into_iter()
        .flat_map(|receiver| receiver.deliveries)
        .collect()
}

async fn claim_for_receivers(
    test: &TestStore,
    receivers: &[&str],
    limit: u32,
    now: Millis,
) -> Vec<ClaimedDeliveries> {
    let wanted: Vec<ReceiverClaim> =
        receivers.iter().map(|receiver| ReceiverClaim { receiver: (*receiver).to_owned(), limit }).collect();
    test.store.claim_deliveries(&wanted, now, now.plus_ms(LEASE)).await.unwrap()
}

fn record(delivery: &Delivery, verdict: Verdict, now: Millis) -> AttemptRecord {
    AttemptRecord {
        delivery: delivery.id.clone(),
        claim: delivery.claim,
        endpoint: delivery.endpoint_id.clone(),
        started_at: now,
        duration_ms: 7,
        status: Some(500),
        error: None,
        answer: Some("no".into()),
        verdict,
    }
}

async fn state(test: &TestStore, delivery: &Delivery) -> Delivery {
    test.store.delivery(&test.project, &delivery.id).await.unwrap().unwrap()
}

async fn status_of(test: &TestStore) -> EndpointStatus {
    test.store.endpoints(&test.project).await.unwrap()[0].status
}

/// The most that a request can send: 16 entries with keys of 64 and values of 512 characters.
fn largest_metadata(character: &str) -> Metadata {
    let entry = |number: usize| (format!("{number:02}{}", character.repeat(62)), character.repeat(512));
    Metadata((0..16).map(entry).collect())
}

on_both_databases! {
    async fn the_body_of_a_delivery_is_under_64_kib_with_the_largest_metadata_and_error(test) {
        // JSON needs six bytes for most control characters, and UTF-8 at most four for any other character.
        for character in ["\u{1}", "\u{1f3a7}"] {
            let mut run = run_of(&test.project, &[&[]], NOW);
            run.job.webhook_url = Some("https://own.example/".into());
            run.job.metadata = largest_metadata(character);
            let id = run.job.id.clone();
            test.store.create_job(new_job(run)).await.unwrap();
            let claimed = test.claim("worker").await.remove(0);
            let cause = Cause::new(StepCode::BackendError, character.repeat(20_000));
            test.apply(&id, Command::Fail { hold: claimed.hold(), cause, usage: None }).await.unwrap();
            let deliveries = test.store.deliveries(&test.project, &DeliveryFilter::default(), 10).await.unwrap();
            let body = &deliveries.iter().find(|delivery| delivery.job_id == id).unwrap().body;
            assert!(body.len() < 64 * 1024, "{} bytes", body.len());
            let job: serde_json::Value = serde_json::from_str(body).unwrap();
            let job = &job["data"];
            assert_eq!((&job["result"], &job["progress"]), (&serde_json::Value::Null, &serde_json::Value::Null));
            assert_eq!(job["metadata"], serde_json::to_value(largest_metadata(character)).unwrap());
            assert!(job["error"]["message"].as_str().unwrap().starts_with(character));
        }
    }

    async fn pending_deliveries_are_listed_by_lane(test) {
        assert_eq!(test.store.waiting_receivers().await.unwrap(), []);
        let one = register(test, "https://one.example").await;
        let two = register(test, "https://two.example").await;
        end_a_job(test, Some("http://own.example/a")).await;
        end_a_job(test, Some("http://own.example/b")).await;
        let receivers = test.store.waiting_receivers().await.unwrap();
        assert!(receivers.iter().all(|receiver| receiver.due_at == NOW));
        let names: BTreeSet<String> = receivers.into_iter().map(|receiver| receiver.name).collect();
        let own = format!("{} http://own.example", test.project);
        assert_eq!(names, [one.to_string(), two.to_string(), own.clone()].into());
        assert_eq!(claim(test, &own, NOW).await.len(), 2);
        let due = test.store.waiting_receivers().await.unwrap().into_iter().find(|receiver| receiver.name == own).unwrap();
        assert_eq!(due.due_at, NOW.plus_ms(LEASE), "a claimed delivery is due when its lease ends");
    }

    async fn a_claimed_delivery_is_not_claimed_again_until_its_lease_ends(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        end_a_job(test, None).await;
        let claimed = claim_for_receivers(test, &[&receiver], 10, NOW).await;
        assert_eq!(claimed[0].secrets.as_ref().unwrap().current, "sealed");
        assert_eq!(claimed[0].deliveries.len(), 1);
        assert_eq!(claim(test, &receiver, NOW.plus_ms(LEASE - 1)).await.len(), 0);
        let again = claim(test, &receiver, NOW.plus_ms(LEASE)).await;
        assert_eq!(again[0].id, claimed[0].deliveries[0].id);
        assert_eq!(again[0].body, claimed[0].deliveries[0].body);
    }

    async fn concurrent_processes_never_claim_the_same_delivery(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        for _ in 0..30 {
            end_a_job(test, None).await;
        }
        let receivers = [receiver.as_str()];
        let claims = (0..10).map(|_| claim_for_receivers(test, &receivers, 5, NOW));
        let claimed = futures::future::join_all(claims).await;
        let ids: Vec<_> = claimed.into_iter().flatten().flat_map(|receiver| receiver.deliveries).map(|one| one.id).collect();
        let distinct: BTreeSet<_> = ids.iter().cloned().collect();
        assert_eq!(distinct.len(), ids.len(), "no delivery is claimed twice");
        let left = claim(test, &receiver, NOW).await.len();
        assert_eq!(ids.len() + left, 30);
    }

    async fn every_attempt_is_recorded_and_decides_what_happens_next(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        end_a_job(test, None).await;
        let first = claim(test, &receiver, NOW).await.remove(0);
        let later = NOW.plus_ms(5_000);
        test.store.record_attempts(vec![record(&first, Verdict::Retry(later), NOW)]).await.unwrap();
        let waiting = state(test, &first).await;
        assert_eq!((waiting.status, waiting.attempts, waiting.attempts_since_restart), (DeliveryStatus::Pending, 1, 1));
        assert_eq!((waiting.next_attempt_at, waiting.lease_until), (later, None));
        let second = claim(test, &receiver, later).await.remove(0);
        test.store.record_attempts(vec![record(&second, Verdict::Delivered, later)]).await.unwrap();
        assert_eq!(state(test, &first).await.status, DeliveryStatus::Delivered);
        let attempts = test.store.attempts(&first.id).await.unwrap();
        assert_eq!(attempts.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((attempts[0].started_at, attempts[0].duration_ms, attempts[0].status), (NOW, 7, Some(500)));
        assert_eq!(attempts[0].answer.as_deref(), Some("no"));
        assert_eq!(test.store.last_attempt(&first.id).await.unwrap().as_ref(), attempts.last());
        assert_eq!(test.store.waiting_receivers().await.unwrap(), []);
    }

    async fn an_attempt_that_lost_its_claim_decides_only_if_it_succeeded(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        end_a_job(test, None).await;
        let lost = claim(test, &receiver, NOW).await.remove(0);
        let later = NOW.plus_ms(LEASE);
        let held = claim(test, &receiver, later).await.remove(0);
        test.store.record_attempts(vec![record(&lost, Verdict::GivenUp, later)]).await.unwrap();
        let now = state(test, &held).await;
        assert_eq!((now.status, now.attempts, now.attempts_since_restart), (DeliveryStatus::Pending, 1, 0));
        assert_eq!(now.lease_until, held.lease_until, "the other claim is still valid");
        test.store.record_attempts(vec![record(&lost, Verdict::Delivered, later)]).await.unwrap();
        assert_eq!(state(test, &held).await.status, DeliveryStatus::Delivered);
    }

    async fn a_batch_can_contain_two_attempts_of_one_delivery(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        for _ in 0..3 {
            end_a_job(test, None).await;
        }
        let lost = claim(test, &receiver, NOW).await;
        let later = NOW.plus_ms(LEASE);
        let held = claim(test, &receiver, later).await;
        let twice = held[0].clone();
        let before = lost.iter().find(|one| one.id == twice.id).unwrap();
        let mut records = vec![record(before, Verdict::GivenUp, NOW)];
        records.extend(held.iter().map(|one| record(one, Verdict::Delivered, later)));
        test.store.record_attempts(records).await.unwrap();
        for one in &held {
            let now = state(test, one).await;
            let attempts = if one.id == twice.id { 2 } else { 1 };
            assert_eq!((now.status, now.attempts, now.attempts_since_restart), (DeliveryStatus::Delivered, attempts, 1));
            assert_eq!(test.store.attempts(&one.id).await.unwrap().len() as i64, attempts);
        }
        let numbers: Vec<_> = test.store.attempts(&twice.id).await.unwrap().iter().map(|attempt| attempt.number).collect();
        assert_eq!(numbers, [1, 2]);
    }

    async fn a_claim_without_an_attempt_is_handed_back(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        end_a_job(test, None).await;
        let claimed = claim(test, &receiver, NOW).await.remove(0);
        test.store.hand_back_deliveries(&[(claimed.id.clone(), claimed.claim)], NOW).await.unwrap();
        let again = claim(test, &receiver, NOW).await.remove(0);
        assert_eq!((again.id, again.attempts), (claimed.id.clone(), 0));
        test.store.hand_back_deliveries(&[(claimed.id, claimed.claim)], NOW).await.unwrap();
        assert_eq!(claim(test, &receiver, NOW).await.len(), 0, "an old claim hands nothing back");
    }

    async fn a_receiver_that_answers_410_disables_its_endpoint_and_fails_its_deliveries(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        end_a_job(test, None).await;
        end_a_job(test, None).await;
        let first = claim_for_receivers(test, &[&receiver], 1, NOW).await.remove(0).deliveries.remove(0);
        let disabled = test.store.record_attempts(vec![record(&first, Verdict::Gone, NOW)]).await.unwrap();
        assert_eq!(disabled, [first.endpoint_id.clone().unwrap()]);
        assert_eq!(status_of(test).await, EndpointStatus::Disabled);
        assert_eq!(claim(test, &receiver, NOW).await.len(), 0);
        let failed = DeliveryFilter { status: Some(DeliveryStatus::Failed), ..DeliveryFilter::default() };
        assert_eq!(test.store.deliveries(&test.project, &failed, 10).await.unwrap().len(), 2);
        let details = test.store.endpoint_details(&test.project).await.unwrap();
        assert_eq!(details[0].disabled_because.as_deref(), Some("it answered 410 Gone"));
        assert_eq!(test.store.resend_failed(&test.project, NOW).await.unwrap(), 0, "a disabled endpoint gets nothing");
        assert!(test.store.enable_endpoint(&test.project, &first.endpoint_id.unwrap()).await.unwrap());
        assert_eq!(test.store.resend_failed(&test.project, NOW).await.unwrap(), 2);
        assert_eq!(claim(test, &receiver, NOW).await.len(), 2);
    }

    async fn five_days_of_nothing_but_failures_disable_an_endpoint(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        end_a_job(test, None).await;
        let delivery = claim(test, &receiver, NOW).await.remove(0);
        let fail_at = |now: Millis| test.store.record_attempts(vec![record(&delivery, Verdict::Retry(now), now)]);
        let ended = NOW.plus_ms(7);
        assert_eq!(fail_at(NOW).await.unwrap(), []);
        assert_eq!(fail_at(NOW.plus_ms(FAILING_DISABLES_MS - 1)).await.unwrap(), []);
        let success = record(&delivery, Verdict::Delivered, NOW.plus_ms(FAILING_DISABLES_MS - 1));
        test.store.record_attempts(vec![success]).await.unwrap();
        assert_eq!(fail_at(NOW.plus_ms(FAILING_DISABLES_MS)).await.unwrap(), [], "the success resets the period");
        let since = ended.plus_ms(FAILING_DISABLES_MS);
        assert_eq!(test.store.endpoint_details(&test.project).await.unwrap()[0].failing_since, Some(since));
        assert_eq!(fail_at(NOW.plus_ms(2 * FAILING_DISABLES_MS)).await.unwrap().len(), 1);
        assert_eq!(status_of(test).await, EndpointStatus::Disabled);
    }

    async fn deliveries_to_a_deleted_endpoint_fail(test) {
        let id = register(test, "https://one.example").await;
        end_a_job(test, None).await;
        test.store.delete_endpoint(&test.project, &id).await.unwrap();
        assert_eq!(claim(test, id.as_str(), NOW).await.len(), 0);
        assert_eq!(test.store.waiting_receivers().await.unwrap(), []);
    }

    async fn a_resent_delivery_starts_its_retry_schedule_again(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        end_a_job(test, None).await;
        let first = claim(test, &receiver, NOW).await.remove(0);
        test.store.record_attempts(vec![record(&first, Verdict::GivenUp, NOW)]).await.unwrap();
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert!(!test.store.resend_delivery(&other, &first.id, NOW).await.unwrap());
        assert!(test.store.resend_delivery(&test.project, &first.id, NOW).await.unwrap());
        let again = claim(test, &receiver, NOW).await.remove(0);
        assert_eq!((again.attempts, again.attempts_since_restart, again.body), (1, 0, first.body));
    }

    async fn deliveries_are_found_by_status_job_and_endpoint(test) {
        let id = register(test, "https://one.example").await;
        end_a_job(test, Some("http://own.example")).await;
        let find = |filter: DeliveryFilter| async move {
            test.store.deliveries(&test.project, &filter, 10).await.unwrap()
        };
        let all = find(DeliveryFilter::default()).await;
        assert_eq!(all.len(), 2);
        assert_eq!(find(DeliveryFilter { job: Some(all[0].job_id.clone()), ..Default::default() }).await.len(), 2);
        assert_eq!(find(DeliveryFilter { endpoint: Some(id), ..Default::default() }).await.len(), 1);
        let older = DeliveryFilter { before: Some(all[0].id.clone()), ..Default::default() };
        assert_eq!(find(older).await, all[1..]);
        assert_eq!(find(DeliveryFilter { before: Some(all[1].id.clone()), ..Default::default() }).await, []);
        let delivered = Some(DeliveryStatus::Delivered);
        assert_eq!(find(DeliveryFilter { status: delivered, ..Default::default() }).await.len(), 0);
    }

    async fn an_attempt_of_a_purged_job_is_ignored(test) {
        let receiver = register(test, "https://one.example").await.to_string();
        end_a_job(test, None).await;
        let claimed = claim(test, &receiver, NOW).await.remove(0);
        test.sql("DELETE FROM jobs", args![]).await;
        let recorded: Result<_, StoreError> =
            test.store.record_attempts(vec![record(&claimed, Verdict::Delivered, NOW)]).await;
        assert_eq!(recorded.unwrap(), []);
    }
}
