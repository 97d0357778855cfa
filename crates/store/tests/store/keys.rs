//! Idempotency keys by themselves.

use super::bed::{Bed, NOW};
use super::build::held;
use super::on_both;
use crate::{KeyHold, KeyScope, Reservation, StoredAnswer};

const DAY: i64 = 24 * 3_600_000;

on_both! {
    async fn a_reserved_key_is_in_use_until_it_is_answered(bed) {
        let (hold, answer) = held(&bed.project, "one");
        let until = NOW.plus_ms(1_000);
        let reserve = || bed.store.reserve_key(&hold, until, NOW);
        assert_eq!(reserve().await.unwrap(), Reservation::Reserved);
        assert_eq!(reserve().await.unwrap(), Reservation::KeyInUse);
        let another = KeyHold { fingerprint: "other".into(), ..hold.clone() };
        let other = bed.store.reserve_key(&another, until, NOW).await.unwrap();
        assert_eq!(other, Reservation::KeyReused);
        bed.store.fulfil_key(&answer, NOW).await.unwrap();
        let first = StoredAnswer { status: 202, content_type: "application/json".into(), body: answer.body.clone() };
        assert_eq!(reserve().await.unwrap(), Reservation::Replayed(first.clone()));
        let known = bed.store.lookup_key(&answer.scope, NOW).await.unwrap().unwrap();
        assert_eq!((known.answer, known.lease_until), (Some(first), None));
    }

    async fn a_reservation_whose_holder_is_gone_can_be_taken_over(bed) {
        let (hold, _) = held(&bed.project, "one");
        let until = NOW.plus_ms(1_000);
        bed.store.reserve_key(&hold, until, NOW).await.unwrap();
        let another = KeyHold { fingerprint: "another".into(), holder: "two".into(), ..hold };
        let taken = bed.store.reserve_key(&another, until.plus_ms(1_000), until).await.unwrap();
        assert_eq!(taken, Reservation::Reserved);
    }

    async fn a_holder_that_lost_its_key_settles_nothing_for_its_successor(bed) {
        let ((lost, late), (next, answer)) = (held(&bed.project, "one"), held(&bed.project, "two"));
        let until = NOW.plus_ms(1_000);
        bed.store.reserve_key(&lost, until, NOW).await.unwrap();
        bed.store.reserve_key(&next, until.plus_ms(1_000), until).await.unwrap();
        bed.store.release_key(&lost).await.unwrap();
        bed.store.extend_key(&lost, until.plus_ms(90_000)).await.unwrap();
        let known = bed.store.lookup_key(&next.scope, until).await.unwrap().unwrap();
        assert_eq!(known.lease_until, Some(until.plus_ms(1_000)), "still the successor's");
        assert!(matches!(bed.store.fulfil_key(&late, until).await, Err(crate::StoreError::Conflict)));
        bed.store.fulfil_key(&answer, until).await.unwrap();
        let known = bed.store.lookup_key(&next.scope, until).await.unwrap().unwrap();
        assert_eq!(known.answer.unwrap().body, answer.body);
    }

    async fn a_released_key_is_free_and_an_answered_one_is_not_released(bed) {
        let (hold, answer) = held(&bed.project, "one");
        bed.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        bed.store.release_key(&hold).await.unwrap();
        assert!(bed.store.lookup_key(&answer.scope, NOW).await.unwrap().is_none());
        bed.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        bed.store.fulfil_key(&answer, NOW).await.unwrap();
        bed.store.release_key(&hold).await.unwrap();
        assert!(bed.store.lookup_key(&answer.scope, NOW).await.unwrap().is_some());
    }

    async fn of_many_reservations_one_is_made(bed) {
        let tries = (0..50).map(|number| {
            let (store, (hold, _)) = (bed.store.clone(), held(&bed.project, &number.to_string()));
            tokio::spawn(async move { store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap() })
        });
        let made = futures::future::try_join_all(tries).await.unwrap();
        assert_eq!(made.iter().filter(|made| **made == Reservation::Reserved).count(), 1);
    }

    async fn keys_are_forgotten_after_a_day(bed) {
        let (hold, answer) = held(&bed.project, "one");
        bed.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        bed.store.fulfil_key(&answer, NOW).await.unwrap();
        assert_eq!(bed.store.sweep_keys(NOW.plus_ms(DAY - 1), 100).await.unwrap(), 0);
        assert!(bed.store.lookup_key(&answer.scope, NOW.plus_ms(DAY)).await.unwrap().is_none());
        let new = KeyHold { fingerprint: "new".into(), ..hold };
        let again = bed.store.reserve_key(&new, NOW.plus_ms(DAY + 1), NOW.plus_ms(DAY)).await.unwrap();
        assert_eq!(again, Reservation::Reserved);
        assert_eq!(bed.store.sweep_keys(NOW.plus_ms(3 * DAY), 100).await.unwrap(), 1);
    }

    async fn the_same_key_elsewhere_is_another_key(bed) {
        let (hold, _) = held(&bed.project, "one");
        let scope = hold.scope.clone();
        let other = bed.store.create_project("other", NOW).await.unwrap().unwrap().id;
        for scope in [
            scope.clone(),
            KeyScope { project_id: other, ..scope.clone() },
            KeyScope { path: "/v1/webhook_endpoints".into(), ..scope.clone() },
            KeyScope { key: "other".into(), ..scope.clone() },
        ] {
            let hold = KeyHold { scope, ..hold.clone() };
            let made = bed.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
            assert_eq!(made, Reservation::Reserved);
        }
    }
}
