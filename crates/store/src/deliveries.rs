//! Webhook deliveries: the outbox that is written with the terminal state of a job, and how it is looked at.

use auris_domain::event::EventType;
use auris_domain::id::{DeliveryId, EndpointId, EventId, JobId, ProjectId};
use auris_domain::job::Job;
use auris_domain::time::{Millis, Timestamp};
use auris_domain::webhook::{delivery_body, lane};

use crate::db::{Row, Tx, args};
use crate::endpoints::enabled_endpoints;
use crate::error::StoreError;
use crate::notify::Topic;
use crate::statements::statements;
use crate::store::Store;

macro_rules! delivery_columns {
    () => {
        "id, event_id, job_id, project_id, endpoint_id, url, body, status, attempts, tries, next_attempt_ms,
         lease_until_ms, created_at, claim"
    };
}
pub(crate) use delivery_columns;

macro_rules! wanted {
    () => {
        " AND (CAST($3 AS TEXT) IS NULL OR status = $3) AND (CAST($4 AS TEXT) IS NULL OR job_id = $4)
          AND (CAST($5 AS TEXT) IS NULL OR endpoint_id = $5)"
    };
}

statements! {
    INSERT_DELIVERY = "INSERT INTO deliveries
            (id, event_id, job_id, project_id, endpoint_id, url, body, status, attempts, next_attempt_ms, created_at, lane)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 0, $8, $9, $10)";
    DELIVERIES = concat!("SELECT ", delivery_columns!(), " FROM deliveries
            WHERE project_id = $1", wanted!(), " ORDER BY id DESC LIMIT $2"),
        postgres = concat!("SELECT ", delivery_columns!(), " FROM deliveries
            WHERE (project_id, id) > ($1, '') AND (project_id, id) < ($1, 'dlv_zzzzzzzzzzzzzzzzzzzzz')", wanted!(), "
            ORDER BY project_id DESC, id DESC LIMIT $2");
    DELIVERY = concat!("SELECT ", delivery_columns!(), " FROM deliveries WHERE project_id = $1 AND id = $2");
    ATTEMPTS = "SELECT attempt, started_ms, duration_ms, status, error, answer FROM delivery_attempts
        WHERE delivery_id = $1 ORDER BY attempt";
    LAST_ATTEMPT = "SELECT attempt, started_ms, duration_ms, status, error, answer FROM delivery_attempts
        WHERE delivery_id = $1 ORDER BY attempt DESC LIMIT 1";
    /// The claim moves on, so that a try which is under way cannot say that it was the last.
    RESEND = "UPDATE deliveries SET status = 'pending', tries = 0, next_attempt_ms = $3, lease_until_ms = NULL,
            claim = claim + 1
        WHERE project_id = $1 AND id = $2";
    RESEND_FAILED = "UPDATE deliveries SET status = 'pending', tries = 0, next_attempt_ms = $2, lease_until_ms = NULL,
            claim = claim + 1
        WHERE project_id = $1 AND status = 'failed'
            AND (endpoint_id IS NULL OR endpoint_id IN (SELECT id FROM endpoints WHERE status = 'enabled'))";
}

/// How far a delivery has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
}

impl DeliveryStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Pending, Self::Delivered, Self::Failed].into_iter().find(|status| status.as_str() == text)
    }
}

/// One terminal event on its way to one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    /// Also its `webhook-id`.
    pub event_id: EventId,
    pub job_id: JobId,
    pub project_id: ProjectId,
    /// `None`: the job's own `webhook_url`.
    pub endpoint_id: Option<EndpointId>,
    pub url: String,
    /// The bytes that are signed and sent, the same on every try.
    pub body: String,
    pub status: DeliveryStatus,
    /// How often it was sent in all.
    pub attempts: i64,
    /// How often it was sent since it was last started afresh: where it stands in the schedule.
    pub tries: i64,
    pub next_attempt_at: Millis,
    /// A try is under way, or was lost if this has passed.
    pub lease_until: Option<Millis>,
    pub created_at: Timestamp,
    /// Fences what is told of a try.
    pub claim: i64,
}

/// What became of one try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub number: i64,
    pub started_at: Millis,
    pub duration_ms: i64,
    /// What the receiver answered, if it did.
    pub status: Option<i64>,
    pub error: Option<String>,
    /// The beginning of what it said.
    pub answer: Option<String>,
}

/// Which deliveries are wanted; what is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    pub status: Option<DeliveryStatus>,
    pub job: Option<JobId>,
    pub endpoint: Option<EndpointId>,
}

impl Store {
    /// The newest deliveries of a project.
    pub async fn deliveries(
        &self,
        project: &ProjectId,
        filter: &DeliveryFilter,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        let status = filter.status.map(DeliveryStatus::as_str);
        let arguments = args![project, limit, status, filter.job.as_ref(), filter.endpoint.as_ref()];
        let rows = self.database().rows(&DELIVERIES, arguments).await?;
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

    /// Every try of a delivery, the first one first.
    pub async fn attempts(&self, delivery: &DeliveryId) -> Result<Vec<Attempt>, StoreError> {
        let rows = self.database().rows(&ATTEMPTS, args![delivery]).await?;
        rows.iter().map(decode_attempt).collect()
    }

    pub async fn last_attempt(&self, delivery: &DeliveryId) -> Result<Option<Attempt>, StoreError> {
        let row = self.database().row(&LAST_ATTEMPT, args![delivery]).await?;
        row.as_ref().map(decode_attempt).transpose()
    }

    /// Sends a delivery again, whatever became of it, with the whole schedule before it; false when there is none.
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

    /// The same for every failed delivery whose endpoint is enabled; returns how many.
    pub async fn resend_failed(&self, project: &ProjectId, now: Millis) -> Result<u64, StoreError> {
        let count = self.database().write(&RESEND_FAILED, args![project, now]).await?;
        self.wake([Topic::Deliveries]);
        Ok(count)
    }
}

/// An address that hears of a job's end: a registered endpoint's, or the job's own.
pub(crate) struct Address {
    endpoint: Option<EndpointId>,
    url: String,
}

pub(crate) async fn addresses(tx: &mut Tx, job: &Job) -> Result<Vec<Address>, StoreError> {
    let endpoints = enabled_endpoints(tx, &job.project_id).await?;
    let registered =
        endpoints.into_iter().map(|endpoint| Address { endpoint: Some(endpoint.id), url: endpoint.url });
    let own = job.webhook_url.iter().map(|url| Address { endpoint: None, url: url.clone() });
    Ok(registered.chain(own).collect())
}

/// Writes one delivery of this terminal event for every address.
pub(crate) async fn insert_deliveries(
    tx: &mut Tx,
    job: &Job,
    addresses: &[Address],
    (kind, event): (EventType, &EventId),
    now: Millis,
) -> Result<(), StoreError> {
    for Address { endpoint, url } in addresses {
        let arguments = args![
            &DeliveryId::generate(now),
            event,
            &job.id,
            &job.project_id,
            endpoint.as_ref(),
            url,
            delivery_body(job, kind, now.timestamp()),
            now,
            now.timestamp(),
            lane(endpoint.as_ref(), &job.project_id, url),
        ];
        tx.later(&INSERT_DELIVERY, arguments).await?;
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
        status: row.word("status", DeliveryStatus::parse)?,
        attempts: row.integer("attempts")?,
        tries: row.integer("tries")?,
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
