//! What a running step reports: content events at once, progress at most twice a second.

use std::time::{Duration, Instant};

use auris_domain::event::EventType;
use auris_domain::wire::JsonText;
use auris_store::{AudioProgress, NewEvent, StepEvents};
use serde::Serialize;

use super::StepCall;
use crate::error::Outcome;
use crate::worker::lease::StopReason;

/// Minimum time between two progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Collects a step's events and writes them, fenced by the step's attempt.
pub(super) struct StepEventWriter<'a> {
    step: StepCall<'a>,
    pending: Vec<NewEvent>,
    progress: Option<AudioProgress>,
    last_progress: Instant,
}

impl<'a> StepEventWriter<'a> {
    pub(super) fn new(step: StepCall<'a>) -> Self {
        Self { step, pending: vec![], progress: None, last_progress: Instant::now() }
    }

    /// Adds an event with content.
    pub(super) fn content(&mut self, kind: EventType, data: &impl Serialize) {
        let step_id = Some(self.step.claimed.step().id.clone());
        self.pending.push(NewEvent { kind, step_id, data: JsonText::of(data) });
    }

    /// Sets how much of the audio is done.
    pub(super) fn audio_progress(&mut self, seconds_done: f64, seconds_total: Option<f64>) {
        // The length measured when the job was created is more reliable than the one in the file's header.
        let total = self.step.claimed.job().progress.audio_seconds_total.or(seconds_total);
        let share =
            total.filter(|total| *total > 0.0).map_or(0.0, |total| (seconds_done / total).clamp(0.0, 1.0));
        self.progress = Some(AudioProgress {
            percent: self.percent(share),
            processed_seconds: Some(seconds_done),
            total_seconds: total,
        });
    }

    /// Sets the completed share of a step that reads no audio.
    pub(super) fn share_progress(&mut self, share: f64) {
        let percent = self.percent(share.clamp(0.0, 1.0));
        self.progress = Some(AudioProgress { percent, processed_seconds: None, total_seconds: None });
    }

    /// The job's percentage when this step has done `share` of its work.
    fn percent(&self, share: f64) -> u8 {
        let progress = &self.step.claimed.job().progress;
        let steps = progress.total_steps.max(1) as f64;
        (((progress.completed_steps as f64 + share) / steps) * 100.0).min(99.0) as u8
    }

    /// Writes pending content, and progress if the interval has passed.
    pub(super) async fn flush(&mut self) -> Outcome<()> {
        let is_progress_due = self.progress.is_some() && self.last_progress.elapsed() >= PROGRESS_INTERVAL;
        if self.pending.is_empty() && !is_progress_due {
            return Ok(());
        }
        let mut events = std::mem::take(&mut self.pending);
        if is_progress_due {
            // The store fills in the data of progress events.
            let data = JsonText::of(&());
            events.push(NewEvent { kind: EventType::JobProgress, step_id: None, data });
            self.last_progress = Instant::now();
        }
        self.write(events).await
    }

    /// Writes everything that is left.
    pub(super) async fn finish(mut self) -> Outcome<()> {
        let events = std::mem::take(&mut self.pending);
        if events.is_empty() && self.progress.is_none() { Ok(()) } else { self.write(events).await }
    }

    async fn write(&mut self, events: Vec<NewEvent>) -> Outcome<()> {
        let step_events = StepEvents {
            job: self.step.claimed.job_id().clone(),
            hold: self.step.claimed.hold(),
            events,
            progress: self.progress.take(),
            now: self.step.service.clock().now(),
        };
        let is_still_held = self.step.service.store().append_events(step_events).await?;
        if !is_still_held {
            self.step.signal.stop(StopReason::Lost);
        }
        Ok(())
    }
}
