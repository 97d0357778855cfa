//! Endpoints, and the deliveries that a terminal job leaves.

use auris_domain::id::{EndpointId, ProjectId};
use auris_domain::machine::Command;
use auris_domain::webhook::{Endpoint, EndpointStatus};
use serde_json::Value;

use super::bed::{Bed, NOW};
use super::build::{keyed, new_job, run_of};
use super::on_both;
use crate::sql::database::args;
use crate::{DeliveryFilter, DeliveryStatus, EndpointCreation, SealedSecrets};

pub(super) fn endpoint(project: &ProjectId, url: &str) -> Endpoint {
    Endpoint {
        id: EndpointId::generate(NOW),
        project_id: project.clone(),
        url: url.into(),
        status: EndpointStatus::Enabled,
        created_at: NOW.timestamp(),
    }
}

async fn register(bed: &Bed, url: &str, limit: usize) -> EndpointCreation {
    let new = endpoint(&bed.project, url);
    let answer = keyed(&bed.project, url, url);
    bed.store.create_endpoint(&new, "sealed", &answer, limit, NOW).await.unwrap()
}

on_both! {
    async fn endpoints_are_made_listed_and_deleted(bed) {
        let first = endpoint(&bed.project, "https://one.example");
        let answer = keyed(&bed.project, "key", "request");
        let create = || bed.store.create_endpoint(&first, "sealed", &answer, 16, NOW);
        assert_eq!(create().await.unwrap(), EndpointCreation::Created);
        assert!(matches!(create().await.unwrap(), EndpointCreation::Replayed(_)));
        assert_eq!(bed.store.endpoints(&bed.project).await.unwrap(), std::slice::from_ref(&first));
        let other = bed.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert!(!bed.store.delete_endpoint(&other, &first.id).await.unwrap());
        assert!(bed.store.delete_endpoint(&bed.project, &first.id).await.unwrap());
        assert!(!bed.store.delete_endpoint(&bed.project, &first.id).await.unwrap());
    }

    async fn the_limit_holds_however_many_come_at_once(bed) {
        let urls: Vec<String> = (0..20).map(|number| format!("https://{number}.example")).collect();
        let made = futures::future::join_all(urls.iter().map(|url| register(bed, url, 16))).await;
        assert_eq!(made.iter().filter(|made| **made == EndpointCreation::Created).count(), 16);
        assert_eq!(made.iter().filter(|made| **made == EndpointCreation::LimitReached).count(), 4);
        let keys = bed.number("SELECT COUNT(*) AS n FROM idempotency_keys", args![]).await;
        assert_eq!(keys, 16, "a refused creation leaves its key free");
    }

    async fn every_address_gets_a_delivery_of_the_terminal_event(bed) {
        register(bed, "https://one.example", 16).await;
        register(bed, "https://two.example", 16).await;
        register(bed, "https://off.example", 16).await;
        bed.sql("UPDATE endpoints SET status = 'disabled' WHERE url = 'https://off.example'", args![]).await;
        let mut run = run_of(&bed.project, &[&[], &[]], NOW);
        run.job.webhook_url = Some("http://own.example".into());
        let id = run.job.id.clone();
        bed.store.create_job(new_job(run)).await.unwrap();
        bed.apply(&id, Command::Cancel).await.unwrap();
        let deliveries = bed.store.deliveries(&bed.project, &DeliveryFilter::default(), 10).await.unwrap();
        let mut urls: Vec<&str> = deliveries.iter().map(|delivery| delivery.url.as_str()).collect();
        urls.sort_unstable();
        assert_eq!(urls, ["http://own.example", "https://one.example", "https://two.example"]);
        let last = bed.store.read_events(&id, 0, 100).await.unwrap().pop().unwrap();
        for delivery in &deliveries {
            assert_eq!((delivery.status, delivery.next_attempt_at), (DeliveryStatus::Pending, NOW));
            assert_eq!(delivery.event_id, last.id);
            assert_eq!(delivery.endpoint_id.is_none(), delivery.url == "http://own.example");
            let body: Value = serde_json::from_str(&delivery.body).unwrap();
            assert_eq!((&body["type"], &body["data"]["status"]), (&"job.cancelled".into(), &"cancelled".into()));
        }
    }

    async fn secrets_are_kept_once_and_replaced_with_the_old_one_beside(bed) {
        let only = |current: &str| SealedSecrets { current: current.into(), previous: None };
        assert_eq!(bed.store.secrets("project").await.unwrap(), None);
        assert!(!bed.store.replace_secret("project", "x", None).await.unwrap());
        assert_eq!(bed.store.keep_secret("project", "first").await.unwrap(), only("first"));
        assert_eq!(bed.store.keep_secret("project", "second").await.unwrap(), only("first"));
        assert!(bed.store.replace_secret("project", "third", Some(NOW)).await.unwrap());
        let both = SealedSecrets { current: "third".into(), previous: Some(("first".into(), NOW)) };
        assert_eq!(bed.store.secrets("project").await.unwrap(), Some(both));
        assert!(bed.store.replace_secret("project", "fourth", None).await.unwrap());
        assert_eq!(bed.store.secrets("project").await.unwrap(), Some(only("fourth")));
    }

    async fn an_endpoint_s_secret_is_rotated_with_the_old_one_beside(bed) {
        let one = endpoint(&bed.project, "https://one.example");
        bed.store.create_endpoint(&one, "first", &keyed(&bed.project, "k", "r"), 16, NOW).await.unwrap();
        let other = bed.store.create_project("other", NOW).await.unwrap().unwrap().id;
        assert!(!bed.store.rotate_endpoint_secret(&other, &one.id, "x", Some(NOW)).await.unwrap());
        assert!(bed.store.rotate_endpoint_secret(&bed.project, &one.id, "second", Some(NOW)).await.unwrap());
        let secrets = bed.store.endpoint_secrets(&one.id).await.unwrap().unwrap();
        assert_eq!((secrets.current.as_str(), secrets.previous), ("second", Some(("first".into(), NOW))));
        assert!(bed.store.rotate_endpoint_secret(&bed.project, &one.id, "third", None).await.unwrap());
        let secrets = bed.store.endpoint_secrets(&one.id).await.unwrap().unwrap();
        assert_eq!((secrets.current.as_str(), secrets.previous), ("third", None));
    }

    async fn every_sealed_text_is_found_and_sealed_anew_unless_it_changed(bed) {
        let one = endpoint(&bed.project, "https://one.example");
        let mut answer = keyed(&bed.project, "k", "r");
        answer.scope.path = "/v1/webhook_endpoints".into();
        bed.store.create_endpoint(&one, "endpoint old", &answer, 16, NOW).await.unwrap();
        bed.store.rotate_endpoint_secret(&bed.project, &one.id, "endpoint", Some(NOW)).await.unwrap();
        bed.store.keep_secret("project", "secret old").await.unwrap();
        bed.store.replace_secret("project", "secret", Some(NOW)).await.unwrap();
        let texts = bed.store.sealed_texts().await.unwrap();
        assert_eq!(texts.len(), 5, "{texts:?}");
        for (place, text) in &texts {
            assert!(!bed.store.reseal(place, "what was there before", "x").await.unwrap());
            assert!(bed.store.reseal(place, text, &format!("new {text}")).await.unwrap());
        }
        let expected: Vec<_> = texts.into_iter().map(|(place, text)| (place, format!("new {text}"))).collect();
        assert_eq!(bed.store.sealed_texts().await.unwrap(), expected);
    }
}
