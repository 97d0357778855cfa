//! When a person speaks, in frames of the recording.

/// Frames of a span that is certain to become a turn: a third of a second.
pub(super) const LONG: usize = 20;

/// Frames of the recording in which a person speaks; `end` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpeechSpan {
    pub(super) person: usize,
    pub(super) begin: usize,
    pub(super) end: usize,
}

impl SpeechSpan {
    /// Whether it is certain to become a turn.
    pub(super) fn is_long(&self) -> bool {
        self.end - self.begin >= LONG
    }
}
