//! Receivers that hang, cut, redirect, or answer without an end.

use std::time::Duration;

use auris_store::DeliveryStatus;

use crate::bed::{Bed, Wishes};
use crate::receiver::{Receiver, Temper};

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_is_given_up_in_time_and_tried_again() {
    let bed = Bed::with(Wishes { timeout: Duration::from_millis(200), ..Wishes::default() }).await;
    let receiver = Receiver::start(Temper::Hangs).await;
    bed.job_ends(Some(&receiver.url())).await;
    assert_eq!(bed.deliver().await, 1);
    let attempt = bed.last_attempt().await;
    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some("no answer within 200 ms")));
    assert_eq!(bed.delivery().await.status, DeliveryStatus::Pending);
    receiver.becomes(Temper::status(200));
    bed.advance(5_500);
    assert_eq!(bed.deliver().await, 1);
    assert_eq!(bed.delivery().await.status, DeliveryStatus::Delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_connection_is_a_failure() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::Cuts).await);
    bed.job_ends(Some(&receiver.url())).await;
    assert_eq!(bed.deliver().await, 1);
    let attempt = bed.last_attempt().await;
    assert_eq!(attempt.status, None);
    assert!(attempt.error.is_some());
    assert_eq!(bed.delivery().await.status, DeliveryStatus::Pending);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_at_the_address_is_a_failure() {
    let bed = Bed::new().await;
    let url = Receiver::start(Temper::Cuts).await.url();
    bed.job_ends(Some(&url)).await;
    assert_eq!(bed.deliver().await, 1);
    let error = bed.last_attempt().await.error.unwrap();
    assert!(error.contains("refused") || error.contains("reset"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_a_failure_and_not_followed() {
    let target = Receiver::start(Temper::status(200)).await;
    for status in [301, 302, 303, 307, 308] {
        let bed = Bed::new().await;
        let headers: &'static str = Box::leak(format!("location: {}\r\n", target.url()).into_boxed_str());
        let receiver = Receiver::start(Temper::Answer { status, headers, body: "" }).await;
        bed.job_ends(Some(&receiver.url())).await;
        assert_eq!(bed.deliver().await, 1, "{status}");
        assert_eq!(bed.last_attempt().await.status, Some(i64::from(status)));
        assert_eq!(bed.delivery().await.status, DeliveryStatus::Pending);
    }
    assert_eq!(target.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_an_end_is_read_no_further_than_needed() {
    for (status, expected) in [(200, DeliveryStatus::Delivered), (500, DeliveryStatus::Pending)] {
        let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::NeverEnds(status)).await);
        bed.job_ends(Some(&receiver.url())).await;
        assert_eq!(bed.deliver().await, 1);
        assert_eq!(bed.delivery().await.status, expected);
        let attempt = bed.last_attempt().await;
        assert_eq!(attempt.status, Some(i64::from(status)));
        assert_eq!(attempt.answer, Some("x".repeat(1024)), "the first kilobyte");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_database_holds_is_left_out_of_an_answer() {
    let temper = Temper::Answer { status: 400, headers: "", body: "a\0b" };
    let (bed, receiver) = (Bed::new().await, Receiver::start(temper).await);
    bed.job_ends(Some(&receiver.url())).await;
    assert_eq!(bed.deliver().await, 1);
    assert_eq!(bed.last_attempt().await.answer.as_deref(), Some("a\u{fffd}b"));
}
