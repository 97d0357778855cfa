//! One slow or dead receiver delays no other.

use std::time::Duration;

use auris_store::{Delivery, DeliveryStatus};

use crate::bed::{Bed, Wishes};
use crate::receiver::{Receiver, Temper};

const JOBS: usize = 60;

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_takes_no_more_than_its_own_places() {
    // Longer than any test lasts: whatever arrives did not wait for the hanging one.
    let bed = Bed::with(Wishes { timeout: Duration::from_secs(600), ..Wishes::default() }).await;
    let (hanging, good) = (Receiver::start(Temper::Hangs).await, Receiver::start(Temper::status(200)).await);
    bed.endpoint(&hanging.url()).await;
    bed.endpoint(&good.url()).await;
    for _ in 0..JOBS {
        bed.job_ends(None).await;
    }
    let running = tokio::spawn(bed.deliverer.clone().run());
    good.received(JOBS).await;
    hanging.received(4).await;
    assert_eq!(hanging.requests().len(), 4, "as many as one receiver is sent at once");
    bed.stop.cancel();
    running.await.unwrap();
    let left = bed.deliveries().await.iter().filter(|one| one.status == DeliveryStatus::Pending).count();
    assert_eq!(left, JOBS);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_behind_a_receiver_that_hangs_is_handed_back_at_the_stop() {
    let bed = Bed::with(Wishes { timeout: Duration::from_secs(600), ..Wishes::default() }).await;
    let receiver = Receiver::start(Temper::status(200)).await;
    bed.endpoint(&receiver.url()).await;
    for _ in 0..5 * JOBS {
        bed.job_ends(None).await;
    }
    let running = tokio::spawn(bed.deliverer.clone().run());
    // It is quick at first, so that everything is claimed ahead.
    receiver.received(20).await;
    receiver.becomes(Temper::Hangs);
    let count =
        |deliveries: &[Delivery], status| deliveries.iter().filter(|one| one.status == status).count();
    let mut delivered = 0;
    for _ in 0..500 {
        delivered = count(&bed.deliveries().await, DeliveryStatus::Delivered);
        if receiver.requests().len() == delivered + 4 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(receiver.requests().len(), delivered + 4, "four hang");
    bed.stop.cancel();
    running.await.unwrap();
    let left = bed.deliveries().await;
    let held = left.iter().filter(|one| one.lease_until.is_some()).count();
    assert_eq!(held, 4, "only what was being sent waits for its lease");
    assert_eq!(count(&left, DeliveryStatus::Pending), 5 * JOBS - delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_receiver_is_left_in_peace_and_probed_with_one_delivery() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(500)).await);
    bed.endpoint(&receiver.url()).await;
    for _ in 0..JOBS {
        bed.job_ends(None).await;
    }
    bed.deliver().await;
    let before = receiver.requests().len();
    assert!((5..=8).contains(&before), "the breaker opens after five failures: {before}");
    bed.advance(9_999);
    bed.deliver().await;
    assert_eq!(receiver.requests().len(), before, "nothing while it is open");
    bed.advance(1);
    bed.deliver().await;
    assert_eq!(receiver.requests().len(), before + 1, "one probe");
    receiver.becomes(Temper::status(200));
    bed.advance(20_000);
    bed.deliver().await;
    let delivered =
        bed.deliveries().await.iter().filter(|one| one.status == DeliveryStatus::Delivered).count();
    assert!(delivered >= JOBS - before - 1, "a probe that succeeds lets the rest through: {delivered}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_left_is_delivered_when_its_lease_ends() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(200)).await);
    let (id, _) = bed.endpoint(&receiver.url()).await;
    bed.job_ends(None).await;
    let wanted = [auris_store::LaneClaim { lane: id.to_string(), limit: 10 }];
    let now = bed.service.clock.now();
    let dead = bed.service.store.claim_deliveries(&wanted, now, now.plus_ms(30_000)).await.unwrap();
    assert_eq!(dead[0].deliveries.len(), 1);
    bed.advance(29_999);
    assert_eq!(bed.deliver().await, 0);
    bed.advance(1);
    assert_eq!(bed.deliver().await, 1);
    assert_eq!(receiver.requests()[0].body, dead[0].deliveries[0].body);
}
