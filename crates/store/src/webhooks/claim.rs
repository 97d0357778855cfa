//! Claiming deliveries: a process takes due deliveries receiver by receiver. No two processes get the same delivery.
//!
//! A claimed delivery is due again when its lease ends, so the deliveries of a process that died are taken by another.

use auris_domain::id::{DeliveryId, EndpointId};
use auris_domain::time::Millis;
use auris_domain::webhook::EndpointStatus;

use super::deliveries::{Delivery, decode_delivery, delivery_columns};
use super::endpoints::endpoint_secrets;
use crate::error::StoreError;
use crate::secrets::SealedSecrets;
use crate::sql::{Tx, args, statements};
use crate::store::Store;

/// Maximum number of deliveries that are failed per transaction because their endpoint is disabled or deleted, so that
/// transactions stay short.
const FAILED_PER_CLAIM: u32 = 1_000;

statements! {
    /// One index lookup per receiver (the column `lane`), however many deliveries wait for it.
    WAITING_RECEIVERS = "WITH RECURSIVE lanes (lane) AS (
            SELECT MIN(lane) FROM deliveries WHERE status = 'pending'
            UNION ALL
            SELECT (SELECT MIN(deliveries.lane) FROM deliveries
                    WHERE deliveries.status = 'pending' AND deliveries.lane > lanes.lane)
            FROM lanes WHERE lanes.lane IS NOT NULL)
        SELECT lane, (SELECT MIN(next_attempt_ms) FROM deliveries
                WHERE deliveries.status = 'pending' AND deliveries.lane = lanes.lane) AS due_ms
        FROM lanes WHERE lane IS NOT NULL";
    CLAIM = concat!("UPDATE deliveries SET claim = claim + 1, lease_until_ms = $4, next_attempt_ms = $4
            WHERE id IN (SELECT id FROM deliveries WHERE status = 'pending' AND lane = $1 AND next_attempt_ms <= $2
                ORDER BY next_attempt_ms, id LIMIT $3)
            RETURNING ", delivery_columns!()),
        postgres = concat!("WITH due AS MATERIALIZED (SELECT id AS due_id FROM deliveries
                WHERE status = 'pending' AND lane = $1 AND next_attempt_ms <= $2
                ORDER BY next_attempt_ms, id LIMIT $3 FOR UPDATE SKIP LOCKED)
            UPDATE deliveries SET claim = claim + 1, lease_until_ms = $4, next_attempt_ms = $4
            FROM due WHERE id = due_id RETURNING ", delivery_columns!());
    HAND_BACK = "UPDATE deliveries SET lease_until_ms = NULL, next_attempt_ms = $3
        WHERE id = $1 AND claim = $2 AND status = 'pending'";
    RELEASE_LEASED_AFTER = "UPDATE deliveries SET lease_until_ms = NULL, next_attempt_ms = $2
        WHERE status = 'pending' AND lease_until_ms > $1";
    /// Leaves out deliveries that are being sent: they may still succeed.
    FAIL_RECEIVER = "UPDATE deliveries SET status = 'failed', lease_until_ms = NULL WHERE id IN
        (SELECT id FROM deliveries WHERE status = 'pending' AND lane = $1
            AND (lease_until_ms IS NULL OR lease_until_ms <= $2) LIMIT $3)";
}

/// A receiver with pending deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingReceiver {
    pub name: String,
    /// When the first of them is due.
    pub due_at: Millis,
}

/// A request for the due deliveries to one receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverClaim {
    pub receiver: String,
    pub limit: u32,
}

/// The deliveries to one receiver that were claimed, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedDeliveries {
    pub receiver: String,
    pub deliveries: Vec<Delivery>,
    /// The endpoint's secrets; `None` for a job's `webhook_url`, whose deliveries are signed with the project's secret.
    pub secrets: Option<SealedSecrets>,
}

impl Store {
    /// All receivers with pending deliveries, ordered by name.
    pub async fn waiting_receivers(&self) -> Result<Vec<WaitingReceiver>, StoreError> {
        let rows = self.database().rows(&WAITING_RECEIVERS, args![]).await?;
        let mut receivers = Vec::with_capacity(rows.len());
        for row in &rows {
            // Its last pending delivery can end between the two index lookups.
            if let Some(due) = row.optional_integer("due_ms")? {
                receivers.push(WaitingReceiver { name: row.text("lane")?, due_at: Millis(due) });
            }
        }
        Ok(receivers)
    }

    /// Claims due deliveries to these receivers in one transaction. Deliveries to an endpoint that is disabled or deleted
    /// fail instead.
    pub async fn claim_deliveries(
        &self,
        wanted: &[ReceiverClaim],
        now: Millis,
        lease_until: Millis,
    ) -> Result<Vec<ClaimedDeliveries>, StoreError> {
        let mut tx = self.database().begin().await?;
        let mut claimed = Vec::with_capacity(wanted.len());
        for claim in wanted {
            claimed.extend(claim_for_receiver(&mut tx, claim, now, lease_until).await?);
        }
        tx.commit().await?;
        Ok(claimed)
    }

    /// Makes claimed deliveries due whose lease ends after the given time. Returns their number.
    pub async fn release_deliveries_leased_after(
        &self,
        time: Millis,
        due: Millis,
    ) -> Result<u64, StoreError> {
        self.database().write(&RELEASE_LEASED_AFTER, args![time, due]).await
    }

    /// Gives back claims for which no attempt was made; they are due again at `due`.
    pub async fn hand_back_deliveries(
        &self,
        claims: &[(DeliveryId, i64)],
        due: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.database().begin().await?;
        for (id, claim) in claims {
            tx.write(&HAND_BACK, args![id, *claim, due]).await?;
        }
        tx.commit().await
    }
}

/// The due deliveries of a receiver; `None` if its endpoint is disabled or deleted.
async fn claim_for_receiver(
    tx: &mut Tx,
    claim: &ReceiverClaim,
    now: Millis,
    lease_until: Millis,
) -> Result<Option<ClaimedDeliveries>, StoreError> {
    let mut secrets = None;
    if let Ok(endpoint) = claim.receiver.parse::<EndpointId>() {
        secrets = enabled_secrets(tx, &endpoint).await?;
        if secrets.is_none() {
            tx.write(&FAIL_RECEIVER, args![&claim.receiver, now, FAILED_PER_CLAIM]).await?;
            return Ok(None);
        }
    }
    let rows = tx.rows(&CLAIM, args![&claim.receiver, now, claim.limit, lease_until]).await?;
    let mut deliveries: Vec<Delivery> = rows.iter().map(decode_delivery).collect::<Result<_, _>>()?;
    // Neither database guarantees the order of rows that an update returns.
    deliveries.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(Some(ClaimedDeliveries { receiver: claim.receiver.clone(), deliveries, secrets }))
}

/// Secrets of an enabled endpoint; `None` if it is disabled or deleted.
async fn enabled_secrets(tx: &mut Tx, endpoint: &EndpointId) -> Result<Option<SealedSecrets>, StoreError> {
    let found = endpoint_secrets(tx, endpoint).await?;
    Ok(found.filter(|(status, _)| *status == EndpointStatus::Enabled).map(|(_, secrets)| secrets))
}
