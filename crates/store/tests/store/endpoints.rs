//! Endpoints, their secrets, and the deliveries that a terminal job creates.

use auris_domain::id::{EndpointId, ProjectId};
use auris_domain::machine::Command;
use auris_domain::webhook::{Endpoint, EndpointStatus};
use serde_json::Value;

use super::builders::{keyed, new_endpoint, new_job, run_of};
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};
use auris_store::{DeliveryFilter, DeliveryStatus, EndpointCreation, Keyed, SealedSecrets};

pub(super) fn endpoint(project: &ProjectId, url: &str) -> Endpoint {
    Endpoint {
        id: EndpointId::generate(NOW),
        project_id: project.clone(),
        url: url.into(),
        status: EndpointStatus::Enabled,
        created_at: NOW.timestamp(),
    }
}

async fn register(test: &TestStore, url: &str, limit: usize) -> Keyed<EndpointCreation> {
    let new = endpoint(&test.project, url);
    let answer = keyed(&test.project, url, url);
    test.store.create_endpoint(new_endpoint(&new, "sealed", &answer, limit)).await.unwrap()
}

on_both_databases! {
    async fn endpoints_are_created_listed_and_deleted(test) {
        let first = endpoint(&test.project, "https://one.example");
        let answer = keyed(&test.project, "key", "request");
        let create = || test.store.create_endpoint(new_endpoint(&first, "sealed", &answer, 16));
        assert_eq!(create().await.unwrap(), Keyed::Done(EndpointCreation::Created));
        assert!(matches!(create().await.unwrap(), Keyed::Replayed(_)));
        assert_eq!(test.store.endpoints(&test.project).await.unwrap(), std::slice::from_ref(&first));
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert!(!test.store.delete_endpoint(&other, &first.id).await.unwrap());
        assert!(test.store.delete_endpoint(&test.project, &first.id).await.unwrap());
        assert!(!test.store.delete_endpoint(&test.project, &first.id).await.unwrap());
    }

    async fn the_limit_holds_for_concurrent_creations(test) {
        let urls: Vec<String> = (0..20).map(|number| format!("https://{number}.example")).collect();
        let made = futures::future::join_all(urls.iter().map(|url| register(test, url, 16))).await;
        assert_eq!(made.iter().filter(|made| **made == Keyed::Done(EndpointCreation::Created)).count(), 16);
        assert_eq!(made.iter().filter(|made| **made == Keyed::Done(EndpointCreation::LimitReached)).count(), 4);
        let keys = test.number("SELECT COUNT(*) AS n FROM idempotency_keys", args![]).await;
        assert_eq!(keys, 16, "a refused creation leaves its key unused");
    }

    async fn every_address_gets_a_delivery_of_the_terminal_event(test) {
        register(test, "https://one.example", 16).await;
        register(test, "https://two.example", 16).await;
        register(test, "https://off.example", 16).await;
        test.sql("UPDATE endpoints SET status = 'disabled' WHERE url = 'https://off.example'", args![]).await;
        let mut run = run_of(&test.project, &[&[], &[]], NOW);
        run.job.webhook_url = Some("http://own.example".into());
        let id = run.job.id.clone();
        test.store.create_job(new_job(run)).await.unwrap();
        test.apply(&id, Command::Cancel).await.unwrap();
        let deliveries = test.store.deliveries(&test.project, &DeliveryFilter::default(), 10).await.unwrap();
        let mut urls: Vec<&str> = deliveries.iter().map(|delivery| delivery.url.as_str()).collect();
        urls.sort_unstable();
        assert_eq!(urls, ["http://own.example", "https://one.example", "https://two.example"]);
        let last = test.store.read_events(&id, 0, 100).await.unwrap().pop().unwrap();
        for delivery in &deliveries {
            assert_eq!((delivery.status, delivery.next_attempt_at), (DeliveryStatus::Pending, NOW));
            assert_eq!(delivery.event_id, last.id);
            assert_eq!(delivery.endpoint_id.is_none(), delivery.url == "http://own.example");
            let body: Value = serde_json::from_str(&delivery.body).unwrap();
            assert_eq!((&body["type"], &body["data"]["status"]), (&"job.cancelled".into(), &"cancelled".into()));
        }
    }

    async fn a_secret_is_stored_once_and_a_replaced_one_stays_beside_the_new_one(test) {
        let only = |current: &str| SealedSecrets { current: current.into(), previous: None };
        assert_eq!(test.store.secrets("project").await.unwrap(), None);
        assert!(!test.store.replace_secret("project", "x", None).await.unwrap());
        assert_eq!(test.store.keep_secret("project", "first").await.unwrap(), only("first"));
        assert_eq!(test.store.keep_secret("project", "second").await.unwrap(), only("first"));
        assert!(test.store.replace_secret("project", "third", Some(NOW)).await.unwrap());
        let both = SealedSecrets { current: "third".into(), previous: Some(("first".into(), NOW)) };
        assert_eq!(test.store.secrets("project").await.unwrap(), Some(both));
        assert!(test.store.replace_secret("project", "fourth", None).await.unwrap());
        assert_eq!(test.store.secrets("project").await.unwrap(), Some(only("fourth")));
    }

    async fn a_rotated_endpoint_secret_stays_beside_the_new_one(test) {
        let one = endpoint(&test.project, "https://one.example");
        test.store.create_endpoint(new_endpoint(&one, "first", &keyed(&test.project, "k", "r"), 16)).await.unwrap();
        let other = test.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert!(!test.store.rotate_endpoint_secret(&other, &one.id, "x", Some(NOW)).await.unwrap());
        assert!(test.store.rotate_endpoint_secret(&test.project, &one.id, "second", Some(NOW)).await.unwrap());
        let secrets = test.store.endpoint_secrets(&one.id).await.unwrap().unwrap();
        assert_eq!((secrets.current.as_str(), secrets.previous), ("second", Some(("first".into(), NOW))));
        assert!(test.store.rotate_endpoint_secret(&test.project, &one.id, "third", None).await.unwrap());
        let secrets = test.store.endpoint_secrets(&one.id).await.unwrap().unwrap();
        assert_eq!((secrets.current.as_str(), secrets.previous), ("third", None));
    }

    async fn every_sealed_text_is_found_and_resealed_unless_it_changed(test) {
        let one = endpoint(&test.project, "https://one.example");
        let mut answer = keyed(&test.project, "k", "r");
        answer.scope.path = "/v1/webhook_endpoints".into();
        test.store.create_endpoint(new_endpoint(&one, "endpoint old", &answer, 16)).await.unwrap();
        test.store.rotate_endpoint_secret(&test.project, &one.id, "endpoint", Some(NOW)).await.unwrap();
        test.store.keep_secret("project", "secret old").await.unwrap();
        test.store.replace_secret("project", "secret", Some(NOW)).await.unwrap();
        let texts = test.store.sealed_texts().await.unwrap();
        assert_eq!(texts.len(), 5, "{texts:?}");
        for (place, text) in &texts {
            assert!(!test.store.reseal(place, "what was there before", "x").await.unwrap());
            assert!(test.store.reseal(place, text, &format!("new {text}")).await.unwrap());
        }
        let expected: Vec<_> = texts.into_iter().map(|(place, text)| (place, format!("new {text}"))).collect();
        assert_eq!(test.store.sealed_texts().await.unwrap(), expected);
    }
}
