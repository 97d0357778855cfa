//! The sweeper: deletes expired content, old job records, and orphan blobs. It stops deleting while the clock cannot be
//! trusted, and touches no blobs that belong to another installation.

use auris_domain::artifact::ArtifactStatus;
use auris_domain::time::{Millis, Timestamp};
use auris_store::DeleteOutcome;
use futures::future::BoxFuture;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::steady_clock::{Steadiness, SteadyClock};
use crate::Service;
use crate::error::Outcome;

/// Maximum number of rows per transaction, so that no transaction takes long.
pub(super) const BATCH: u32 = 100;
/// Listing all blobs is expensive, so one node does it for all nodes, once in this number of sweeps.
const SWEEPS_PER_ORPHAN_SEARCH: u32 = 60;
const ORPHAN_SEARCH: &str = "orphans";
/// The task whose last time is compared with the clock at start.
const SWEEP: &str = "sweep";

/// What a process remembers from one sweep to the next.
pub struct Sweeper {
    clock: SteadyClock,
    /// Whether the clock was compared with the last sweep of any node.
    is_compared: bool,
    sweeps: u32,
}

impl Service {
    /// Sweeps at intervals until it is stopped. The first sweep comes one interval after the start.
    pub fn run_sweeper(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let period = self.settings().jobs.sweep;
            let mut interval = tokio::time::interval_at(tokio::time::Instant::now() + period, period);
            interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut sweeper = self.sweeper();
            tracing::info!(
                seconds = period.as_secs(),
                "the first sweep for expired content comes after one interval"
            );
            loop {
                tokio::select! {
                    _ = interval.tick() => {}
                    () = stop.cancelled() => return,
                }
                if let Err(error) = self.sweep(&mut sweeper).await {
                    tracing::warn!(%error, "cannot sweep now; trying again at the next interval");
                }
            }
        })
    }

    /// A sweeper that starts now.
    pub fn sweeper(&self) -> Sweeper {
        let clock = SteadyClock::new(self.clock().now(), self.clock().uptime(), self.settings().jobs.sweep);
        Sweeper { clock, is_compared: false, sweeps: 0 }
    }

    /// Sweeps once. What is left after a failure is for the next sweep.
    pub async fn sweep(&self, sweeper: &mut Sweeper) -> Outcome<()> {
        self.master_keys().refresh();
        self.compare_with_last_sweep(sweeper).await?;
        // One reading for the whole sweep: a clock that jumps in the meantime deletes nothing.
        let now = self.clock().now();
        let uptime = self.clock().uptime();
        if !is_steady(sweeper.clock.check(now, uptime)) {
            return Ok(());
        }
        self.store().release_expired_holds(now).await?;
        self.delete_old_rows(now).await?;
        if !self.owns_blobs().await? {
            tracing::error!("the blobs do not belong to this database; no content is deleted");
            return Ok(());
        }
        self.expire_content(now).await?;
        self.store().record_task(SWEEP, now).await?;
        self.search_orphans(sweeper, now).await
    }

    /// Once, at the first sweep that reaches the database.
    async fn compare_with_last_sweep(&self, sweeper: &mut Sweeper) -> Outcome<()> {
        if sweeper.is_compared {
            return Ok(());
        }
        let last_sweep = self.store().task_last_done(SWEEP).await?;
        sweeper.is_compared = true;
        if let Some(last_sweep) = last_sweep.filter(|last_sweep| sweeper.clock.compare(*last_sweep)) {
            tracing::warn!(
                last_sweep = %last_sweep.timestamp().to_rfc3339(),
                "the last sweep was long ago, or the clock is wrong; nothing is deleted for an hour. Check the clock"
            );
        }
        Ok(())
    }

    async fn delete_old_rows(&self, now: Millis) -> Outcome<()> {
        let before = Timestamp(now.timestamp().0 - self.settings().jobs.record_seconds);
        while self.store().purge_jobs(before, BATCH).await? == u64::from(BATCH) {}
        while self.store().sweep_keys(now, BATCH).await? == u64::from(BATCH) {}
        Ok(())
    }

    async fn expire_content(&self, now: Millis) -> Outcome<()> {
        loop {
            let expired = self.store().expired_jobs(now, BATCH).await?;
            for (project, job) in &expired {
                let outcome = self.store().delete_content(project, job, now, ArtifactStatus::Expired).await?;
                if let DeleteOutcome::Deleted(blobs) = outcome {
                    self.blobs().delete(&blobs).await?;
                    tracing::info!(job.id = %job, "deleted expired content");
                }
            }
            if expired.len() < BATCH as usize {
                return Ok(());
            }
        }
    }

    /// Searches for orphan blobs if it is this node's turn, and never right after a start.
    async fn search_orphans(&self, sweeper: &mut Sweeper, now: Millis) -> Outcome<()> {
        sweeper.sweeps = sweeper.sweeps.saturating_add(1);
        if sweeper.sweeps < SWEEPS_PER_ORPHAN_SEARCH {
            return Ok(());
        }
        let interval = self.settings().jobs.sweep.as_millis() as i64 * i64::from(SWEEPS_PER_ORPHAN_SEARCH);
        match self.store().claim_task(ORPHAN_SEARCH, now, now.plus_ms(interval)).await? {
            true => self.sweep_orphans(now).await,
            false => Ok(()),
        }
    }
}

fn is_steady(steadiness: Steadiness) -> bool {
    match steadiness {
        Steadiness::Steady => true,
        Steadiness::Waiting => false,
        Steadiness::Jumped(ms) => {
            tracing::warn!(
                seconds = ms / 1000,
                "the clock has jumped; nothing is deleted until it has been steady for an hour"
            );
            false
        }
    }
}
