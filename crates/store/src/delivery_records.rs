//! What became of tries: written many at a time, fenced by their claims, and what they mean for the endpoint.

use std::collections::BTreeMap;

use auris_domain::id::{DeliveryId, EndpointId};
use auris_domain::time::Millis;
use auris_domain::webhook::FAILING_DISABLES_MS;

use crate::db::{Tx, args};
use crate::deliveries::DeliveryStatus;
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

statements! {
    /// Every try is counted. One that lost its claim decides nothing any more, unless it got through.
    SETTLE = "UPDATE deliveries SET attempts = attempts + 1,
            tries = CASE WHEN claim = $2 THEN tries + 1 ELSE tries END,
            status = CASE WHEN claim = $2 OR $3 = 'delivered' THEN $3 ELSE status END,
            next_attempt_ms = CASE WHEN claim = $2 THEN $4 ELSE next_attempt_ms END,
            lease_until_ms = CASE WHEN claim = $2 THEN NULL ELSE lease_until_ms END
        WHERE id = $1 RETURNING attempts";
    INSERT_ATTEMPT = "INSERT INTO delivery_attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
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
        for record in &records {
            settle(&mut tx, record).await?;
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

async fn settle(tx: &mut Tx, record: &AttemptRecord) -> Result<(), StoreError> {
    let (status, next) = record.settled();
    let arguments = args![&record.delivery, record.claim, status.as_str(), next];
    // The job may have been purged while its delivery was on the way.
    let Some(row) = tx.row(&SETTLE, arguments).await? else {
        return Ok(());
    };
    let arguments = args![
        &record.delivery,
        row.integer("attempts")?,
        record.started_at,
        record.duration_ms,
        record.status.map(i64::from),
        record.error.clone(),
        record.answer.clone(),
    ];
    tx.write(&INSERT_ATTEMPT, arguments).await.map(drop)
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
