//! Receivers of partial results and progress.

use auris_domain::transcript::Segment;

/// Receives the progress of work on a recording.
pub trait ProgressSink {
    /// `seconds_total` is `None` if the duration is unknown until the whole file is decoded.
    fn progress(&mut self, seconds_done: f64, seconds_total: Option<f64>);
}

/// Receives a transcription while it is produced.
pub trait SpeechSink: ProgressSink {
    /// The next part of the text. All deltas joined are the text of the transcript.
    fn delta(&mut self, text: &str);
    fn segment(&mut self, segment: &Segment);
}

/// Receives a text answer while it is produced.
pub trait TextSink {
    fn delta(&mut self, text: &str);
    /// The completed share of a stage, from 0 to 1. It restarts at 0 if a stage reads the text a second time.
    fn progress(&mut self, _share: f64) {}
}

/// A sink that ignores everything, for callers that need only the final result.
#[derive(Debug, Default, Clone, Copy)]
pub struct Ignore;

impl ProgressSink for Ignore {
    fn progress(&mut self, _: f64, _: Option<f64>) {}
}

impl SpeechSink for Ignore {
    fn delta(&mut self, _: &str) {}
    fn segment(&mut self, _: &Segment) {}
}

impl TextSink for Ignore {
    fn delta(&mut self, _: &str) {}
}
