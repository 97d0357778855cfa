//! Claims of deliveries: a process takes what is due, lane by lane, and no two processes the same.
//!
//! A claimed delivery is not due again before its lease ends, so that one whose process died comes back by itself.

use auris_domain::id::{DeliveryId, EndpointId};
use auris_domain::time::Millis;
use auris_domain::webhook::EndpointStatus;

use crate::db::{Tx, args};
use crate::deliveries::{Delivery, decode_delivery, delivery_columns};
use crate::endpoints::{SealedSecrets, endpoint_secrets};
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

/// What waits for an endpoint that is gone is dropped in bites, so that no transaction is long.
const BITE: u32 = 1_000;

statements! {
    /// One look into the index for each lane, however many deliveries wait in it.
    LANES = "WITH RECURSIVE lanes (lane) AS (
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
    /// Not what is being sent this moment: that may still succeed.
    DROP_LANE = "UPDATE deliveries SET status = 'failed', lease_until_ms = NULL WHERE id IN
        (SELECT id FROM deliveries WHERE status = 'pending' AND lane = $1
            AND (lease_until_ms IS NULL OR lease_until_ms <= $2) LIMIT $3)";
}

/// A receiver that something waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    pub name: String,
    /// When the first of its deliveries is due.
    pub due_at: Millis,
}

/// What a process wants of one lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneClaim {
    pub lane: String,
    pub limit: u32,
}

/// What it got of it, the longest waiting first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedLane {
    pub lane: String,
    pub deliveries: Vec<Delivery>,
    /// The endpoint's secrets; a job's own address has none, its deliveries are signed with the project's.
    pub secrets: Option<SealedSecrets>,
}

impl Store {
    /// Every lane in which something waits, by name.
    pub async fn lanes(&self) -> Result<Vec<Lane>, StoreError> {
        let rows = self.database().rows(&LANES, args![]).await?;
        let mut lanes = Vec::with_capacity(rows.len());
        for row in &rows {
            // A lane may empty itself between the two looks into the index.
            if let Some(due) = row.optional_integer("due_ms")? {
                lanes.push(Lane { name: row.text("lane")?, due_at: Millis(due) });
            }
        }
        Ok(lanes)
    }

    /// Takes what is due of these lanes, in one transaction. What waits for an endpoint that is disabled or gone fails.
    pub async fn claim_deliveries(
        &self,
        wanted: &[LaneClaim],
        now: Millis,
        lease_until: Millis,
    ) -> Result<Vec<ClaimedLane>, StoreError> {
        let mut tx = self.database().begin().await?;
        let mut claimed = Vec::with_capacity(wanted.len());
        for claim in wanted {
            let secrets = match claim.lane.parse::<EndpointId>() {
                Ok(endpoint) => match open_secrets(&mut tx, &endpoint).await? {
                    Some(secrets) => Some(secrets),
                    None => {
                        tx.write(&DROP_LANE, args![&claim.lane, now, BITE]).await?;
                        continue;
                    }
                },
                Err(_) => None,
            };
            let rows = tx.rows(&CLAIM, args![&claim.lane, now, claim.limit, lease_until]).await?;
            let deliveries: Result<Vec<Delivery>, StoreError> = rows.iter().map(decode_delivery).collect();
            let mut deliveries = deliveries?;
            // Neither database promises an order for what an update returns.
            deliveries.sort_by(|one, other| one.id.cmp(&other.id));
            claimed.push(ClaimedLane { lane: claim.lane.clone(), deliveries, secrets });
        }
        tx.commit().await?;
        Ok(claimed)
    }

    /// Gives claims back that came to no try; they are due at `due`.
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

/// The secrets of an endpoint that hears of events; none of one that is disabled or deleted.
async fn open_secrets(tx: &mut Tx, endpoint: &EndpointId) -> Result<Option<SealedSecrets>, StoreError> {
    let found = endpoint_secrets(tx, endpoint).await?;
    Ok(found.filter(|(status, _)| *status == EndpointStatus::Enabled).map(|(_, secrets)| secrets))
}
