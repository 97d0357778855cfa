//! When a failed delivery is tried again, and when no more.

use auris_domain::webhook::{EndpointStatus, RETRY_SECONDS};
use auris_service::webhooks::sign::signature;
use auris_store::DeliveryStatus;

use crate::bed::{Bed, NOW};
use crate::receiver::{Receiver, Temper};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_signed_over_the_bytes_that_are_sent() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(204)).await);
    let (_, secret) = bed.endpoint(&receiver.url()).await;
    bed.job_ends(None).await;
    assert_eq!(bed.deliver().await, 1);
    let delivery = bed.delivery().await;
    assert_eq!((delivery.status, delivery.attempts), (DeliveryStatus::Delivered, 1));
    let request = receiver.requests().remove(0);
    assert!(request.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!(request.headers["content-type"], "application/json");
    assert_eq!(request.headers["webhook-id"], delivery.event_id.as_str());
    let moment = NOW.timestamp().0;
    assert_eq!(request.headers["webhook-timestamp"], moment.to_string());
    let expected = signature(&[secret], delivery.event_id.as_str(), moment, &request.body);
    assert_eq!(request.headers["webhook-signature"], expected);
    assert_eq!(request.body, delivery.body);
    let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(body["type"], "job.cancelled");
    assert_eq!((&body["data"]["result"], &body["data"]["progress"]), (&().into(), &().into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_endpoint_and_the_job_s_own_address_hear_of_its_end() {
    let bed = Bed::new().await;
    let receivers = [
        Receiver::start(Temper::status(200)).await,
        Receiver::start(Temper::status(200)).await,
        Receiver::start(Temper::status(200)).await,
    ];
    bed.endpoint(&receivers[0].url()).await;
    bed.endpoint(&receivers[1].url()).await;
    bed.job_ends(Some(&receivers[2].url())).await;
    assert_eq!(bed.deliver().await, 3);
    let bodies: Vec<String> = receivers.iter().map(|receiver| receiver.requests().remove(0).body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    let secrets = bed.service.webhook_secrets().of_project(&bed.project).await.unwrap();
    let own = receivers[2].requests().remove(0);
    let expected = signature(&secrets, &own.headers["webhook-id"], NOW.timestamp().0, &own.body);
    assert_eq!(own.headers["webhook-signature"], expected, "signed with the project's own secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_receiver_is_tried_ten_times_with_the_same_body_and_given_up() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(500)).await);
    bed.job_ends(Some(&receiver.url())).await;
    assert_eq!(bed.deliver().await, 1);
    for seconds in RETRY_SECONDS {
        bed.advance(seconds * 1000 - 1);
        assert_eq!(bed.deliver().await, 0, "not before {seconds} seconds");
        // A tenth is the most that jitter adds.
        bed.advance(seconds * 100 + 1);
        assert_eq!(bed.deliver().await, 1, "after {seconds} seconds");
    }
    let delivery = bed.delivery().await;
    assert_eq!((delivery.status, delivery.attempts), (DeliveryStatus::Failed, 10));
    bed.advance(30 * DAY);
    assert_eq!(bed.deliver().await, 0);
    let requests = receiver.requests();
    assert_eq!(requests.len(), 10);
    let mut moments: Vec<i64> = Vec::new();
    for request in &requests {
        assert_eq!(request.body, delivery.body);
        assert_eq!(request.headers["webhook-id"], delivery.event_id.as_str());
        moments.push(request.headers["webhook-timestamp"].parse().unwrap());
    }
    assert!(moments.is_sorted_by(|one, next| one < next), "each try is signed anew: {moments:?}");
    let attempts = bed.attempts(&delivery.id).await;
    assert_eq!(attempts.len(), 10);
    assert!(attempts.iter().all(|attempt| attempt.status == Some(500)));
    assert_eq!(attempts[3].answer.as_deref(), Some("thank you"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_recovers_gets_what_waited() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(503)).await);
    bed.endpoint(&receiver.url()).await;
    bed.job_ends(None).await;
    bed.deliver().await;
    receiver.becomes(Temper::status(200));
    bed.advance(5_500);
    assert_eq!(bed.deliver().await, 1);
    assert_eq!(bed.delivery().await.status, DeliveryStatus::Delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_after_is_honoured_of_a_429_and_a_503_only() {
    for (status, headers, at_least, at_most) in [
        (429, "retry-after: 120\r\n", 120_000, 120_000),
        (503, "retry-after: Sun, 15 Nov 2026 00:10:00 GMT\r\n", 600_000, 600_000),
        (500, "retry-after: 120\r\n", 5_000, 5_500),
        (429, "retry-after: never\r\n", 5_000, 5_500),
        (429, "retry-after: 999999999\r\n", DAY, DAY),
    ] {
        let temper = Temper::Answer { status, headers, body: "" };
        let (bed, receiver) = (Bed::new().await, Receiver::start(temper).await);
        bed.job_ends(Some(&receiver.url())).await;
        bed.deliver().await;
        let wait = bed.delivery().await.next_attempt_at.since(NOW);
        assert!((at_least..=at_most).contains(&wait), "{status} {headers}: {wait}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gone_disables_the_endpoint_and_nothing_more_is_sent_there() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(410)).await);
    let (id, _) = bed.endpoint(&receiver.url()).await;
    bed.job_ends(None).await;
    assert_eq!(bed.deliver().await, 1);
    assert_eq!(bed.endpoint_status(&id).await, EndpointStatus::Disabled);
    assert_eq!(bed.delivery().await.status, DeliveryStatus::Failed);
    bed.job_ends(None).await;
    bed.advance(DAY);
    assert_eq!(bed.deliver().await, 0);
    assert_eq!(bed.deliveries().await.len(), 1, "a disabled endpoint hears of nothing");
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_days_of_failures_disable_the_endpoint() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(500)).await);
    let (id, _) = bed.endpoint(&receiver.url()).await;
    for _ in 0..5 {
        bed.job_ends(None).await;
        bed.deliver().await;
        assert_eq!(bed.endpoint_status(&id).await, EndpointStatus::Enabled);
        bed.advance(DAY + HOUR);
    }
    bed.job_ends(None).await;
    bed.deliver().await;
    assert_eq!(bed.endpoint_status(&id).await, EndpointStatus::Disabled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_success_among_failures_keeps_the_endpoint_enabled() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(500)).await);
    let (id, _) = bed.endpoint(&receiver.url()).await;
    for day in 0..8 {
        receiver.becomes(Temper::status(if day == 4 { 200 } else { 500 }));
        bed.job_ends(None).await;
        bed.deliver().await;
        bed.advance(DAY);
    }
    assert_eq!(bed.endpoint_status(&id).await, EndpointStatus::Enabled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_up_delivery_can_be_sent_again() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(500)).await);
    bed.job_ends(Some(&receiver.url())).await;
    bed.deliver().await;
    for seconds in RETRY_SECONDS {
        bed.advance(seconds * 1100);
        bed.deliver().await;
    }
    let given_up = bed.delivery().await;
    assert_eq!(given_up.status, DeliveryStatus::Failed);
    receiver.becomes(Temper::status(200));
    bed.advance(HOUR);
    let now = bed.service.clock.now();
    assert!(bed.service.store.resend_delivery(&bed.project, &given_up.id, now).await.unwrap());
    assert_eq!(bed.deliver().await, 1);
    let delivered = bed.delivery().await;
    assert_eq!((delivered.status, delivered.attempts), (DeliveryStatus::Delivered, 11));
    let bodies: Vec<String> = receiver.requests().into_iter().map(|request| request.body).collect();
    assert!(bodies.iter().all(|body| *body == given_up.body));
}
