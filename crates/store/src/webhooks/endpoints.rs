//! Webhook endpoints of a project.

use auris_domain::id::{EndpointId, ProjectId};
use auris_domain::time::Millis;
use auris_domain::webhook::{Endpoint, EndpointStatus};

use crate::error::StoreError;
use crate::idempotency::{Keyed, KeyedResponse, take_key};
use crate::secrets::SealedSecrets;
use crate::sql::{Row, Tx, args, statements};
use crate::store::Store;

statements! {
    /// Changes nothing: it locks the project's row, so that concurrent creations cannot exceed the limit together.
    LOCK_PROJECT = "UPDATE projects SET plan = plan WHERE id = $1";
    COUNT_ENDPOINTS = "SELECT COUNT(*) AS endpoints FROM endpoints WHERE project_id = $1";
    INSERT_ENDPOINT = "INSERT INTO endpoints (id, project_id, url, status, sealed_secret, created_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    ENDPOINTS = "SELECT id, project_id, url, status, created_at FROM endpoints WHERE project_id = $1 ORDER BY id";
    ENDPOINT_DETAILS = "SELECT id, project_id, url, status, created_at, previous_until_ms, failing_since_ms, disabled_because
        FROM endpoints WHERE project_id = $1 ORDER BY id";
    ENDPOINT_SECRETS = "SELECT status, sealed_secret, previous_secret, previous_until_ms FROM endpoints WHERE id = $1";
    /// Without an end time for the previous secret, it is deleted at once.
    ROTATE_SECRET = "UPDATE endpoints SET sealed_secret = $3, previous_until_ms = $4,
            previous_secret = CASE WHEN CAST($4 AS BIGINT) IS NULL THEN NULL ELSE sealed_secret END
        WHERE project_id = $1 AND id = $2";
    ENABLE_ENDPOINT = "UPDATE endpoints SET status = 'enabled', failing_since_ms = NULL, disabled_because = NULL
        WHERE project_id = $1 AND id = $2";
    DELETE_ENDPOINT = "DELETE FROM endpoints WHERE project_id = $1 AND id = $2";
}

/// An endpoint to be registered.
#[derive(Debug, Clone, Copy)]
pub struct NewEndpoint<'a> {
    pub endpoint: &'a Endpoint,
    pub sealed_secret: &'a str,
    /// The answer to be stored under the request's idempotency key.
    pub idempotency: &'a KeyedResponse,
    /// Maximum number of endpoints of the project.
    pub limit: usize,
    pub now: Millis,
}

/// The outcome of registering an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointCreation {
    Created,
    /// Nothing was written: the project has its maximum number of endpoints.
    LimitReached,
}

/// An endpoint with its condition, for operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointDetails {
    pub endpoint: Endpoint,
    /// The time until which the previous secret signs too.
    pub previous_until: Option<Millis>,
    /// The time of the first failure since the last success.
    pub failing_since: Option<Millis>,
    pub disabled_because: Option<String>,
}

impl Store {
    /// Registers an endpoint together with the answer that is stored under its idempotency key.
    pub async fn create_endpoint(&self, new: NewEndpoint<'_>) -> Result<Keyed<EndpointCreation>, StoreError> {
        let mut tx = self.database().begin().await?;
        let key = take_key(&mut tx, new.idempotency, None, new.now).await?;
        if let Err(refusal) = key.done_or_refusal() {
            tx.rollback().await?;
            return Ok(refusal);
        }
        let creation = insert(&mut tx, &new).await?;
        match creation {
            EndpointCreation::Created => tx.commit().await?,
            EndpointCreation::LimitReached => tx.rollback().await?,
        }
        Ok(Keyed::Done(creation))
    }

    /// All endpoints of a project, oldest first.
    pub async fn endpoints(&self, project: &ProjectId) -> Result<Vec<Endpoint>, StoreError> {
        let rows = self.database().rows(&ENDPOINTS, args![project]).await?;
        rows.iter().map(decode_endpoint).collect()
    }

    /// All endpoints of a project with their condition, oldest first.
    pub async fn endpoint_details(&self, project: &ProjectId) -> Result<Vec<EndpointDetails>, StoreError> {
        let rows = self.database().rows(&ENDPOINT_DETAILS, args![project]).await?;
        rows.iter().map(decode_details).collect()
    }

    /// The sealed secrets of an endpoint of any project.
    pub async fn endpoint_secrets(&self, id: &EndpointId) -> Result<Option<SealedSecrets>, StoreError> {
        let row = self.database().row(&ENDPOINT_SECRETS, args![id]).await?;
        row.as_ref().map(decode_secrets).transpose()
    }

    /// Gives an endpoint a new secret; the previous one signs too until `previous_until`. Returns false if the project has
    /// no such endpoint.
    pub async fn rotate_endpoint_secret(
        &self,
        project: &ProjectId,
        id: &EndpointId,
        sealed: &str,
        previous_until: Option<Millis>,
    ) -> Result<bool, StoreError> {
        let arguments = args![project, id, sealed, previous_until.map(|until| until.0)];
        Ok(self.database().write(&ROTATE_SECRET, arguments).await? > 0)
    }

    /// Enables a disabled endpoint. Returns false if the project has no such endpoint.
    pub async fn enable_endpoint(&self, project: &ProjectId, id: &EndpointId) -> Result<bool, StoreError> {
        Ok(self.database().write(&ENABLE_ENDPOINT, args![project, id]).await? > 0)
    }

    /// Deletes an endpoint. Returns false if the project has no such endpoint.
    pub async fn delete_endpoint(&self, project: &ProjectId, id: &EndpointId) -> Result<bool, StoreError> {
        let deleted = self.database().write(&DELETE_ENDPOINT, args![project, id]).await?;
        Ok(deleted > 0)
    }
}

/// The endpoints that receive a job's terminal event, in its transaction.
pub(crate) async fn enabled_endpoints(tx: &mut Tx, project: &ProjectId) -> Result<Vec<Endpoint>, StoreError> {
    let rows = tx.rows(&ENDPOINTS, args![project]).await?;
    let endpoints: Result<Vec<Endpoint>, StoreError> = rows.iter().map(decode_endpoint).collect();
    Ok(endpoints?.into_iter().filter(|endpoint| endpoint.status == EndpointStatus::Enabled).collect())
}

/// The status and the secrets of an endpoint, in the transaction of a claim.
pub(crate) async fn endpoint_secrets(
    tx: &mut Tx,
    id: &EndpointId,
) -> Result<Option<(EndpointStatus, SealedSecrets)>, StoreError> {
    let Some(row) = tx.row(&ENDPOINT_SECRETS, args![id]).await? else {
        return Ok(None);
    };
    Ok(Some((row.parsed("status")?, decode_secrets(&row)?)))
}

async fn insert(tx: &mut Tx, new: &NewEndpoint<'_>) -> Result<EndpointCreation, StoreError> {
    let endpoint = new.endpoint;
    tx.write(&LOCK_PROJECT, args![&endpoint.project_id]).await?;
    let row = tx.row(&COUNT_ENDPOINTS, args![&endpoint.project_id]).await?;
    let count = row.map_or(Ok(0), |row| row.count("endpoints"))?;
    if count >= new.limit as u64 {
        return Ok(EndpointCreation::LimitReached);
    }
    let arguments = args![
        &endpoint.id,
        &endpoint.project_id,
        &endpoint.url,
        endpoint.status.as_str(),
        new.sealed_secret,
        endpoint.created_at,
    ];
    tx.write(&INSERT_ENDPOINT, arguments).await?;
    Ok(EndpointCreation::Created)
}

fn decode_endpoint(row: &Row) -> Result<Endpoint, StoreError> {
    Ok(Endpoint {
        id: row.parsed("id")?,
        project_id: row.parsed("project_id")?,
        url: row.text("url")?,
        status: row.parsed("status")?,
        created_at: row.moment("created_at")?,
    })
}

fn decode_details(row: &Row) -> Result<EndpointDetails, StoreError> {
    Ok(EndpointDetails {
        endpoint: decode_endpoint(row)?,
        previous_until: row.optional_integer("previous_until_ms")?.map(Millis),
        failing_since: row.optional_integer("failing_since_ms")?.map(Millis),
        disabled_because: row.optional_text("disabled_because")?,
    })
}

fn decode_secrets(row: &Row) -> Result<SealedSecrets, StoreError> {
    let previous = row.optional_text("previous_secret")?.zip(row.optional_integer("previous_until_ms")?);
    Ok(SealedSecrets {
        current: row.text("sealed_secret")?,
        previous: previous.map(|(sealed, until)| (sealed, Millis(until))),
    })
}
