//! The language of a segment: as a task, and while the segment is transcribed.

use std::sync::Arc;

use auris_audio::voice::VoiceSegment;

use super::rules::WhisperRules;
use super::{WINDOW, WhisperTask};
use crate::language_scores::{LanguageChoice, LanguageScores};
use crate::speech_model::LanguageDoubt;
use crate::task::{Next, SegmentTask, Window};

impl WhisperTask {
    /// Chooses the language by the scores after the start token, and remembers another one that it may be.
    pub(super) fn detect_language(&mut self, scores: &[f32]) {
        let scores = self.rules.language_scores(scores);
        let choice = match &self.hints.expected {
            Some(expected) => scores.choice_near(expected, self.segment.speech_seconds()),
            None => scores.choice(),
        };
        let LanguageChoice { language, other } =
            choice.unwrap_or_else(|| LanguageChoice { language: "en".into(), other: None });
        self.hints.language = Some(language);
        self.other_language = other;
    }

    /// The doubt about the language, if it is to be checked. Takes the segment.
    pub(super) fn take_doubt(&mut self) -> Option<Box<LanguageDoubt>> {
        let other = self.other_language.take().filter(|_| self.hints.checks_language)?;
        let nothing = VoiceSegment { start: 0.0, samples: Vec::new(), voice: Vec::new() };
        let segment = std::mem::replace(&mut self.segment, nothing);
        Some(Box::new(LanguageDoubt { segment, other: Some(other), likelihood: None }))
    }
}

/// The language of the first window of a segment.
pub(crate) struct DetectTask {
    rules: Arc<WhisperRules>,
    segment: VoiceSegment,
    is_encoded: bool,
    scores: LanguageScores,
}

impl DetectTask {
    pub(crate) fn new(rules: Arc<WhisperRules>, segment: VoiceSegment) -> Self {
        Self { rules, segment, is_encoded: false, scores: LanguageScores::default() }
    }
}

impl SegmentTask for DetectTask {
    type Output = LanguageScores;

    fn window(&mut self) -> Option<Window> {
        let is_encoded = std::mem::replace(&mut self.is_encoded, true);
        (!is_encoded).then(|| Window::of(0..self.segment.samples.len().min(WINDOW)))
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
        self.scores = self.rules.language_scores(scores);
        Next::Done
    }

    fn finish(self: Box<Self>) -> LanguageScores {
        self.scores
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{MULTILINGUAL, ONE, hints, rules, run, segment};
    use super::*;
    use crate::speech_model::{Hints, Recognised};

    /// Transcribes five seconds that are German with this probability, or else Dutch.
    fn transcribed(german: f32, expected: Option<&str>, checks_language: bool) -> Recognised {
        let rules = rules(MULTILINGUAL);
        let tokens = rules.tokens;
        let hints = Hints { expected: expected.map(str::to_owned), checks_language, ..hints(None, &[]) };
        let task = WhisperTask::new(rules, segment(5), &hints);
        let text = [tokens.first_timestamp, ONE, tokens.first_timestamp + 50];
        let model = |fed: &[u32]| {
            let mut scores = vec![-30.0; MULTILINGUAL];
            match fed.len() {
                1 => {
                    scores[tokens.first_language as usize + 2] = german.ln();
                    scores[tokens.first_language as usize + 12] = (1.0 - german).ln();
                }
                _ => scores[text.get(fed.len() - 3).copied().unwrap_or(tokens.end) as usize] = 20.0,
            }
            scores
        };
        run(task, model).0
    }

    #[test]
    fn an_unsure_language_is_a_doubt_if_it_is_to_be_checked() {
        let language = |german: f32, expected: Option<&str>| {
            let recognised = transcribed(german, expected, true);
            let other = recognised.doubt.map(|doubt| {
                assert_eq!(doubt.segment, segment(5));
                doubt.other.unwrap()
            });
            (recognised.language.unwrap(), other)
        };
        assert_eq!(language(0.97, None), ("de".into(), None));
        assert_eq!(language(0.7, None), ("de".into(), Some("nl".into())));
        assert_eq!(language(0.7, Some("nl")), ("nl".into(), Some("de".into())));
        assert_eq!(language(0.7, Some("de")), ("de".into(), None));
        assert_eq!(language(0.97, Some("en")), ("de".into(), None));
        assert!(transcribed(0.7, None, false).doubt.is_none());
    }
}
