//! Secret rotation, and resealing with a new master key.

use auris_domain::webhook::ROTATION_OVERLAP_MS;
use auris_service::webhooks::secrets::{Previous, WebhookSecrets};
use auris_service::webhooks::sign::{SigningSecret, signature};
use auris_service::{MasterKey, MasterKeys};

use super::receiver::{Receiver, ReceiverBehavior, Request};
use crate::test_service::TestService;

fn is_signed_with(request: &Request, secrets: &[SigningSecret]) -> bool {
    let timestamp = request.headers["webhook-timestamp"].parse().unwrap();
    let expected = signature(secrets, &request.headers["webhook-id"], timestamp, &request.body);
    request.headers["webhook-signature"] == expected
}

#[tokio::test(flavor = "multi_thread")]
async fn for_a_day_after_a_rotation_both_secrets_sign() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(200)).await);
    let (id, old) = test.endpoint(&receiver.url()).await;
    let secrets = test.secrets();
    let new = secrets.rotate_endpoint(&test.project, &id, Previous::SignsForADay).await.unwrap().unwrap();
    test.job_ends(None).await;
    test.deliver().await;
    assert!(is_signed_with(&receiver.requests()[0], &[new.clone(), old]));
    test.advance(ROTATION_OVERLAP_MS);
    test.job_ends(None).await;
    test.deliver().await;
    assert!(is_signed_with(&receiver.requests()[1], &[new]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_secret_stops_signing_at_once() {
    let (test, receiver) = (TestService::new().await, Receiver::start(ReceiverBehavior::status(200)).await);
    let secrets = test.secrets();
    let old = secrets.of_project(&test.project).await.unwrap();
    let new = secrets.rotate_project(&test.project, Previous::Dropped).await.unwrap();
    assert!(new != old[0]);
    test.job_ends(Some(&receiver.url())).await;
    test.deliver().await;
    assert!(is_signed_with(&receiver.requests()[0], &[new]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secret_of_a_project_is_created_once() {
    let test = TestService::new().await;
    let secrets = test.secrets();
    let first = secrets.of_project(&test.project).await.unwrap();
    assert!(first == secrets.of_project(&test.project).await.unwrap());
    assert_eq!(first.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn resealed_secrets_open_with_the_new_master_key_alone() {
    let test = TestService::new().await;
    let store = test.store.clone();
    let (old_key, new_key) = (MasterKey::generate(), MasterKey::generate());
    let secrets_with = |keys: MasterKeys| WebhookSecrets::new(store.clone(), keys, test.clock.clone());
    let before = secrets_with(old_key.clone().into());
    let first = before.of_project(&test.project).await.unwrap();
    before.rotate_project(&test.project, Previous::SignsForADay).await.unwrap();
    assert!(secrets_with(new_key.clone().into()).of_project(&test.project).await.is_err());
    let both = secrets_with(MasterKeys::new(new_key.clone(), vec![old_key.clone()]));
    assert_eq!(both.reseal().await.unwrap(), 2);
    let after = secrets_with(new_key.into()).of_project(&test.project).await.unwrap();
    assert_eq!(after.len(), 2);
    assert!(after[1] == first[0], "the secrets are unchanged");
    assert!(secrets_with(old_key.into()).of_project(&test.project).await.is_err());
}
