//! What became of tries: written many at a time, fenced by their claims, and what they mean for the endpoint.

use std::collections::BTreeMap;

use auris_domain::id::{DeliveryId, EndpointId};
use auris_domain::time::Millis;
use auris_domain::webhook::FAILING_DISABLES_MS;
use serde::Serialize;

use crate::db::{Tx, args};
use crate::decode::to_json;
use crate::deliveries::DeliveryStatus;
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

/// The only difference between the databases is how they read JSON.
macro_rules! settle {
    ($told:literal) => {
        concat!(
            "UPDATE deliveries SET attempts = attempts + 1,
                tries = CASE WHEN deliveries.claim = told.claim THEN tries + 1 ELSE tries END,
                status = CASE WHEN deliveries.claim = told.claim OR told.verdict = 'delivered' THEN told.verdict
                    ELSE status END,
                next_attempt_ms = CASE WHEN deliveries.claim = told.claim THEN told.next_ms ELSE next_attempt_ms END,
                lease_until_ms = CASE WHEN deliveries.claim = told.claim THEN NULL ELSE lease_until_ms END
            FROM ",
            $told,
            " WHERE deliveries.id = told.told_id"
        )
    };
}

statements! {
    /// Every try is counted. One that lost its claim decides nothing any more, unless it got through. All tries of a
    /// batch come as one JSON array: a statement for each would cost more than the rows.
    SETTLE = settle!("(SELECT value ->> 'id' AS told_id, value ->> 'claim' AS claim, value ->> 'verdict' AS verdict,
                value ->> 'next_ms' AS next_ms FROM json_each($1)) AS told"),
        postgres = settle!("(SELECT * FROM jsonb_to_recordset(CAST($1 AS JSONB))
                AS given (id TEXT, claim BIGINT, verdict TEXT, next_ms BIGINT)) AS told (told_id, claim, verdict, next_ms)");
    /// After the tries were counted. The job of a delivery may have been purged while it was on the way.
    INSERT_ATTEMPTS = "INSERT INTO delivery_attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer)
        SELECT deliveries.id, deliveries.attempts, value ->> 'started_ms', value ->> 'duration_ms', value ->> 'status',
            value ->> 'error', value ->> 'answer'
        FROM json_each($1) JOIN deliveries ON deliveries.id = value ->> 'id'",
        postgres = "INSERT INTO delivery_attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer)
        SELECT deliveries.id, deliveries.attempts, told.started_ms, told.duration_ms, told.status, told.error, told.answer
        FROM jsonb_to_recordset(CAST($1 AS JSONB)) AS told (id TEXT, started_ms BIGINT, duration_ms BIGINT, status BIGINT,
            error TEXT, answer TEXT)
        JOIN deliveries ON deliveries.id = told.id";
    RECOVERED = "UPDATE endpoints SET failing_since_ms = NULL WHERE id = $1 AND failing_since_ms IS NOT NULL";
    FAILING = "UPDATE endpoints SET failing_since_ms = $2
        WHERE id = $1 AND status = 'enabled' AND failing_since_ms IS NULL";
    GIVE_UP = "UPDATE endpoints SET status = 'disabled', disabled_because = $3
        WHERE id = $1 AND status = 'enabled' AND failing_since_ms <= $2";
    GONE = "UPDATE endpoints SET status = 'disabled', disabled_because = $2 WHERE id = $1 AND status = 'enabled'";
}

const BECAUSE_FAILING: &str = "five days of nothing but failures";
const BECAUSE_GONE: &str = "it answered 410 Gone";

/// What a try decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Delivered,
    /// Again, at this moment.
    Retry(Millis),
    /// That was the last try.
    GivenUp,
    /// The receiver wants to hear no more, of anything.
    Gone,
}

/// One try, as it is recorded.
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

    fn told(&self) -> Told<'_> {
        let (verdict, next) = self.settled();
        Told {
            id: self.delivery.as_str(),
            claim: self.claim,
            verdict: verdict.as_str(),
            next_ms: next.0,
            started_ms: self.started_at.0,
            duration_ms: self.duration_ms,
            status: self.status,
            error: self.error.as_deref(),
            answer: self.answer.as_deref(),
        }
    }
}

/// A try as the statements read it.
#[derive(Serialize)]
struct Told<'a> {
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
    /// Records tries in one transaction; returns the endpoints that were disabled by them.
    pub async fn record_attempts(
        &self,
        mut records: Vec<AttemptRecord>,
    ) -> Result<Vec<EndpointId>, StoreError> {
        // Every process takes rows in the same order, so that none waits for one that waits for it.
        records.sort_by(|one, other| one.delivery.cmp(&other.delivery));
        let mut tx = self.database().begin().await?;
        for batch in distinct(&records) {
            let told = to_json(&batch.iter().map(|record| record.told()).collect::<Vec<_>>())?;
            tx.write(&SETTLE, args![told.clone()]).await?;
            tx.write(&INSERT_ATTEMPTS, args![told]).await?;
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

/// Batches in which no delivery stands twice, for a statement counts each once.
fn distinct(records: &[AttemptRecord]) -> Vec<Vec<&AttemptRecord>> {
    let mut batches: Vec<Vec<&AttemptRecord>> = Vec::new();
    let mut turn = 0;
    for (index, record) in records.iter().enumerate() {
        let repeated = index > 0 && records[index - 1].delivery == record.delivery;
        turn = if repeated { turn + 1 } else { 0 };
        match batches.get_mut(turn) {
            Some(batch) => batch.push(record),
            None => batches.push(vec![record]),
        }
    }
    batches
}

/// What a batch of tries says of one endpoint.
#[derive(Debug, Clone, Copy, Default)]
struct Health {
    succeeded: bool,
    gone: bool,
    failed_at: Option<Millis>,
}

impl Health {
    /// True when the endpoint was disabled. A success in the batch outweighs the failures beside it.
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
