//! Detects the language of a segment.

use std::ops::Range;
use std::sync::Arc;

use auris_audio::voice::VoiceSegment;

use super::WINDOW;
use super::rules::WhisperRules;
use crate::task::{Next, SegmentTask};

/// The language of the first window of a segment.
pub(crate) struct DetectTask {
    rules: Arc<WhisperRules>,
    segment: VoiceSegment,
    is_encoded: bool,
    language: Option<String>,
}

impl DetectTask {
    pub(crate) fn new(rules: Arc<WhisperRules>, segment: VoiceSegment) -> Self {
        Self { rules, segment, is_encoded: false, language: None }
    }
}

impl SegmentTask for DetectTask {
    type Output = Option<String>;

    fn window(&mut self) -> Option<Range<usize>> {
        let is_encoded = std::mem::replace(&mut self.is_encoded, true);
        (!is_encoded).then(|| 0..self.segment.samples.len().min(WINDOW))
    }

    fn samples(&self) -> &[f32] {
        &self.segment.samples
    }

    fn start(&mut self) -> Vec<u32> {
        vec![self.rules.tokens.start]
    }

    fn needs_attention(&self) -> bool {
        false
    }

    fn next(&mut self, scores: &mut [f32], _: &[Vec<f32>]) -> Next {
        self.language = self.rules.likeliest_language(scores);
        Next::Done
    }

    fn finish(self: Box<Self>) -> Option<String> {
        self.language
    }
}
