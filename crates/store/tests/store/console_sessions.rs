//! Sessions of the console, operator keys and sign-in links.

use std::collections::BTreeMap;

use auris_domain::id::{KeyId, OperatorKeyId, SessionId};
use auris_domain::project::{ApiKey, KeySecret, Scope};
use auris_domain::secret::{LinkSecret, OperatorKeySecret, SessionSecret};
use auris_domain::session::{OperatorKey, Session, SessionOwner};
use auris_domain::time::{Millis, Timestamp};

use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};

fn seconds(seconds: i64) -> Timestamp {
    NOW.timestamp().plus_seconds(seconds)
}

impl TestStore {
    async fn operator_key(&self, expires_at: Option<Timestamp>) -> (OperatorKey, OperatorKeySecret) {
        let secret = OperatorKeySecret::generate();
        let key = OperatorKey {
            id: OperatorKeyId::generate(NOW),
            name: "laptop".into(),
            hint: secret.hint(),
            created_at: NOW.timestamp(),
            expires_at,
            revoked_at: None,
            last_used_at: None,
        };
        self.store.create_operator_key(&key, &secret).await.unwrap();
        (key, secret)
    }

    async fn session(&self, owner: SessionOwner) -> (Session, SessionSecret) {
        let secret = SessionSecret::generate();
        let session = Session {
            id: SessionId::generate(NOW),
            owner,
            created_at: NOW.timestamp(),
            expires_at: seconds(60),
        };
        self.store.create_session(&session, &secret, NOW).await.unwrap();
        (session, secret)
    }

    async fn api_key(&self) -> ApiKey {
        let secret = KeySecret::generate();
        let key = ApiKey {
            id: KeyId::generate(NOW),
            project_id: self.project.clone(),
            name: "user".into(),
            scopes: vec![Scope::Read],
            hint: secret.hint(),
            created_at: NOW.timestamp(),
            expires_at: None,
            revoked_at: None,
            last_used_at: None,
        };
        self.store.create_key(&key, &secret).await.unwrap();
        key
    }
}

on_both_databases! {
    async fn a_session_is_found_by_its_secret_and_by_its_id_until_it_is_deleted(test) {
        let (session, secret) = test.session(SessionOwner::OperatorWithLink).await;
        let found = test.store.find_session(&secret, NOW).await.unwrap().unwrap();
        assert_eq!((&found.session, found.operator_key_ended), (&session, false));
        assert!(found.user.is_none());
        assert_eq!(test.store.session(&session.id, NOW).await.unwrap().unwrap().session, session);
        assert!(test.store.find_session(&SessionSecret::generate(), NOW).await.unwrap().is_none());
        assert!(test.store.delete_session(&session.id).await.unwrap());
        assert!(!test.store.delete_session(&session.id).await.unwrap());
        assert!(test.store.find_session(&secret, NOW).await.unwrap().is_none());
        assert!(test.store.session(&session.id, NOW).await.unwrap().is_none());
    }

    async fn sessions_of_operators_are_listed_while_they_are_valid_and_can_be_ended(test) {
        let (key, _) = test.operator_key(Some(seconds(30))).await;
        let (with_key, _) = test.session(SessionOwner::OperatorWithKey(key.id.clone())).await;
        let (with_link, secret) = test.session(SessionOwner::OperatorWithLink).await;
        let (of_user, _) = test.session(SessionOwner::ProjectUser(test.api_key().await.id)).await;
        let listed = |moment: Millis| async move {
            let sessions = test.store.operator_sessions(moment).await.unwrap().into_iter();
            sessions.map(|found| (found.session.id, found.key_name)).collect::<BTreeMap<_, _>>()
        };
        let named = [(with_key.id.clone(), Some(key.name)), (with_link.id.clone(), None)];
        assert_eq!(listed(NOW).await, BTreeMap::from(named));
        // The key expires before its session does.
        let later = listed(Millis(NOW.0 + 30_000)).await;
        assert_eq!(later.keys().collect::<Vec<_>>(), [&with_link.id]);
        assert!(listed(Millis(NOW.0 + 60_000)).await.is_empty());
        assert!(test.store.delete_operator_session(&with_link.id).await.unwrap());
        assert!(!test.store.delete_operator_session(&with_link.id).await.unwrap());
        assert!(!test.store.delete_operator_session(&of_user.id).await.unwrap());
        assert!(test.store.find_session(&secret, NOW).await.unwrap().is_none());
        assert!(test.store.session(&of_user.id, NOW).await.unwrap().is_some());
    }

    async fn the_secret_of_a_session_is_not_stored(test) {
        let (_, secret) = test.session(SessionOwner::OperatorWithLink).await;
        let hashes = test.texts("SELECT hash FROM sessions", args![]).await;
        assert_eq!(hashes, [secret.hash()]);
        assert!(!hashes[0].contains(secret.reveal()));
    }

    async fn the_session_of_a_user_comes_with_the_key_and_its_project(test) {
        let key = test.api_key().await;
        let (session, secret) = test.session(SessionOwner::ProjectUser(key.id.clone())).await;
        let found = test.store.find_session(&secret, NOW).await.unwrap().unwrap();
        let (owner, project) = found.user.unwrap();
        assert_eq!((found.session, owner, project.id), (session.clone(), key.clone(), test.project.clone()));
        test.store.revoke_key(&test.project, &key.id, NOW).await.unwrap();
        let (revoked, _) = test.store.session(&session.id, NOW).await.unwrap().unwrap().user.unwrap();
        assert_eq!(revoked.revoked_at, Some(NOW.timestamp()), "the caller checks the key");
    }

    async fn expired_sessions_are_removed_when_a_new_one_is_stored(test) {
        let (_, old) = test.session(SessionOwner::OperatorWithLink).await;
        let late = NOW.plus_ms(60_000);
        assert!(test.store.find_session(&old, late).await.unwrap().is_some(), "the caller checks the time");
        let session = Session {
            id: SessionId::generate(late),
            owner: SessionOwner::OperatorWithLink,
            created_at: late.timestamp(),
            expires_at: seconds(120),
        };
        test.store.create_session(&session, &SessionSecret::generate(), late).await.unwrap();
        assert!(test.store.find_session(&old, late).await.unwrap().is_none());
        assert_eq!(test.number("SELECT COUNT(*) FROM sessions", args![]).await, 1);
    }

    async fn an_operator_key_is_found_by_its_secret_and_its_use_recorded_once_a_minute(test) {
        let (key, secret) = test.operator_key(None).await;
        assert_eq!(test.store.find_operator_key(&secret).await.unwrap(), Some(key.clone()));
        assert_eq!(test.store.find_operator_key(&OperatorKeySecret::generate()).await.unwrap(), None);
        for (age, used) in [(0, 0), (30_000, 0), (61_000, 61)] {
            test.store.touch_operator_key(&key.id, NOW.plus_ms(age)).await.unwrap();
            let keys = test.store.operator_keys().await.unwrap();
            assert_eq!(keys[0].last_used_at, Some(seconds(used)));
        }
        let (other, _) = test.operator_key(Some(seconds(5))).await;
        assert_eq!(test.store.operator_keys().await.unwrap().len(), 2);
        assert!(other.is_valid(seconds(4)) && !other.is_valid(seconds(5)));
    }

    async fn a_revoked_operator_key_stays_listed_and_loses_its_sessions(test) {
        let (key, secret) = test.operator_key(None).await;
        let (_, own) = test.session(SessionOwner::OperatorWithKey(key.id.clone())).await;
        let (_, other) = test.session(SessionOwner::OperatorWithLink).await;
        assert!(!test.store.find_session(&own, NOW).await.unwrap().unwrap().operator_key_ended);
        assert!(test.store.revoke_operator_key(&key.id, NOW).await.unwrap());
        assert!(test.store.revoke_operator_key(&key.id, NOW.plus_ms(9_000)).await.unwrap());
        assert!(!test.store.revoke_operator_key(&OperatorKeyId::generate(NOW), NOW).await.unwrap());
        let revoked = test.store.find_operator_key(&secret).await.unwrap().unwrap();
        assert_eq!(revoked.revoked_at, Some(NOW.timestamp()));
        assert!(test.store.find_session(&own, NOW).await.unwrap().is_none());
        assert!(test.store.find_session(&other, NOW).await.unwrap().is_some());
    }

    async fn a_session_ends_when_its_operator_key_expires(test) {
        let (key, _) = test.operator_key(Some(seconds(10))).await;
        let (session, secret) = test.session(SessionOwner::OperatorWithKey(key.id)).await;
        let ended = async |ms| test.store.find_session(&secret, NOW.plus_ms(ms)).await.unwrap().unwrap().operator_key_ended;
        assert!(!ended(9_999).await && ended(10_000).await);
        let found = test.store.session(&session.id, NOW.plus_ms(10_000)).await.unwrap().unwrap();
        assert!(found.operator_key_ended);
    }

    async fn a_sign_in_link_is_used_once_and_in_time(test) {
        let [used, late, other] = [(); 3].map(|()| LinkSecret::generate());
        for link in [&used, &late] {
            test.store.create_link(link, NOW, seconds(10)).await.unwrap();
        }
        assert!(!test.store.use_link(&other, NOW).await.unwrap());
        assert!(test.store.use_link(&used, NOW).await.unwrap());
        assert!(!test.store.use_link(&used, NOW).await.unwrap());
        assert!(!test.store.use_link(&late, NOW.plus_ms(10_000)).await.unwrap());
        test.store.create_link(&other, NOW.plus_ms(10_000), seconds(20)).await.unwrap();
        assert_eq!(test.number("SELECT COUNT(*) FROM sign_in_links", args![]).await, 1, "expired links are removed");
    }
}
