//! A lease on a stored row: renewed while a call runs, released when the call ends or is dropped.

use std::time::Duration;

use auris_domain::time::Millis;
use auris_store::{Store, StoreError};
use tokio::task::JoinHandle;

use crate::Service;

/// A row under a lease. If its holder stops renewing it, others may take the row over.
pub(crate) trait LeasedRow: Clone + Send + Sync + 'static {
    /// What the row is, for log messages.
    const NAME: &'static str;
    /// How long the lease lasts without being renewed.
    const LEASE_MS: i64;

    fn extend(&self, store: &Store, until: Millis) -> impl Future<Output = Result<(), StoreError>> + Send;

    fn release(&self, store: &Store) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Holds a lease. Dropped without being settled, it releases the row.
pub(crate) struct LeaseGuard<Row: LeasedRow> {
    service: Service,
    row: Row,
    renewal: JoinHandle<()>,
    settled: bool,
}

impl<Row: LeasedRow> LeaseGuard<Row> {
    /// Starts to renew a lease that was just taken.
    pub(crate) fn new(service: Service, row: Row) -> Self {
        let renewal = tokio::spawn(renew(service.clone(), row.clone()));
        Self { service, row, renewal, settled: false }
    }

    pub(crate) fn row(&self) -> &Row {
        &self.row
    }

    /// Ends the renewal and leaves the row alone: the transaction that recorded the result has dealt with it.
    pub(crate) fn settle(mut self) {
        self.settled = true;
    }

    /// Releases the row now, so that the caller who learns of a failure can retry at once.
    pub(crate) async fn release(mut self) -> Result<(), StoreError> {
        self.renewal.abort();
        self.row.release(self.service.store()).await?;
        self.settled = true;
        Ok(())
    }
}

impl<Row: LeasedRow> Drop for LeaseGuard<Row> {
    fn drop(&mut self) {
        self.renewal.abort();
        if self.settled {
            return;
        }
        let service = self.service.clone();
        let row = self.row.clone();
        tokio::spawn(async move {
            if let Err(error) = row.release(service.store()).await {
                tracing::warn!(%error, row = Row::NAME, "cannot release a leased row; its lease will expire");
            }
        });
    }
}

async fn renew<Row: LeasedRow>(service: Service, row: Row) {
    let third = Duration::from_millis(Row::LEASE_MS.unsigned_abs() / 3);
    loop {
        tokio::time::sleep(third).await;
        let until = service.clock().now().plus_ms(Row::LEASE_MS);
        if let Err(error) = row.extend(service.store(), until).await {
            tracing::warn!(%error, row = Row::NAME, "cannot renew a lease now");
        }
    }
}
