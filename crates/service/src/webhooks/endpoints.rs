//! Webhook endpoints: created, listed and deleted. The secret is returned once and stored encrypted.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::EndpointId;
use auris_domain::limits;
use auris_domain::request::endpoint::EndpointRequest;
use auris_domain::time::Millis;
use auris_domain::webhook::{Endpoint, EndpointStatus};
use auris_domain::wire::{self, JsonText};
use auris_store::{EndpointCreation, Keyed, NewEndpoint, StoredResponse};

use super::sign::SigningSecret;
use crate::access::{Replayable, RequestKey, key_in_use, key_reused};
use crate::error::Outcome;
use crate::secrets::SEALED_ANSWER;
use crate::{Caller, Service, ServiceError};

impl Service {
    pub async fn create_endpoint(
        &self,
        caller: &Caller,
        request: EndpointRequest,
        key: RequestKey,
    ) -> Outcome<Replayable<JsonText>> {
        self.check_webhook_url("url", &request.url)?;
        let now = self.clock().now();
        let endpoint = enabled_endpoint(caller, request.url, now);
        let secret = SigningSecret::generate().reveal();
        let sealed_secret = self.seal(endpoint.id.as_str(), &secret)?;
        let answer = wire::endpoint(&endpoint, Some(&secret));
        // The answer stored for replays contains the secret too, so all of it is encrypted.
        let body = self.seal(SEALED_ANSWER, answer.as_str())?;
        let kept = key.answer(caller, 201, "application/json", body);
        let new = NewEndpoint {
            endpoint: &endpoint,
            sealed_secret: &sealed_secret,
            idempotency: &kept,
            limit: limits::WEBHOOK_ENDPOINTS,
            now,
        };
        match self.store().create_endpoint(new).await? {
            Keyed::Done(EndpointCreation::Created) => Ok(Replayable::New(answer)),
            Keyed::Done(EndpointCreation::LimitReached) => Err(limit_reached().into()),
            Keyed::Replayed(stored) => self.opened(stored),
            Keyed::KeyReused => Err(key_reused().into()),
            Keyed::KeyInUse => Err(key_in_use().into()),
        }
    }

    fn seal(&self, context: &str, text: &str) -> Outcome<String> {
        self.master_keys().seal(context, text.as_bytes()).map_err(ServiceError::internal)
    }

    /// Decrypts a stored answer.
    fn opened(&self, mut stored: StoredResponse) -> Outcome<Replayable<JsonText>> {
        let body = self.master_keys().open(SEALED_ANSWER, &stored.body).map_err(ServiceError::internal)?;
        stored.body = String::from_utf8(body).map_err(ServiceError::internal)?;
        Ok(Replayable::Replayed(stored))
    }

    pub async fn list_endpoints(&self, caller: &Caller) -> Outcome<JsonText> {
        let endpoints = self.store().endpoints(caller.project_id()).await?;
        Ok(wire::endpoint_list(&endpoints))
    }

    pub async fn delete_endpoint(&self, caller: &Caller, id: &EndpointId) -> Outcome<()> {
        if self.store().delete_endpoint(caller.project_id(), id).await? {
            return Ok(());
        }
        let message = format!("There is no webhook endpoint `{id}` in this project.");
        Err(ApiError::new(ErrorCode::WebhookEndpointNotFound, message).at("endpointId").into())
    }
}

fn enabled_endpoint(caller: &Caller, url: String, now: Millis) -> Endpoint {
    Endpoint {
        id: EndpointId::generate(now),
        project_id: caller.project_id().clone(),
        url,
        status: EndpointStatus::Enabled,
        created_at: now.timestamp(),
    }
}

fn limit_reached() -> ApiError {
    let message =
        format!("A project has at most {} webhook endpoints; delete one first.", limits::WEBHOOK_ENDPOINTS);
    ApiError::new(ErrorCode::EndpointLimitReached, message)
}
