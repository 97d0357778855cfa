//! Idempotency keys.

use super::builders::{held, new_job, run_of};
use super::on_both_databases;
use super::test_store::{NOW, TestStore};
use auris_store::{KeyHold, KeyScope, Keyed, NewJob, StoreError, StoredResponse};

const DAY: i64 = 24 * 3_600_000;

on_both_databases! {
    async fn a_reserved_key_is_in_use_until_it_has_an_answer(test) {
        let (hold, answer) = held(&test.project, "one");
        let until = NOW.plus_ms(1_000);
        let reserve = || test.store.reserve_key(&hold, until, NOW);
        assert_eq!(reserve().await.unwrap(), Keyed::Done(()));
        assert_eq!(reserve().await.unwrap(), Keyed::KeyInUse);
        let another = KeyHold { fingerprint: "other".into(), ..hold.clone() };
        let other = test.store.reserve_key(&another, until, NOW).await.unwrap();
        assert_eq!(other, Keyed::KeyReused);
        test.store_answer(&answer, NOW).await.unwrap();
        let first = StoredResponse { status: 202, content_type: "application/json".into(), body: answer.body.clone() };
        assert_eq!(reserve().await.unwrap(), Keyed::Replayed(first.clone()));
        let known = test.store.lookup_key(&answer.scope, NOW).await.unwrap().unwrap();
        assert_eq!((known.answer, known.lease_until), (Some(first), None));
    }

    async fn a_reservation_with_an_expired_lease_can_be_taken_over(test) {
        let (hold, _) = held(&test.project, "one");
        let until = NOW.plus_ms(1_000);
        test.store.reserve_key(&hold, until, NOW).await.unwrap();
        let another = KeyHold { fingerprint: "another".into(), holder: "two".into(), ..hold };
        let taken = test.store.reserve_key(&another, until.plus_ms(1_000), until).await.unwrap();
        assert_eq!(taken, Keyed::Done(()));
    }

    async fn a_holder_that_lost_its_key_cannot_change_its_successor_s(test) {
        let (lost, late) = held(&test.project, "one");
        let (next, answer) = held(&test.project, "two");
        let until = NOW.plus_ms(1_000);
        test.store.reserve_key(&lost, until, NOW).await.unwrap();
        test.store.reserve_key(&next, until.plus_ms(1_000), until).await.unwrap();
        test.store.release_key(&lost).await.unwrap();
        test.store.extend_key(&lost, until.plus_ms(90_000)).await.unwrap();
        let known = test.store.lookup_key(&next.scope, until).await.unwrap().unwrap();
        assert_eq!(known.lease_until, Some(until.plus_ms(1_000)), "the successor still holds it");
        assert!(matches!(test.store_answer(&late, until).await, Err(StoreError::Conflict)));
        test.store_answer(&answer, until).await.unwrap();
        let known = test.store.lookup_key(&next.scope, until).await.unwrap().unwrap();
        assert_eq!(known.answer.unwrap().body, answer.body);
    }

    async fn a_released_key_is_unused_and_one_with_an_answer_is_not_released(test) {
        let (hold, answer) = held(&test.project, "one");
        test.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        test.store.release_key(&hold).await.unwrap();
        assert!(test.store.lookup_key(&answer.scope, NOW).await.unwrap().is_none());
        test.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        test.store_answer(&answer, NOW).await.unwrap();
        test.store.release_key(&hold).await.unwrap();
        assert!(test.store.lookup_key(&answer.scope, NOW).await.unwrap().is_some());
    }

    async fn a_held_key_is_in_use_until_its_request_is_answered(test) {
        let until = NOW.plus_ms(1_000);
        let (id, hold) = test.held_job("one", until).await;
        let again = |now| {
            let (_, answer) = held(&test.project, "two");
            let run = run_of(&test.project, &[&[]], NOW);
            test.store.create_job(NewJob { idempotency: Some(answer), now, ..new_job(run) })
        };
        assert_eq!(again(NOW).await.unwrap(), Keyed::KeyInUse);
        assert_eq!(again(until.plus_ms(1)).await.unwrap(), Keyed::KeyInUse, "its job must not be created twice");
        let known = test.store.lookup_key(&hold.scope, NOW).await.unwrap().unwrap();
        assert_eq!((known.lease_until, known.job), (Some(until), Some(id.clone())));
        let body = "{\"status\": \"completed\"}";
        test.store.answer_held_key(&hold, body, &id).await.unwrap();
        assert!(matches!(again(NOW).await.unwrap(), Keyed::Replayed(answer) if answer.body == body));
        assert!(matches!(test.store.answer_held_key(&hold, "{}", &id).await, Err(StoreError::Conflict)));
    }

    async fn a_held_key_is_taken_over_when_its_request_has_gone(test) {
        let until = NOW.plus_ms(1_000);
        let (id, hold) = test.held_job("one", until).await;
        let next = KeyHold { holder: "two".into(), ..hold.clone() };
        let take = |hold: KeyHold, now| async move { test.store.take_held_key(&hold, until.plus_ms(9_000), now).await };
        assert!(!take(next.clone(), NOW).await.unwrap(), "the first request still waits");
        test.store.extend_key(&hold, until.plus_ms(500)).await.unwrap();
        assert!(!take(next.clone(), until).await.unwrap(), "its lease was extended");
        test.store.release_key(&hold).await.unwrap();
        assert!(test.store.lookup_key(&hold.scope, NOW).await.unwrap().is_some(), "a key with a job is never free");
        test.store.leave_held_key(&hold).await.unwrap();
        assert!(take(next.clone(), NOW).await.unwrap());
        assert!(!take(hold.clone(), NOW).await.unwrap(), "one request at a time");
        assert!(matches!(test.store.answer_held_key(&hold, "{}", &id).await, Err(StoreError::Conflict)));
        test.store.answer_held_key(&next, "{}", &id).await.unwrap();
    }

    async fn of_many_concurrent_reservations_one_succeeds(test) {
        let tries = (0..50).map(|number| {
            let store = test.store.clone();
            let (hold, _) = held(&test.project, &number.to_string());
            tokio::spawn(async move { store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap() })
        });
        let made = futures::future::try_join_all(tries).await.unwrap();
        assert_eq!(made.iter().filter(|made| **made == Keyed::Done(())).count(), 1);
    }

    async fn keys_expire_after_a_day(test) {
        let (hold, answer) = held(&test.project, "one");
        test.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
        test.store_answer(&answer, NOW).await.unwrap();
        assert_eq!(test.store.sweep_keys(NOW.plus_ms(DAY - 1), 100).await.unwrap(), 0);
        assert!(test.store.lookup_key(&answer.scope, NOW.plus_ms(DAY)).await.unwrap().is_none());
        let new = KeyHold { fingerprint: "new".into(), ..hold };
        let again = test.store.reserve_key(&new, NOW.plus_ms(DAY + 1), NOW.plus_ms(DAY)).await.unwrap();
        assert_eq!(again, Keyed::Done(()));
        assert_eq!(test.store.sweep_keys(NOW.plus_ms(3 * DAY), 100).await.unwrap(), 1);
    }

    async fn the_same_key_in_another_scope_is_another_key(test) {
        let (hold, _) = held(&test.project, "one");
        let scope = hold.scope.clone();
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        for scope in [
            scope.clone(),
            KeyScope { project_id: other, ..scope.clone() },
            KeyScope { path: "/v1/webhook_endpoints".into(), ..scope.clone() },
            KeyScope { key: "other".into(), ..scope.clone() },
        ] {
            let hold = KeyHold { scope, ..hold.clone() };
            let made = test.store.reserve_key(&hold, NOW.plus_ms(1_000), NOW).await.unwrap();
            assert_eq!(made, Keyed::Done(()));
        }
    }
}
