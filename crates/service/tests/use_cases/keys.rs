//! API keys and the clock: what is remembered of a key ages even if the time of day is set back.

use auris_domain::error::ErrorCode;
use auris_domain::id::KeyId;
use auris_domain::project::{ApiKey, KeySecret, Scope};
use auris_service::ServiceError;

use crate::test_service::{NOW, TestService};

const HOUR_MS: i64 = 3_600_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_stops_working_although_the_clock_was_set_back() {
    let test = TestService::new().await;
    let secret = KeySecret::generate();
    let key = ApiKey {
        id: KeyId::generate(NOW),
        project_id: test.project.clone(),
        name: "laptop".into(),
        scopes: vec![Scope::Read],
        hint: secret.hint(),
        created_at: NOW.timestamp(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    test.store.create_key(&key, &secret).await.unwrap();
    let header = format!("Bearer {}", secret.reveal());
    test.service.authenticate(Some(header.as_bytes())).await.unwrap();
    test.advance(-HOUR_MS);
    assert!(test.store.revoke_key(&test.project, &key.id, test.clock.now()).await.unwrap());
    test.advance(5_000);
    let refused = test.service.authenticate(Some(header.as_bytes())).await;
    assert!(
        matches!(&refused, Err(ServiceError::Refused(error)) if error.code == ErrorCode::RevokedApiKey),
        "{refused:?}"
    );
}
