//! Deliveries: claimed by one process at a time, lane by lane, and what their tries decide.

use std::collections::BTreeSet;

use auris_domain::id::EndpointId;
use auris_domain::machine::Command;
use auris_domain::time::Millis;
use auris_domain::webhook::{EndpointStatus, FAILING_DISABLES_MS};

use super::bed::{Bed, NOW};
use super::build::{keyed, new_job, run_of};
use super::on_both;
use super::outbox::endpoint;
use crate::sql::database::args;
use crate::{
    AttemptRecord, ClaimedLane, Delivery, DeliveryFilter, DeliveryStatus, LaneClaim, StoreError, Verdict,
};

const LEASE: i64 = 25_000;

async fn register(bed: &Bed, url: &str) -> EndpointId {
    let new = endpoint(&bed.project, url);
    bed.store.create_endpoint(&new, "sealed", &keyed(&bed.project, url, url), 16, NOW).await.unwrap();
    new.id
}

/// Ends a job, which leaves a delivery for each address.
async fn end_a_job(bed: &Bed, own: Option<&str>) {
    let mut run = run_of(&bed.project, &[&[]], NOW);
    run.job.webhook_url = own.map(str::to_owned);
    let id = run.job.id.clone();
    bed.store.create_job(new_job(run)).await.unwrap();
    bed.apply(&id, Command::Cancel).await.unwrap();
}

async fn claim(bed: &Bed, lane: &str, now: Millis) -> Vec<Delivery> {
    claim_lanes(bed, &[lane], 100, now).await.into_iter().flat_map(|lane| lane.deliveries).collect()
}

async fn claim_lanes(bed: &Bed, lanes: &[&str], limit: u32, now: Millis) -> Vec<ClaimedLane> {
    let wanted: Vec<LaneClaim> =
        lanes.iter().map(|lane| LaneClaim { lane: (*lane).to_owned(), limit }).collect();
    bed.store.claim_deliveries(&wanted, now, now.plus_ms(LEASE)).await.unwrap()
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

async fn state(bed: &Bed, delivery: &Delivery) -> Delivery {
    bed.store.delivery(&bed.project, &delivery.id).await.unwrap().unwrap()
}

async fn status_of(bed: &Bed) -> EndpointStatus {
    bed.store.endpoints(&bed.project).await.unwrap()[0].status
}

on_both! {
    async fn what_waits_is_seen_by_lane(bed) {
        assert_eq!(bed.store.lanes().await.unwrap(), []);
        let (one, two) = (register(bed, "https://one.example").await, register(bed, "https://two.example").await);
        end_a_job(bed, Some("http://own.example/a")).await;
        end_a_job(bed, Some("http://own.example/b")).await;
        let lanes = bed.store.lanes().await.unwrap();
        assert!(lanes.iter().all(|lane| lane.due_at == NOW));
        let names: BTreeSet<String> = lanes.into_iter().map(|lane| lane.name).collect();
        let own = format!("{} http://own.example", bed.project);
        assert_eq!(names, [one.to_string(), two.to_string(), own.clone()].into());
        assert_eq!(claim(bed, &own, NOW).await.len(), 2);
        let due = bed.store.lanes().await.unwrap().into_iter().find(|lane| lane.name == own).unwrap();
        assert_eq!(due.due_at, NOW.plus_ms(LEASE), "what is claimed is due when its lease ends");
    }

    async fn a_claimed_delivery_is_nobody_else_s_until_its_lease_ends(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        end_a_job(bed, None).await;
        let claimed = claim_lanes(bed, &[&lane], 10, NOW).await;
        assert_eq!(claimed[0].secrets.as_ref().unwrap().current, "sealed");
        assert_eq!(claimed[0].deliveries.len(), 1);
        assert_eq!(claim(bed, &lane, NOW.plus_ms(LEASE - 1)).await.len(), 0);
        let again = claim(bed, &lane, NOW.plus_ms(LEASE)).await;
        assert_eq!(again[0].id, claimed[0].deliveries[0].id);
        assert_eq!(again[0].body, claimed[0].deliveries[0].body);
    }

    async fn of_many_processes_each_delivery_goes_to_one(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        for _ in 0..30 {
            end_a_job(bed, None).await;
        }
        let lanes = [lane.as_str()];
        let claims = (0..10).map(|_| claim_lanes(bed, &lanes, 5, NOW));
        let claimed = futures::future::join_all(claims).await;
        let ids: Vec<_> = claimed.into_iter().flatten().flat_map(|lane| lane.deliveries).map(|one| one.id).collect();
        let distinct: BTreeSet<_> = ids.iter().cloned().collect();
        assert_eq!(distinct.len(), ids.len(), "none twice");
        let left = claim(bed, &lane, NOW).await.len();
        assert_eq!(ids.len() + left, 30);
    }

    async fn every_try_is_recorded_and_decides_what_comes_next(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        end_a_job(bed, None).await;
        let first = claim(bed, &lane, NOW).await.remove(0);
        let later = NOW.plus_ms(5_000);
        bed.store.record_attempts(vec![record(&first, Verdict::Retry(later), NOW)]).await.unwrap();
        let waiting = state(bed, &first).await;
        assert_eq!((waiting.status, waiting.attempts, waiting.tries), (DeliveryStatus::Pending, 1, 1));
        assert_eq!((waiting.next_attempt_at, waiting.lease_until), (later, None));
        let second = claim(bed, &lane, later).await.remove(0);
        bed.store.record_attempts(vec![record(&second, Verdict::Delivered, later)]).await.unwrap();
        assert_eq!(state(bed, &first).await.status, DeliveryStatus::Delivered);
        let attempts = bed.store.attempts(&first.id).await.unwrap();
        assert_eq!(attempts.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((attempts[0].started_at, attempts[0].duration_ms, attempts[0].status), (NOW, 7, Some(500)));
        assert_eq!(attempts[0].answer.as_deref(), Some("no"));
        assert_eq!(bed.store.last_attempt(&first.id).await.unwrap().as_ref(), attempts.last());
        assert_eq!(bed.store.lanes().await.unwrap(), []);
    }

    async fn a_try_that_lost_its_claim_counts_only_if_it_got_through(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        end_a_job(bed, None).await;
        let lost = claim(bed, &lane, NOW).await.remove(0);
        let later = NOW.plus_ms(LEASE);
        let held = claim(bed, &lane, later).await.remove(0);
        bed.store.record_attempts(vec![record(&lost, Verdict::GivenUp, later)]).await.unwrap();
        let now = state(bed, &held).await;
        assert_eq!((now.status, now.attempts, now.tries), (DeliveryStatus::Pending, 1, 0));
        assert_eq!(now.lease_until, held.lease_until, "still the other's");
        bed.store.record_attempts(vec![record(&lost, Verdict::Delivered, later)]).await.unwrap();
        assert_eq!(state(bed, &held).await.status, DeliveryStatus::Delivered);
    }

    async fn a_batch_records_many_deliveries_and_one_of_them_twice(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        for _ in 0..3 {
            end_a_job(bed, None).await;
        }
        let lost = claim(bed, &lane, NOW).await;
        let later = NOW.plus_ms(LEASE);
        let held = claim(bed, &lane, later).await;
        let twice = held[0].clone();
        let before = lost.iter().find(|one| one.id == twice.id).unwrap();
        let mut records = vec![record(before, Verdict::GivenUp, NOW)];
        records.extend(held.iter().map(|one| record(one, Verdict::Delivered, later)));
        bed.store.record_attempts(records).await.unwrap();
        for one in &held {
            let (now, tries) = (state(bed, one).await, if one.id == twice.id { 2 } else { 1 });
            assert_eq!((now.status, now.attempts, now.tries), (DeliveryStatus::Delivered, tries, 1));
            assert_eq!(bed.store.attempts(&one.id).await.unwrap().len() as i64, tries);
        }
        let numbers: Vec<_> = bed.store.attempts(&twice.id).await.unwrap().iter().map(|attempt| attempt.number).collect();
        assert_eq!(numbers, [1, 2]);
    }

    async fn a_claim_that_came_to_no_try_is_handed_back(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        end_a_job(bed, None).await;
        let claimed = claim(bed, &lane, NOW).await.remove(0);
        bed.store.hand_back_deliveries(&[(claimed.id.clone(), claimed.claim)], NOW).await.unwrap();
        let again = claim(bed, &lane, NOW).await.remove(0);
        assert_eq!((again.id, again.attempts), (claimed.id.clone(), 0));
        bed.store.hand_back_deliveries(&[(claimed.id, claimed.claim)], NOW).await.unwrap();
        assert_eq!(claim(bed, &lane, NOW).await.len(), 0, "an old claim hands nothing back");
    }

    async fn a_receiver_that_is_gone_disables_its_endpoint_and_what_waits_fails(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        end_a_job(bed, None).await;
        end_a_job(bed, None).await;
        let first = claim_lanes(bed, &[&lane], 1, NOW).await.remove(0).deliveries.remove(0);
        let disabled = bed.store.record_attempts(vec![record(&first, Verdict::Gone, NOW)]).await.unwrap();
        assert_eq!(disabled, [first.endpoint_id.clone().unwrap()]);
        assert_eq!(status_of(bed).await, EndpointStatus::Disabled);
        assert_eq!(claim(bed, &lane, NOW).await.len(), 0);
        let failed = DeliveryFilter { status: Some(DeliveryStatus::Failed), ..DeliveryFilter::default() };
        assert_eq!(bed.store.deliveries(&bed.project, &failed, 10).await.unwrap().len(), 2);
        let details = bed.store.endpoint_details(&bed.project).await.unwrap();
        assert_eq!(details[0].disabled_because.as_deref(), Some("it answered 410 Gone"));
        assert_eq!(bed.store.resend_failed(&bed.project, NOW).await.unwrap(), 0, "nobody would hear it");
        assert!(bed.store.enable_endpoint(&bed.project, &first.endpoint_id.unwrap()).await.unwrap());
        assert_eq!(bed.store.resend_failed(&bed.project, NOW).await.unwrap(), 2);
        assert_eq!(claim(bed, &lane, NOW).await.len(), 2);
    }

    async fn five_days_of_nothing_but_failures_disable_an_endpoint(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        end_a_job(bed, None).await;
        let delivery = claim(bed, &lane, NOW).await.remove(0);
        let fail_at = |now: Millis| bed.store.record_attempts(vec![record(&delivery, Verdict::Retry(now), now)]);
        let ended = NOW.plus_ms(7);
        assert_eq!(fail_at(NOW).await.unwrap(), []);
        assert_eq!(fail_at(NOW.plus_ms(FAILING_DISABLES_MS - 1)).await.unwrap(), []);
        let success = record(&delivery, Verdict::Delivered, NOW.plus_ms(FAILING_DISABLES_MS - 1));
        bed.store.record_attempts(vec![success]).await.unwrap();
        assert_eq!(fail_at(NOW.plus_ms(FAILING_DISABLES_MS)).await.unwrap(), [], "a success between counts");
        let since = ended.plus_ms(FAILING_DISABLES_MS);
        assert_eq!(bed.store.endpoint_details(&bed.project).await.unwrap()[0].failing_since, Some(since));
        assert_eq!(fail_at(NOW.plus_ms(2 * FAILING_DISABLES_MS)).await.unwrap().len(), 1);
        assert_eq!(status_of(bed).await, EndpointStatus::Disabled);
    }

    async fn what_waits_for_a_deleted_endpoint_is_dropped(bed) {
        let id = register(bed, "https://one.example").await;
        end_a_job(bed, None).await;
        bed.store.delete_endpoint(&bed.project, &id).await.unwrap();
        assert_eq!(claim(bed, id.as_str(), NOW).await.len(), 0);
        assert_eq!(bed.store.lanes().await.unwrap(), []);
    }

    async fn a_resent_delivery_has_the_whole_schedule_before_it(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        end_a_job(bed, None).await;
        let first = claim(bed, &lane, NOW).await.remove(0);
        bed.store.record_attempts(vec![record(&first, Verdict::GivenUp, NOW)]).await.unwrap();
        let other = bed.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert!(!bed.store.resend_delivery(&other, &first.id, NOW).await.unwrap());
        assert!(bed.store.resend_delivery(&bed.project, &first.id, NOW).await.unwrap());
        let again = claim(bed, &lane, NOW).await.remove(0);
        assert_eq!((again.attempts, again.tries, again.body), (1, 0, first.body));
    }

    async fn deliveries_are_found_by_status_job_and_endpoint(bed) {
        let id = register(bed, "https://one.example").await;
        end_a_job(bed, Some("http://own.example")).await;
        let find = |filter: DeliveryFilter| async move {
            bed.store.deliveries(&bed.project, &filter, 10).await.unwrap()
        };
        let all = find(DeliveryFilter::default()).await;
        assert_eq!(all.len(), 2);
        assert_eq!(find(DeliveryFilter { job: Some(all[0].job_id.clone()), ..Default::default() }).await.len(), 2);
        assert_eq!(find(DeliveryFilter { endpoint: Some(id), ..Default::default() }).await.len(), 1);
        let delivered = Some(DeliveryStatus::Delivered);
        assert_eq!(find(DeliveryFilter { status: delivered, ..Default::default() }).await.len(), 0);
    }

    async fn a_record_of_a_purged_job_is_dropped(bed) {
        let lane = register(bed, "https://one.example").await.to_string();
        end_a_job(bed, None).await;
        let claimed = claim(bed, &lane, NOW).await.remove(0);
        bed.sql("DELETE FROM jobs", args![]).await;
        let recorded: Result<_, StoreError> =
            bed.store.record_attempts(vec![record(&claimed, Verdict::Delivered, NOW)]).await;
        assert_eq!(recorded.unwrap(), []);
    }
}
