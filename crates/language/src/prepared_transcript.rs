//! The transcript as the stages read it.

use auris_engine_core::text::TextTranscript;

use crate::lines::Lines;
use crate::transcript_lookup::TranscriptLookup;

/// A transcript, its lines, and the text for lookups.
pub(crate) struct PreparedTranscript<'a> {
    pub(crate) transcript: &'a TextTranscript,
    pub(crate) lines: Lines,
    pub(crate) lookup: TranscriptLookup,
}

impl<'a> PreparedTranscript<'a> {
    pub(crate) fn new(transcript: &'a TextTranscript) -> Self {
        let lookup = TranscriptLookup::new(&transcript.text);
        Self { transcript, lines: Lines::of(transcript), lookup }
    }
}
