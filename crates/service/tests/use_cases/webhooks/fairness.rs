//! A slow or dead receiver does not delay the others.

use std::time::Duration;

use auris_store::DeliveryStatus;

use super::receiver::{Receiver, ReceiverBehavior};
use crate::test_service::{TestService, TestSettings};

const JOBS: usize = 60;

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_uses_only_its_own_slots() {
    // The timeout is longer than the test, so no delivery arrives because the hanging receiver timed out.
    let test =
        TestService::with(TestSettings { timeout: Duration::from_secs(600), ..TestSettings::default() })
            .await;
    let (hanging, good) = (
        Receiver::start(ReceiverBehavior::Hangs).await,
        Receiver::start(ReceiverBehavior::status(200)).await,
    );
    test.endpoint(&hanging.url()).await;
    test.endpoint(&good.url()).await;
    for _ in 0..JOBS {
        test.job_ends(None).await;
    }
    let running = tokio::spawn(test.deliverer.clone().run());
    good.wait_for_requests(JOBS).await;
    hanging.wait_for_requests(4).await;
    assert_eq!(hanging.requests().len(), 4, "the maximum number of concurrent attempts per receiver");
    test.stop.cancel();
    running.await.unwrap();
    let left = test.deliveries().await.iter().filter(|one| one.status == DeliveryStatus::Pending).count();
    assert_eq!(left, JOBS);
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_queued_for_a_hanging_receiver_are_handed_back_at_the_stop() {
    let test =
        TestService::with(TestSettings { timeout: Duration::from_secs(600), ..TestSettings::default() })
            .await;
    let receiver = Receiver::start(ReceiverBehavior::status(200)).await;
    test.endpoint(&receiver.url()).await;
    for _ in 0..5 * JOBS {
        test.job_ends(None).await;
    }
    let running = tokio::spawn(test.deliverer.clone().run());
    // The receiver answers quickly at first, so that all deliveries are claimed ahead.
    receiver.wait_for_requests(20).await;
    receiver.set_behavior(ReceiverBehavior::Hangs);
    receiver.wait_for_hanging(4).await;
    test.stop.cancel();
    running.await.unwrap();
    let left = test.deliveries().await;
    let count = |status| left.iter().filter(|one| one.status == status).count();
    let delivered = count(DeliveryStatus::Delivered);
    assert_eq!(receiver.requests().len(), delivered + 4, "all but the hanging four were recorded");
    let held = left.iter().filter(|one| one.lease_until.is_some()).count();
    assert_eq!(held, 4, "only the deliveries that were being sent keep their leases");
    assert_eq!(count(DeliveryStatus::Pending), 5 * JOBS - delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_receiver_is_paused_and_then_probed_with_one_delivery() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(500)).await);
    test.endpoint(&receiver.url()).await;
    for _ in 0..JOBS {
        test.job_ends(None).await;
    }
    test.deliver().await;
    let before = receiver.requests().len();
    assert!((5..=8).contains(&before), "the breaker opens after five failures: {before}");
    test.advance(9_999);
    test.deliver().await;
    assert_eq!(receiver.requests().len(), before, "nothing while it is open");
    test.advance(1);
    test.deliver().await;
    assert_eq!(receiver.requests().len(), before + 1, "one probe");
    receiver.set_behavior(ReceiverBehavior::status(200));
    test.advance(20_000);
    test.deliver().await;
    let delivered =
        test.deliveries().await.iter().filter(|one| one.status == DeliveryStatus::Delivered).count();
    assert!(delivered >= JOBS - before - 1, "after a successful probe the rest is sent: {delivered}");
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_claimed_by_a_dead_process_are_sent_when_their_lease_ends() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(200)).await);
    let (id, _) = test.endpoint(&receiver.url()).await;
    test.job_ends(None).await;
    let wanted = [auris_store::ReceiverClaim { receiver: id.to_string(), limit: 10 }];
    let now = test.clock.now();
    let dead = test.store.claim_deliveries(&wanted, now, now.plus_ms(30_000)).await.unwrap();
    assert_eq!(dead[0].deliveries.len(), 1);
    test.advance(29_999);
    assert_eq!(test.deliver().await, 0);
    test.advance(1);
    assert_eq!(test.deliver().await, 1);
    assert_eq!(receiver.requests()[0].body, dead[0].deliveries[0].body);
}
