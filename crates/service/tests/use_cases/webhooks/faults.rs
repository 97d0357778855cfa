//! Receivers that hang, close the connection, redirect, or send an endless body.

use std::time::Duration;

use auris_store::DeliveryStatus;

use super::receiver::{Receiver, ReceiverBehavior};
use crate::test_service::{TestService, TestSettings};

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_at_a_hanging_receiver_times_out_and_is_retried() {
    // Long enough for the second attempt on a busy machine.
    let timeout = Duration::from_secs(3);
    let test = TestService::with(TestSettings { timeout, ..TestSettings::default() }).await;
    let receiver = Receiver::start(ReceiverBehavior::Hangs).await;
    test.job_ends(Some(&receiver.url())).await;
    assert_eq!(test.deliver().await, 1);
    let attempt = test.last_attempt().await;
    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some("no answer within 3000 ms")));
    assert_eq!(test.delivery().await.status, DeliveryStatus::Pending);
    receiver.set_behavior(ReceiverBehavior::status(200));
    test.advance(5_500);
    assert_eq!(test.deliver().await, 1);
    assert_eq!(test.delivery().await.status, DeliveryStatus::Delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_closes_early_is_a_failure() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::Cuts).await);
    test.job_ends(Some(&receiver.url())).await;
    assert_eq!(test.deliver().await, 1);
    let attempt = test.last_attempt().await;
    assert_eq!(attempt.status, None);
    assert!(attempt.error.is_some());
    assert_eq!(test.delivery().await.status, DeliveryStatus::Pending);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_connection_is_a_failure() {
    let test = TestService::new().await;
    let url = Receiver::start(ReceiverBehavior::Cuts).await.url();
    test.job_ends(Some(&url)).await;
    assert_eq!(test.deliver().await, 1);
    let error = test.last_attempt().await.error.unwrap();
    assert!(error.contains("refused") || error.contains("reset"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_a_failure_and_not_followed() {
    let target = Receiver::start(ReceiverBehavior::status(200)).await;
    for status in [301, 302, 303, 307, 308] {
        let test = TestService::new().await;
        let headers: &'static str = Box::leak(format!("location: {}\r\n", target.url()).into_boxed_str());
        let receiver = Receiver::start(ReceiverBehavior::Answer { status, headers, body: "" }).await;
        test.job_ends(Some(&receiver.url())).await;
        assert_eq!(test.deliver().await, 1, "{status}");
        assert_eq!(test.last_attempt().await.status, Some(i64::from(status)));
        assert_eq!(test.delivery().await.status, DeliveryStatus::Pending);
    }
    assert_eq!(target.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_needed_part_of_an_endless_body_is_read() {
    for (status, expected) in [(200, DeliveryStatus::Delivered), (500, DeliveryStatus::Pending)] {
        let (test, receiver) =
            (TestService::new().await, Receiver::start(ReceiverBehavior::NeverEnds(status)).await);
        test.job_ends(Some(&receiver.url())).await;
        assert_eq!(test.deliver().await, 1);
        assert_eq!(test.delivery().await.status, expected);
        let attempt = test.last_attempt().await;
        assert_eq!(attempt.status, Some(i64::from(status)));
        assert_eq!(attempt.answer, Some("x".repeat(1024)), "the first kilobyte");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn characters_that_databases_refuse_are_replaced_in_the_stored_answer() {
    let behavior = ReceiverBehavior::Answer { status: 400, headers: "", body: "a\0b" };
    let (test, receiver) = (TestService::new().await, Receiver::start(behavior).await);
    test.job_ends(Some(&receiver.url())).await;
    assert_eq!(test.deliver().await, 1);
    assert_eq!(test.last_attempt().await.answer.as_deref(), Some("a\u{fffd}b"));
}
