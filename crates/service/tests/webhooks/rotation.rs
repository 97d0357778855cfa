//! New secrets beside old ones, and new seals on both.

use auris_domain::webhook::ROTATION_OVERLAP_MS;
use auris_service::webhooks::secrets::{Previous, WebhookSecrets};
use auris_service::webhooks::sign::{SigningSecret, signature};
use auris_service::{MasterKey, MasterKeys};

use crate::bed::Bed;
use crate::receiver::{Receiver, Request, Temper};

fn is_signed_with(request: &Request, secrets: &[SigningSecret]) -> bool {
    let moment = request.headers["webhook-timestamp"].parse().unwrap();
    let expected = signature(secrets, &request.headers["webhook-id"], moment, &request.body);
    request.headers["webhook-signature"] == expected
}

#[tokio::test(flavor = "multi_thread")]
async fn for_a_day_after_a_rotation_both_secrets_sign() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(200)).await);
    let (id, old) = bed.endpoint(&receiver.url()).await;
    let secrets = bed.service.webhook_secrets();
    let new = secrets.rotate_endpoint(&bed.project, &id, Previous::SignsForADay).await.unwrap().unwrap();
    bed.job_ends(None).await;
    bed.deliver().await;
    assert!(is_signed_with(&receiver.requests()[0], &[new.clone(), old]));
    bed.advance(ROTATION_OVERLAP_MS);
    bed.job_ends(None).await;
    bed.deliver().await;
    assert!(is_signed_with(&receiver.requests()[1], &[new]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_leaked_signs_no_more_at_once() {
    let (bed, receiver) = (Bed::new().await, Receiver::start(Temper::status(200)).await);
    let secrets = bed.service.webhook_secrets();
    let old = secrets.of_project(&bed.project).await.unwrap();
    let new = secrets.rotate_project(&bed.project, Previous::Dropped).await.unwrap();
    assert!(new != old[0]);
    bed.job_ends(Some(&receiver.url())).await;
    bed.deliver().await;
    assert!(is_signed_with(&receiver.requests()[0], &[new]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_project_s_secret_is_made_once() {
    let bed = Bed::new().await;
    let secrets = bed.service.webhook_secrets();
    let first = secrets.of_project(&bed.project).await.unwrap();
    assert!(first == secrets.of_project(&bed.project).await.unwrap());
    assert_eq!(first.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_sealed_anew_with_a_new_master_key_and_opens_without_the_old() {
    let bed = Bed::new().await;
    let store = bed.service.store.clone();
    let (old_key, new_key) = (MasterKey::generate(), MasterKey::generate());
    let under = |keys: MasterKeys| WebhookSecrets::new(store.clone(), keys, bed.service.clock.clone());
    let before = under(old_key.clone().into());
    let first = before.of_project(&bed.project).await.unwrap();
    before.rotate_project(&bed.project, Previous::SignsForADay).await.unwrap();
    assert!(under(new_key.clone().into()).of_project(&bed.project).await.is_err());
    let both = under(MasterKeys::new(new_key.clone(), vec![old_key.clone()]));
    assert_eq!(both.reseal().await.unwrap(), 2);
    let after = under(new_key.into()).of_project(&bed.project).await.unwrap();
    assert_eq!(after.len(), 2);
    assert!(after[1] == first[0], "the secrets themselves stay");
    assert!(under(old_key.into()).of_project(&bed.project).await.is_err());
}
