//! Webhook endpoints: registered, listed, removed. The secret is shown once and sealed at rest.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::EndpointId;
use auris_domain::limits;
use auris_domain::request::endpoint::EndpointRequest;
use auris_domain::webhook::{Endpoint, EndpointStatus};
use auris_store::{EndpointCreation, StoredAnswer};
use serde_json::{Value, json};

use crate::error::Outcome;
use crate::idempotency::{Answered, RequestKey, key_in_use, key_reused};
use crate::seal::SEALED_ANSWER;
use crate::webhooks::sign::SigningSecret;
use crate::{Caller, Service, ServiceError};

impl Service {
    pub async fn create_endpoint(
        &self,
        caller: &Caller,
        request: EndpointRequest,
        key: RequestKey,
    ) -> Outcome<Answered<Value>> {
        let now = self.clock.now();
        let endpoint = Endpoint {
            id: EndpointId::generate(now),
            project_id: caller.project_id().clone(),
            url: request.url,
            status: EndpointStatus::Enabled,
            created_at: now.timestamp(),
        };
        let secret = SigningSecret::generate().reveal();
        let sealed =
            self.master_key.seal(endpoint.id.as_str(), secret.as_bytes()).map_err(ServiceError::internal)?;
        let answer = endpoint.wire(Some(&secret));
        // The answer that is kept for replays holds the secret too, so it is sealed as a whole.
        let body = self
            .master_key
            .seal(SEALED_ANSWER, answer.to_string().as_bytes())
            .map_err(ServiceError::internal)?;
        let kept = key.answer(caller, 201, "application/json", body);
        let created =
            self.store.create_endpoint(&endpoint, &sealed, &kept, limits::WEBHOOK_ENDPOINTS, now).await?;
        match created {
            EndpointCreation::Created => Ok(Answered::New(answer)),
            EndpointCreation::Replayed(stored) => self.opened(stored),
            EndpointCreation::KeyReused => Err(key_reused().into()),
            EndpointCreation::KeyInUse => Err(key_in_use().into()),
            EndpointCreation::LimitReached => Err(limit_reached().into()),
        }
    }

    fn opened(&self, mut stored: StoredAnswer) -> Outcome<Answered<Value>> {
        let body = self.master_key.open(SEALED_ANSWER, &stored.body).map_err(ServiceError::internal)?;
        stored.body = String::from_utf8(body).map_err(ServiceError::internal)?;
        Ok(Answered::Replayed(stored))
    }

    pub async fn list_endpoints(&self, caller: &Caller) -> Outcome<Value> {
        let endpoints = self.store.endpoints(caller.project_id()).await?;
        let data: Vec<Value> = endpoints.iter().map(|endpoint| endpoint.wire(None)).collect();
        Ok(json!({"object": "list", "data": data}))
    }

    pub async fn delete_endpoint(&self, caller: &Caller, id: &EndpointId) -> Outcome<()> {
        if self.store.delete_endpoint(caller.project_id(), id).await? {
            return Ok(());
        }
        let message = format!("There is no webhook endpoint `{id}` in this project.");
        Err(ApiError::new(ErrorCode::WebhookEndpointNotFound, message).at("endpointId").into())
    }
}

fn limit_reached() -> ApiError {
    let message =
        format!("A project has at most {} webhook endpoints; delete one first.", limits::WEBHOOK_ENDPOINTS);
    ApiError::new(ErrorCode::EndpointLimitReached, message)
}
