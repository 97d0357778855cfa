//! Webhook endpoints of a project.

use auris_domain::id::{EndpointId, ProjectId};
use auris_domain::time::Millis;
use auris_domain::webhook::{Endpoint, EndpointStatus};

use crate::db::{Row, Tx, args};
use crate::error::StoreError;
use crate::idempotency::{KeyedAnswer, Reservation, StoredAnswer, take_key};
use crate::statements::statements;
use crate::store::Store;

statements! {
    /// Changes nothing: it holds the project's row, so that two creations cannot both be the last one allowed.
    LOCK_PROJECT = "UPDATE projects SET plan = plan WHERE id = $1";
    COUNT_ENDPOINTS = "SELECT COUNT(*) AS endpoints FROM endpoints WHERE project_id = $1";
    INSERT_ENDPOINT = "INSERT INTO endpoints (id, project_id, url, status, sealed_secret, created_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    ENDPOINTS = "SELECT id, project_id, url, status, created_at FROM endpoints WHERE project_id = $1 ORDER BY id";
    ENDPOINT_DETAILS = "SELECT id, project_id, url, status, created_at, previous_until_ms, failing_since_ms, disabled_because
        FROM endpoints WHERE project_id = $1 ORDER BY id";
    ENDPOINT_SECRETS = "SELECT status, sealed_secret, previous_secret, previous_until_ms FROM endpoints WHERE id = $1";
    /// Without a moment up to which the previous secret signs too, it is gone at once.
    ROTATE_SECRET = "UPDATE endpoints SET sealed_secret = $3, previous_until_ms = $4,
            previous_secret = CASE WHEN CAST($4 AS BIGINT) IS NULL THEN NULL ELSE sealed_secret END
        WHERE project_id = $1 AND id = $2";
    ENABLE_ENDPOINT = "UPDATE endpoints SET status = 'enabled', failing_since_ms = NULL, disabled_because = NULL
        WHERE project_id = $1 AND id = $2";
    DELETE_ENDPOINT = "DELETE FROM endpoints WHERE project_id = $1 AND id = $2";
}

/// What became of a new endpoint; anything but `Created` wrote nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointCreation {
    Created,
    Replayed(StoredAnswer),
    KeyReused,
    KeyInUse,
    LimitReached,
}

/// The secrets that sign, sealed: the current one, and the previous one until its moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedSecrets {
    pub current: String,
    pub previous: Option<(String, Millis)>,
}

/// An endpoint with what its operator wants to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointDetails {
    pub endpoint: Endpoint,
    /// Until when the previous secret signs too.
    pub previous_until: Option<Millis>,
    /// The first failure since the last success.
    pub failing_since: Option<Millis>,
    pub disabled_because: Option<String>,
}

impl Store {
    /// Registers an endpoint together with the answer that its key remembers.
    pub async fn create_endpoint(
        &self,
        endpoint: &Endpoint,
        sealed_secret: &str,
        idempotency: &KeyedAnswer,
        limit: usize,
        now: Millis,
    ) -> Result<EndpointCreation, StoreError> {
        let mut tx = self.database().begin().await?;
        let outcome = match take_key(&mut tx, idempotency, None, now).await? {
            Reservation::Reserved => insert(&mut tx, endpoint, sealed_secret, limit).await?,
            Reservation::Replayed(answer) => EndpointCreation::Replayed(answer),
            Reservation::KeyReused => EndpointCreation::KeyReused,
            Reservation::KeyInUse => EndpointCreation::KeyInUse,
        };
        match outcome {
            EndpointCreation::Created => tx.commit().await?,
            EndpointCreation::Replayed(_)
            | EndpointCreation::KeyReused
            | EndpointCreation::KeyInUse
            | EndpointCreation::LimitReached => tx.rollback().await?,
        }
        Ok(outcome)
    }

    /// All endpoints of a project, oldest first.
    pub async fn endpoints(&self, project: &ProjectId) -> Result<Vec<Endpoint>, StoreError> {
        let rows = self.database().rows(&ENDPOINTS, args![project]).await?;
        rows.iter().map(decode_endpoint).collect()
    }

    /// All endpoints of a project with how they are, oldest first.
    pub async fn endpoint_details(&self, project: &ProjectId) -> Result<Vec<EndpointDetails>, StoreError> {
        let rows = self.database().rows(&ENDPOINT_DETAILS, args![project]).await?;
        rows.iter().map(decode_details).collect()
    }

    /// The sealed secrets of an endpoint, whoever owns it.
    pub async fn endpoint_secrets(&self, id: &EndpointId) -> Result<Option<SealedSecrets>, StoreError> {
        let row = self.database().row(&ENDPOINT_SECRETS, args![id]).await?;
        row.as_ref().map(decode_secrets).transpose()
    }

    /// Gives an endpoint a new secret; the one it had signs too until `previous_until`. False when there is none.
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

    /// Lets a disabled endpoint hear of events again. False when the project has no such endpoint.
    pub async fn enable_endpoint(&self, project: &ProjectId, id: &EndpointId) -> Result<bool, StoreError> {
        Ok(self.database().write(&ENABLE_ENDPOINT, args![project, id]).await? > 0)
    }

    /// False when the project has no such endpoint.
    pub async fn delete_endpoint(&self, project: &ProjectId, id: &EndpointId) -> Result<bool, StoreError> {
        let deleted = self.database().write(&DELETE_ENDPOINT, args![project, id]).await?;
        Ok(deleted > 0)
    }
}

/// The endpoints that hear of a terminal job, inside its transaction.
pub(crate) async fn enabled_endpoints(tx: &mut Tx, project: &ProjectId) -> Result<Vec<Endpoint>, StoreError> {
    let rows = tx.rows(&ENDPOINTS, args![project]).await?;
    let endpoints: Result<Vec<Endpoint>, StoreError> = rows.iter().map(decode_endpoint).collect();
    Ok(endpoints?.into_iter().filter(|endpoint| endpoint.status == EndpointStatus::Enabled).collect())
}

/// The state and the secrets of an endpoint, inside a claim.
pub(crate) async fn endpoint_secrets(
    tx: &mut Tx,
    id: &EndpointId,
) -> Result<Option<(EndpointStatus, SealedSecrets)>, StoreError> {
    let Some(row) = tx.row(&ENDPOINT_SECRETS, args![id]).await? else {
        return Ok(None);
    };
    Ok(Some((row.word("status", EndpointStatus::parse)?, decode_secrets(&row)?)))
}

async fn insert(
    tx: &mut Tx,
    endpoint: &Endpoint,
    sealed_secret: &str,
    limit: usize,
) -> Result<EndpointCreation, StoreError> {
    tx.write(&LOCK_PROJECT, args![&endpoint.project_id]).await?;
    let row = tx.row(&COUNT_ENDPOINTS, args![&endpoint.project_id]).await?;
    let count = row.map_or(Ok(0), |row| row.count("endpoints"))?;
    if count >= limit as u64 {
        return Ok(EndpointCreation::LimitReached);
    }
    let arguments = args![
        &endpoint.id,
        &endpoint.project_id,
        &endpoint.url,
        endpoint.status.as_str(),
        sealed_secret,
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
        status: row.word("status", EndpointStatus::parse)?,
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
