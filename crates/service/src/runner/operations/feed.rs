//! What a running step tells meanwhile: content events as they come, progress at most twice a second.

use std::time::{Duration, Instant};

use auris_domain::event::EventType;
use auris_store::{AudioProgress, ClaimedStep, NewEvent};
use serde_json::{Value, json};

use crate::Service;
use crate::error::Outcome;
use crate::runner::lease::{Signal, StopReason};

const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Collects what a step tells and writes it under the step's fence.
pub(super) struct Feed<'a> {
    service: &'a Service,
    claimed: &'a ClaimedStep,
    signal: &'a Signal,
    pending: Vec<NewEvent>,
    progress: Option<AudioProgress>,
    flushed: Instant,
}

impl<'a> Feed<'a> {
    pub(super) fn new(service: &'a Service, claimed: &'a ClaimedStep, signal: &'a Signal) -> Self {
        Self { service, claimed, signal, pending: vec![], progress: None, flushed: Instant::now() }
    }

    pub(super) fn content(&mut self, kind: EventType, data: Value) {
        self.pending.push(NewEvent { kind, step_id: Some(self.claimed.step.id.clone()), data });
    }

    pub(super) fn heard(&mut self, seconds_done: f64, seconds_total: Option<f64>) {
        // What was measured when the job was made is surer than what a header says.
        let total = self.claimed.job.progress.audio_seconds_total.or(seconds_total);
        let share =
            total.filter(|total| *total > 0.0).map_or(0.0, |total| (seconds_done / total).clamp(0.0, 1.0));
        self.progress = Some(AudioProgress {
            percent: self.percent(share),
            processed_seconds: Some(seconds_done),
            total_seconds: total,
        });
    }

    /// A step that reads no audio has done `share` of its work.
    pub(super) fn done(&mut self, share: f64) {
        let percent = self.percent(share.clamp(0.0, 1.0));
        self.progress = Some(AudioProgress { percent, processed_seconds: None, total_seconds: None });
    }

    /// The job's percent when this step has done `share` of its work.
    fn percent(&self, share: f64) -> u8 {
        let progress = &self.claimed.job.progress;
        let steps = progress.total_steps.max(1) as f64;
        (((progress.completed_steps as f64 + share) / steps) * 100.0).min(99.0) as u8
    }

    /// Writes what is pending; content at once, progress alone only when half a second has passed.
    pub(super) async fn flush(&mut self) -> Outcome<()> {
        let due = self.flushed.elapsed() >= PROGRESS_EVERY;
        if self.pending.is_empty() && !(due && self.progress.is_some()) {
            return Ok(());
        }
        let mut events = std::mem::take(&mut self.pending);
        if due && self.progress.is_some() {
            events.push(NewEvent { kind: EventType::JobProgress, step_id: None, data: json!({}) });
            self.flushed = Instant::now();
        }
        self.write(events).await
    }

    /// Writes all that is left, whenever progress was last told.
    pub(super) async fn finish(mut self) -> Outcome<()> {
        let events = std::mem::take(&mut self.pending);
        if events.is_empty() && self.progress.is_none() { Ok(()) } else { self.write(events).await }
    }

    async fn write(&mut self, events: Vec<NewEvent>) -> Outcome<()> {
        let step = &self.claimed.step;
        let (fence, now) = ((step.ordinal, step.attempt), self.service.clock.now());
        let holds = self
            .service
            .store
            .append_events(&self.claimed.job.id, fence, events, self.progress.take(), now)
            .await?;
        if !holds {
            self.signal.stop(StopReason::Lost);
        }
        Ok(())
    }
}
