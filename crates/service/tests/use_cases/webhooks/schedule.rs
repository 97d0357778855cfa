//! When a failed delivery is retried, and when it is given up.

use auris_domain::webhook::{EndpointStatus, RETRY_SECONDS};
use auris_service::webhooks::sign::signature;
use auris_store::DeliveryStatus;

use super::receiver::{Receiver, ReceiverBehavior};
use crate::test_service::{NOW, TestService};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_signed_over_the_bytes_that_are_sent() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(204)).await);
    let (_, secret) = test.endpoint(&receiver.url()).await;
    test.job_ends(None).await;
    assert_eq!(test.deliver().await, 1);
    let delivery = test.delivery().await;
    assert_eq!((delivery.status, delivery.attempts), (DeliveryStatus::Delivered, 1));
    let request = receiver.requests().remove(0);
    assert!(request.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!(request.headers["content-type"], "application/json");
    assert_eq!(request.headers["webhook-id"], delivery.event_id.as_str());
    let timestamp = NOW.timestamp().0;
    assert_eq!(request.headers["webhook-timestamp"], timestamp.to_string());
    let expected = signature(&[secret], delivery.event_id.as_str(), timestamp, &request.body);
    assert_eq!(request.headers["webhook-signature"], expected);
    assert_eq!(request.body, delivery.body);
    let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(body["type"], "job.cancelled");
    assert_eq!((&body["data"]["result"], &body["data"]["progress"]), (&().into(), &().into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_job_is_sent_to_every_endpoint_and_to_its_webhook_url() {
    let test = TestService::new().await;
    let receivers = [
        Receiver::start(ReceiverBehavior::status(200)).await,
        Receiver::start(ReceiverBehavior::status(200)).await,
        Receiver::start(ReceiverBehavior::status(200)).await,
    ];
    test.endpoint(&receivers[0].url()).await;
    test.endpoint(&receivers[1].url()).await;
    test.job_ends(Some(&receivers[2].url())).await;
    assert_eq!(test.deliver().await, 3);
    let bodies: Vec<String> = receivers.iter().map(|receiver| receiver.requests().remove(0).body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    let secrets = test.secrets().of_project(&test.project).await.unwrap();
    let request = receivers[2].requests().remove(0);
    let expected = signature(&secrets, &request.headers["webhook-id"], NOW.timestamp().0, &request.body);
    assert_eq!(request.headers["webhook-signature"], expected, "signed with the project's secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_receiver_gets_ten_attempts_with_the_same_body() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(500)).await);
    test.job_ends(Some(&receiver.url())).await;
    assert_eq!(test.deliver().await, 1);
    for seconds in RETRY_SECONDS {
        test.advance(seconds * 1000 - 1);
        assert_eq!(test.deliver().await, 0, "not before {seconds} seconds");
        // Jitter adds at most a tenth.
        test.advance(seconds * 100 + 1);
        assert_eq!(test.deliver().await, 1, "after {seconds} seconds");
    }
    let delivery = test.delivery().await;
    assert_eq!((delivery.status, delivery.attempts), (DeliveryStatus::Failed, 10));
    test.advance(30 * DAY);
    assert_eq!(test.deliver().await, 0);
    let requests = receiver.requests();
    assert_eq!(requests.len(), 10);
    let mut timestamps: Vec<i64> = Vec::new();
    for request in &requests {
        assert_eq!(request.body, delivery.body);
        assert_eq!(request.headers["webhook-id"], delivery.event_id.as_str());
        timestamps.push(request.headers["webhook-timestamp"].parse().unwrap());
    }
    assert!(timestamps.is_sorted_by(|one, next| one < next), "each attempt is signed again: {timestamps:?}");
    let attempts = test.attempts(&delivery.id).await;
    assert_eq!(attempts.len(), 10);
    assert!(attempts.iter().all(|attempt| attempt.status == Some(500)));
    assert_eq!(attempts[3].answer.as_deref(), Some("thank you"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_recovers_gets_the_pending_delivery() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(503)).await);
    test.endpoint(&receiver.url()).await;
    test.job_ends(None).await;
    test.deliver().await;
    receiver.set_behavior(ReceiverBehavior::status(200));
    test.advance(5_500);
    assert_eq!(test.deliver().await, 1);
    assert_eq!(test.delivery().await.status, DeliveryStatus::Delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_after_is_honoured_only_for_429_and_503() {
    for (status, headers, at_least, at_most) in [
        (429, "retry-after: 120\r\n", 120_000, 120_000),
        (503, "retry-after: Sun, 15 Nov 2026 00:10:00 GMT\r\n", 600_000, 600_000),
        (500, "retry-after: 120\r\n", 5_000, 5_500),
        (429, "retry-after: never\r\n", 5_000, 5_500),
        (429, "retry-after: 999999999\r\n", DAY, DAY),
    ] {
        let behavior = ReceiverBehavior::Answer { status, headers, body: "" };
        let (test, receiver) = (TestService::new().await, Receiver::start(behavior).await);
        test.job_ends(Some(&receiver.url())).await;
        test.deliver().await;
        let wait = test.delivery().await.next_attempt_at.since(NOW);
        assert!((at_least..=at_most).contains(&wait), "{status} {headers}: {wait}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn status_410_disables_the_endpoint_and_nothing_more_is_sent_to_it() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(410)).await);
    let (id, _) = test.endpoint(&receiver.url()).await;
    test.job_ends(None).await;
    assert_eq!(test.deliver().await, 1);
    assert_eq!(test.endpoint_status(&id).await, EndpointStatus::Disabled);
    assert_eq!(test.delivery().await.status, DeliveryStatus::Failed);
    test.job_ends(None).await;
    test.advance(DAY);
    assert_eq!(test.deliver().await, 0);
    assert_eq!(test.deliveries().await.len(), 1, "a disabled endpoint gets no deliveries");
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_days_of_failures_disable_the_endpoint() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(500)).await);
    let (id, _) = test.endpoint(&receiver.url()).await;
    for _ in 0..5 {
        test.job_ends(None).await;
        test.deliver().await;
        assert_eq!(test.endpoint_status(&id).await, EndpointStatus::Enabled);
        test.advance(DAY + HOUR);
    }
    test.job_ends(None).await;
    test.deliver().await;
    assert_eq!(test.endpoint_status(&id).await, EndpointStatus::Disabled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_success_among_failures_keeps_the_endpoint_enabled() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(500)).await);
    let (id, _) = test.endpoint(&receiver.url()).await;
    for day in 0..8 {
        receiver.set_behavior(ReceiverBehavior::status(if day == 4 { 200 } else { 500 }));
        test.job_ends(None).await;
        test.deliver().await;
        test.advance(DAY);
    }
    assert_eq!(test.endpoint_status(&id).await, EndpointStatus::Enabled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_delivery_can_be_resent() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(500)).await);
    test.job_ends(Some(&receiver.url())).await;
    test.deliver().await;
    for seconds in RETRY_SECONDS {
        test.advance(seconds * 1100);
        test.deliver().await;
    }
    let failed = test.delivery().await;
    assert_eq!(failed.status, DeliveryStatus::Failed);
    receiver.set_behavior(ReceiverBehavior::status(200));
    test.advance(HOUR);
    let now = test.clock.now();
    assert!(test.store.resend_delivery(&test.project, &failed.id, now).await.unwrap());
    assert_eq!(test.deliver().await, 1);
    let delivered = test.delivery().await;
    assert_eq!((delivered.status, delivered.attempts), (DeliveryStatus::Delivered, 11));
    let bodies: Vec<String> = receiver.requests().into_iter().map(|request| request.body).collect();
    assert!(bodies.iter().all(|body| *body == failed.body));
}
