//! Webhook deliveries: an outbox that is written in the transaction that ends a job, and reading it.

use auris_domain::event::EventType;
use auris_domain::id::{DeliveryId, EndpointId, EventId, JobId, ProjectId};
use auris_domain::job::Job;
use auris_domain::time::{Millis, Timestamp};
use auris_domain::{webhook, wire};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::endpoints::enabled_endpoints;
use crate::error::StoreError;
use crate::sql::{Row, Tx, args, statements};
use crate::store::Store;
use crate::wakeups::Topic;

/// Sorts after every delivery id, in any collation.
const AFTER_ALL_DELIVERIES: &str = "dlv_zzzzzzzzzzzzzzzzzzzzz";

macro_rules! delivery_columns {
    () => {
        "id, event_id, job_id, project_id, endpoint_id, url, body, status, attempts, tries, next_attempt_ms,
         lease_until_ms, created_at, claim"
    };
}
pub(crate) use delivery_columns;

macro_rules! filter {
    () => {
        " AND (CAST($3 AS TEXT) IS NULL OR status = $3) AND (CAST($4 AS TEXT) IS NULL OR job_id = $4)
          AND (CAST($5 AS TEXT) IS NULL OR endpoint_id = $5)"
    };
}

statements! {
    INSERT_DELIVERY: BatchedWrite = "INSERT INTO deliveries
            (id, event_id, job_id, project_id, endpoint_id, url, body, status, attempts, next_attempt_ms, created_at, lane)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 0, $8, $9, $10)";
    DELIVERIES = concat!("SELECT ", delivery_columns!(), " FROM deliveries
            WHERE project_id = $1 AND id < $6", filter!(), " ORDER BY id DESC LIMIT $2"),
        postgres = concat!("SELECT ", delivery_columns!(), " FROM deliveries
            WHERE (project_id, id) > ($1, '') AND (project_id, id) < ($1, $6)", filter!(), "
            ORDER BY project_id DESC, id DESC LIMIT $2");
    DELIVERY = concat!("SELECT ", delivery_columns!(), " FROM deliveries WHERE project_id = $1 AND id = $2");
    ATTEMPTS = "SELECT attempt, started_ms, duration_ms, status, error, answer FROM delivery_attempts
        WHERE delivery_id = $1 ORDER BY attempt";
    LAST_ATTEMPT = "SELECT attempt, started_ms, duration_ms, status, error, answer FROM delivery_attempts
        WHERE delivery_id = $1 ORDER BY attempt DESC LIMIT 1";
    /// Increments the claim, so that an attempt that is under way cannot end the delivery.
    RESEND = "UPDATE deliveries SET status = 'pending', tries = 0, next_attempt_ms = $3, lease_until_ms = NULL,
            claim = claim + 1
        WHERE project_id = $1 AND id = $2";
    RESEND_FAILED = "UPDATE deliveries SET status = 'pending', tries = 0, next_attempt_ms = $2, lease_until_ms = NULL,
            claim = claim + 1
        WHERE project_id = $1 AND status = 'failed'
            AND (endpoint_id IS NULL OR endpoint_id IN (SELECT id FROM endpoints WHERE status = 'enabled'))";
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
}

impl DeliveryStatus {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One terminal event to be sent to one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    /// Also sent as `webhook-id`.
    pub event_id: EventId,
    pub job_id: JobId,
    pub project_id: ProjectId,
    /// `None` for the job's `webhook_url`.
    pub endpoint_id: Option<EndpointId>,
    pub url: String,
    /// The bytes that are signed and sent, the same in every attempt.
    pub body: String,
    pub status: DeliveryStatus,
    /// The number of attempts in total.
    pub attempts: i64,
    /// The number of attempts since the delivery was last restarted, which is its position in the retry schedule.
    pub attempts_since_restart: i64,
    pub next_attempt_at: Millis,
    /// Set while an attempt is under way; if this time has passed, the attempt was lost.
    pub lease_until: Option<Millis>,
    pub created_at: Timestamp,
    /// The fencing number of the current claim.
    pub claim: i64,
}

/// One attempt to send a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub number: i64,
    pub started_at: Millis,
    pub duration_ms: i64,
    /// The HTTP status of the response, if there was one.
    pub status: Option<i64>,
    pub error: Option<String>,
    /// The beginning of the response body.
    pub answer: Option<String>,
}

/// Selects deliveries; `None` selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    pub status: Option<DeliveryStatus>,
    pub job: Option<JobId>,
    pub endpoint: Option<EndpointId>,
    /// Only deliveries that are older than this one.
    pub before: Option<DeliveryId>,
}

impl Store {
    /// The newest deliveries of a project that the filter selects.
    pub async fn deliveries(
        &self,
        project: &ProjectId,
        filter: &DeliveryFilter,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        let status = filter.status.map(DeliveryStatus::as_str);
        let before = filter.before.as_ref().map_or(AFTER_ALL_DELIVERIES, DeliveryId::as_str);
        let arguments = args![project, limit, status, filter.job.as_ref(), filter.endpoint.as_ref(), before];
        let rows = self.database().many_rows(&DELIVERIES, arguments).await?;
        rows.iter().map(decode_delivery).collect()
    }

    pub async fn delivery(
        &self,
        project: &ProjectId,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>, StoreError> {
        let row = self.database().row(&DELIVERY, args![project, id]).await?;
        row.as_ref().map(decode_delivery).transpose()
    }

    /// All attempts of a delivery, oldest first.
    pub async fn attempts(&self, delivery: &DeliveryId) -> Result<Vec<Attempt>, StoreError> {
        let rows = self.database().rows(&ATTEMPTS, args![delivery]).await?;
        rows.iter().map(decode_attempt).collect()
    }

    pub async fn last_attempt(&self, delivery: &DeliveryId) -> Result<Option<Attempt>, StoreError> {
        let row = self.database().row(&LAST_ATTEMPT, args![delivery]).await?;
        row.as_ref().map(decode_attempt).transpose()
    }

    /// Restarts a delivery in any state, with the whole retry schedule. Returns false if there is no such delivery.
    pub async fn resend_delivery(
        &self,
        project: &ProjectId,
        id: &DeliveryId,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let found = self.database().write(&RESEND, args![project, id, now]).await? > 0;
        self.wake([Topic::Deliveries]);
        Ok(found)
    }

    /// Restarts every failed delivery whose endpoint is enabled and returns their number.
    pub async fn resend_failed(&self, project: &ProjectId, now: Millis) -> Result<u64, StoreError> {
        let count = self.database().write(&RESEND_FAILED, args![project, now]).await?;
        self.wake([Topic::Deliveries]);
        Ok(count)
    }
}

/// Where a job's terminal event is delivered: to a registered endpoint, or to the job's `webhook_url`.
pub(crate) struct Destination {
    endpoint: Option<EndpointId>,
    url: String,
}

pub(crate) async fn destinations(tx: &mut Tx, job: &Job) -> Result<Vec<Destination>, StoreError> {
    let endpoints = enabled_endpoints(tx, &job.project_id).await?;
    let registered =
        endpoints.into_iter().map(|endpoint| Destination { endpoint: Some(endpoint.id), url: endpoint.url });
    let own = job.webhook_url.iter().map(|url| Destination { endpoint: None, url: url.clone() });
    Ok(registered.chain(own).collect())
}

/// The event that ended a job.
pub(crate) struct TerminalEvent<'a> {
    pub(crate) job: &'a Job,
    pub(crate) kind: EventType,
    pub(crate) id: &'a EventId,
}

/// Writes one delivery of the event for every address.
pub(crate) async fn insert_deliveries(
    tx: &mut Tx,
    event: &TerminalEvent<'_>,
    destinations: &[Destination],
    now: Millis,
) -> Result<(), StoreError> {
    let job = event.job;
    for Destination { endpoint, url } in destinations {
        let arguments = args![
            &DeliveryId::generate(now),
            event.id,
            &job.id,
            &job.project_id,
            endpoint.as_ref(),
            url,
            wire::delivery(job, event.kind, now.timestamp()).into_string(),
            now,
            now.timestamp(),
            webhook::receiver(endpoint.as_ref(), &job.project_id, url),
        ];
        tx.write_later(&INSERT_DELIVERY, arguments).await?;
    }
    Ok(())
}

pub(crate) fn decode_delivery(row: &Row) -> Result<Delivery, StoreError> {
    Ok(Delivery {
        id: row.parsed("id")?,
        event_id: row.parsed("event_id")?,
        job_id: row.parsed("job_id")?,
        project_id: row.parsed("project_id")?,
        endpoint_id: row.optional_parsed("endpoint_id")?,
        url: row.text("url")?,
        body: row.text("body")?,
        status: row.parsed("status")?,
        attempts: row.integer("attempts")?,
        attempts_since_restart: row.integer("tries")?,
        next_attempt_at: Millis(row.integer("next_attempt_ms")?),
        lease_until: row.optional_integer("lease_until_ms")?.map(Millis),
        created_at: row.moment("created_at")?,
        claim: row.integer("claim")?,
    })
}

fn decode_attempt(row: &Row) -> Result<Attempt, StoreError> {
    Ok(Attempt {
        number: row.integer("attempt")?,
        started_at: Millis(row.integer("started_ms")?),
        duration_ms: row.integer("duration_ms")?,
        status: row.optional_integer("status")?,
        error: row.optional_text("error")?,
        answer: row.optional_text("answer")?,
    })
}
