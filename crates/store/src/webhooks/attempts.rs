//! Recording delivery attempts: many at a time, fenced by their claims, with their effect on the endpoint.

use std::collections::BTreeMap;

use auris_domain::id::{DeliveryId, EndpointId};
use auris_domain::time::Millis;
use auris_domain::webhook::FAILING_DISABLES_MS;
use serde::Serialize;

use super::deliveries::DeliveryStatus;
use crate::error::StoreError;
use crate::sql::{Argument, Tx, args, rows_argument, statements};
use crate::store::Store;

/// The databases differ only in how they read the list of attempts.
macro_rules! settle {
    ($made:literal) => {
        concat!(
            "UPDATE deliveries SET attempts = attempts + 1,
                tries = CASE WHEN deliveries.claim = made.claim THEN tries + 1 ELSE tries END,
                status = CASE WHEN deliveries.claim = made.claim OR made.verdict = 'delivered' THEN made.verdict
                    ELSE status END,
                next_attempt_ms = CASE WHEN deliveries.claim = made.claim THEN made.next_ms ELSE next_attempt_ms END,
                lease_until_ms = CASE WHEN deliveries.claim = made.claim THEN NULL ELSE lease_until_ms END
            FROM ",
            $made,
            " WHERE deliveries.id = made.made_id"
        )
    };
}

statements! {
    /// Counts every attempt. An attempt that lost its claim changes the delivery's state only if it succeeded. All
    /// attempts are passed as one list, because one statement each would cost more than the rows.
    SETTLE = settle!("(SELECT value ->> 'id' AS made_id, value ->> 'claim' AS claim, value ->> 'verdict' AS verdict,
                value ->> 'next_ms' AS next_ms FROM json_each($1)) AS made"),
        postgres = settle!("(SELECT * FROM jsonb_to_recordset(CAST($1 AS JSONB))
                AS given (id TEXT, claim BIGINT, verdict TEXT, next_ms BIGINT)) AS made (made_id, claim, verdict, next_ms)");
    /// Runs after the attempts are counted. A delivery may have been purged with its job while it was being sent.
    INSERT_ATTEMPTS = "INSERT INTO delivery_attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer)
        SELECT deliveries.id, deliveries.attempts, value ->> 'started_ms', value ->> 'duration_ms', value ->> 'status',
            value ->> 'error', value ->> 'answer'
        FROM json_each($1) JOIN deliveries ON deliveries.id = value ->> 'id'",
        postgres = "INSERT INTO delivery_attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer)
        SELECT deliveries.id, deliveries.attempts, made.started_ms, made.duration_ms, made.status, made.error, made.answer
        FROM jsonb_to_recordset(CAST($1 AS JSONB)) AS made (id TEXT, started_ms BIGINT, duration_ms BIGINT, status BIGINT,
            error TEXT, answer TEXT)
        JOIN deliveries ON deliveries.id = made.id";
    RECOVERED = "UPDATE endpoints SET failing_since_ms = NULL WHERE id = $1 AND failing_since_ms IS NOT NULL";
    FAILING = "UPDATE endpoints SET failing_since_ms = $2
        WHERE id = $1 AND status = 'enabled' AND failing_since_ms IS NULL";
    GIVE_UP = "UPDATE endpoints SET status = 'disabled', disabled_because = $3
        WHERE id = $1 AND status = 'enabled' AND failing_since_ms <= $2";
    GONE = "UPDATE endpoints SET status = 'disabled', disabled_because = $2 WHERE id = $1 AND status = 'enabled'";
}

const BECAUSE_FAILING: &str = "only failures for five days";
const BECAUSE_GONE: &str = "it answered 410 Gone";

/// What an attempt decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Delivered,
    /// Try again at this time.
    Retry(Millis),
    /// It was the last attempt.
    GivenUp,
    /// The receiver answered 410: it wants no more deliveries.
    Gone,
}

/// One attempt to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    pub delivery: DeliveryId,
    pub claim: i64,
    pub endpoint: Option<EndpointId>,
    pub started_at: Millis,
    pub duration_ms: i64,
    pub status: Option<u16>,
    pub error: Option<String>,
    pub answer: Option<String>,
    pub verdict: Verdict,
}

impl AttemptRecord {
    fn ended_at(&self) -> Millis {
        self.started_at.plus_ms(self.duration_ms)
    }

    fn settled(&self) -> (DeliveryStatus, Millis) {
        match self.verdict {
            Verdict::Delivered => (DeliveryStatus::Delivered, self.ended_at()),
            Verdict::Retry(at) => (DeliveryStatus::Pending, at),
            Verdict::GivenUp | Verdict::Gone => (DeliveryStatus::Failed, self.ended_at()),
        }
    }

    fn row(&self) -> AttemptRow<'_> {
        let (status, next) = self.settled();
        AttemptRow {
            id: self.delivery.as_str(),
            claim: self.claim,
            verdict: status.as_str(),
            next_ms: next.0,
            started_ms: self.started_at.0,
            duration_ms: self.duration_ms,
            status: self.status,
            error: self.error.as_deref(),
            answer: self.answer.as_deref(),
        }
    }
}

/// An attempt as the statements read it.
#[derive(Serialize)]
struct AttemptRow<'a> {
    id: &'a str,
    claim: i64,
    verdict: &'static str,
    next_ms: i64,
    started_ms: i64,
    duration_ms: i64,
    status: Option<u16>,
    error: Option<&'a str>,
    answer: Option<&'a str>,
}

impl Store {
    /// Records attempts in one transaction and returns the endpoints that were disabled because of them.
    pub async fn record_attempts(
        &self,
        mut records: Vec<AttemptRecord>,
    ) -> Result<Vec<EndpointId>, StoreError> {
        // Every process locks rows in the same order, so that none waits for another that waits for it.
        records.sort_by(|one, other| one.delivery.cmp(&other.delivery));
        let mut tx = self.database().begin().await?;
        for batch in distinct(&records) {
            let rows: Vec<AttemptRow<'_>> = batch.iter().map(|record| record.row()).collect();
            let list: Argument = rows_argument(&rows)?;
            tx.write(&SETTLE, vec![list.clone()]).await?;
            tx.write(&INSERT_ATTEMPTS, vec![list]).await?;
        }
        let mut disabled = Vec::new();
        for (endpoint, health) in by_endpoint(&records) {
            if health.write(&mut tx, endpoint).await? {
                disabled.push(endpoint.clone());
            }
        }
        tx.commit().await?;
        Ok(disabled)
    }
}

/// Divides the records into batches that contain each delivery at most once, because a statement counts it once.
fn distinct(records: &[AttemptRecord]) -> Vec<Vec<&AttemptRecord>> {
    let mut batches: Vec<Vec<&AttemptRecord>> = Vec::new();
    let mut repetition = 0;
    for (index, record) in records.iter().enumerate() {
        let is_repeated = index > 0 && records[index - 1].delivery == record.delivery;
        repetition = if is_repeated { repetition + 1 } else { 0 };
        match batches.get_mut(repetition) {
            Some(batch) => batch.push(record),
            None => batches.push(vec![record]),
        }
    }
    batches
}

/// What a batch of attempts says about one endpoint.
#[derive(Debug, Clone, Copy, Default)]
struct Health {
    succeeded: bool,
    gone: bool,
    failed_at: Option<Millis>,
}

impl Health {
    /// Returns true if the endpoint was disabled. One success in the batch outweighs its failures.
    async fn write(self, tx: &mut Tx, endpoint: &EndpointId) -> Result<bool, StoreError> {
        if self.gone {
            return Ok(tx.write(&GONE, args![endpoint, BECAUSE_GONE]).await? > 0);
        }
        if self.succeeded {
            tx.write(&RECOVERED, args![endpoint]).await?;
            return Ok(false);
        }
        let Some(now) = self.failed_at else {
            return Ok(false);
        };
        let since = Millis(now.0 - FAILING_DISABLES_MS);
        if tx.write(&GIVE_UP, args![endpoint, since, BECAUSE_FAILING]).await? > 0 {
            return Ok(true);
        }
        tx.write(&FAILING, args![endpoint, now]).await?;
        Ok(false)
    }
}

fn by_endpoint(records: &[AttemptRecord]) -> BTreeMap<&EndpointId, Health> {
    let mut endpoints: BTreeMap<&EndpointId, Health> = BTreeMap::new();
    for record in records {
        let Some(endpoint) = &record.endpoint else { continue };
        let health = endpoints.entry(endpoint).or_default();
        match record.verdict {
            Verdict::Delivered => health.succeeded = true,
            Verdict::Gone => health.gone = true,
            Verdict::Retry(_) | Verdict::GivenUp => health.failed_at = Some(record.ended_at()),
        }
    }
    endpoints
}
