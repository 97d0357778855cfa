//! Whisper's rules: windows of thirty seconds, the language, the prompt, timestamps, and a second attempt after a loop.

mod beam;
mod decoded_window;
mod detect;
mod rules;
mod segments;
#[cfg(test)]
mod tests;
mod timestamps;

use std::ops::Range;
use std::sync::Arc;

use auris_audio::SAMPLE_RATE;
use auris_audio::voice::{FRAME, VoiceSegment};

use crate::alignment::Attention;
use crate::net::ScoredRow;
use crate::repetition_guards::{loop_start, repeats_a_triple};
use crate::speech_model::{Hints, Recognised};
use crate::task::{Next, SegmentTask};
use crate::token_choice::{best_with_bias, probability};
use crate::vocabulary::BiasState;
use crate::words::{ChosenToken, SegmentText};
use beam::{Beam, BeamStep};
use decoded_window::DecodedWindow;
use segments::{WindowPlace, segments};
use timestamps::constrain;

pub(crate) use detect::DetectTask;
pub(crate) use rules::WhisperRules;

/// The seconds of audio that the model reads at once.
pub(crate) const WINDOW_SECONDS: usize = 30;
const WINDOW: usize = WINDOW_SECONDS * SAMPLE_RATE as usize;
/// Samples per frame of the encoder's output.
const SAMPLES_PER_FRAME: usize = 320;
/// Maximum tokens of a window: half of the decoder's context.
const MAX_TOKENS: usize = 224;
/// Minimum seconds of speech after the last timestamp that are transcribed in another window.
const MIN_REST_SECONDS: f64 = 0.4;
/// A frame with this probability of speech counts as speech in the rest.
const VOICED: f32 = 0.5;

/// The transcription of one segment.
pub(crate) struct WhisperTask {
    rules: Arc<WhisperRules>,
    segment: VoiceSegment,
    hints: Hints,
    /// The first sample of the next window; `None` if there is none.
    next_window: Option<usize>,
    /// The samples of the current window.
    window: Range<usize>,
    stage: Stage,
    /// Set after a loop: no three tokens may be repeated.
    without_repeats: bool,
    decoded: DecodedWindow,
    bias: Option<BiasState>,
    /// The texts of the window, if several are decoded side by side.
    beam: Option<Beam>,
    segments: Vec<SegmentText>,
}

/// What the scores of the next step mean.
#[derive(Clone, Copy)]
enum Stage {
    /// The language. Then the decoding begins again with the prompt, because the prompt may be in another language.
    Language,
    /// The probability of silence, and the language if it is unknown.
    Opening,
    /// The next token of the text.
    Text,
}

impl WhisperTask {
    pub(crate) fn new(rules: Arc<WhisperRules>, segment: VoiceSegment, hints: &Hints) -> Self {
        let mut hints = hints.clone();
        if rules.is_english_only() {
            hints.language = Some("en".into());
        }
        Self {
            rules,
            hints,
            next_window: (!segment.samples.is_empty()).then_some(0),
            segment,
            window: 0..0,
            stage: Stage::Opening,
            without_repeats: false,
            decoded: DecodedWindow::default(),
            bias: None,
            beam: None,
            segments: Vec::new(),
        }
    }

    /// Continues with the scores after the start token.
    fn open(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next {
        self.decoded.no_speech = probability(scores, self.rules.tokens.no_speech);
        if self.hints.language.is_none() {
            self.hints.language = self.rules.likeliest_language(scores);
        }
        self.stage = Stage::Text;
        if self.rules.is_english_only() {
            return self.continue_text(scores, attention);
        }
        let language = self.rules.language_token(self.hints.language.as_deref());
        Next::Feed(vec![language, self.rules.tokens.transcribe])
    }

    /// Chooses the next token of the text, until the end token, the token limit or a loop. The first loop of a window
    /// makes it decode again, without repeating any three tokens.
    fn continue_text(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next {
        if self.beam.is_some() {
            return self.continue_beam(&mut [ScoredRow { scores, attention }]);
        }
        let ids = self.decoded.ids();
        constrain(scores, &ids, &self.rules);
        let token = self.choose(scores, &self.rules.words_only(&ids));
        if token.id == self.rules.tokens.end {
            return self.end_window();
        }
        self.push(token, attention);
        let ids = self.decoded.ids();
        if !self.without_repeats && loop_start(&self.rules.words_only(&ids)).is_some() {
            return self.avoid_repeats();
        }
        if ids.len() >= MAX_TOKENS { self.end_window() } else { Next::Feed(vec![token.id]) }
    }

    /// As `continue_text`, for all texts of a beam.
    fn continue_beam(&mut self, rows: &mut [ScoredRow<'_>]) -> Next {
        let Some(beam) = &mut self.beam else { return self.end_window() };
        match beam.advance(rows, &self.rules) {
            BeamStep::Continue(rows) => Next::Rows(rows),
            BeamStep::Loop => self.avoid_repeats(),
            BeamStep::Done(best) => {
                self.decoded = DecodedWindow { no_speech: self.decoded.no_speech, ..best };
                self.end_window()
            }
        }
    }

    fn avoid_repeats(&mut self) -> Next {
        self.without_repeats = true;
        Next::Restart
    }

    fn choose(&self, scores: &mut [f32], words: &[u32]) -> ChosenToken {
        let mut token = best_with_bias(scores, self.bias.as_ref());
        let is_allowed = |id: u32| {
            !self.without_repeats
                || self.rules.is_timestamp(id)
                || id == self.rules.tokens.end
                || !repeats_a_triple(words, id)
        };
        while !is_allowed(token.id) && scores[token.id as usize] > f32::NEG_INFINITY {
            scores[token.id as usize] = f32::NEG_INFINITY;
            token = best_with_bias(scores, None);
        }
        token
    }

    fn push(&mut self, token: ChosenToken, attention: &[Vec<f32>]) {
        self.decoded.chosen.push(token);
        if !self.rules.is_timestamp(token.id) {
            self.decoded.attention.push(attention);
            if let Some(bias) = &mut self.bias {
                bias.accept(token.id);
            }
        }
    }

    /// Adds the window to the result and finds the next one.
    fn end_window(&mut self) -> Next {
        if self.decoded.has_speech() {
            let place = WindowPlace {
                segment: &self.segment,
                start: self.window.start as f64 / f64::from(SAMPLE_RATE),
                language: self.hints.language.as_deref().unwrap_or("en"),
            };
            self.segments.extend(segments(&self.decoded, &place, &self.rules));
        }
        self.next_window = self.rest();
        self.without_repeats = false;
        Next::Done
    }

    /// The sample at which the next window starts, if the model stopped before the end of the speech: then its last two
    /// tokens are timestamps.
    fn rest(&self) -> Option<usize> {
        let [.., before, last] = self.decoded.chosen.as_slice() else { return None };
        if !self.rules.is_timestamp(before.id) || !self.rules.is_timestamp(last.id) {
            return None;
        }
        let from = self.window.start;
        let next = from + (self.rules.seconds(last.id) * f64::from(SAMPLE_RATE)) as usize;
        let rest = self.segment.voice.get(next / FRAME..)?.iter().filter(|voice| **voice >= VOICED).count();
        let rest_seconds = (rest * FRAME) as f64 / f64::from(SAMPLE_RATE);
        let exists = next > from && next < self.segment.samples.len();
        (exists && rest_seconds >= MIN_REST_SECONDS).then_some(next)
    }
}

impl SegmentTask for WhisperTask {
    type Output = Recognised;

    fn window(&mut self) -> Option<Range<usize>> {
        let from = self.next_window.take()?;
        self.window = from..(from + WINDOW).min(self.segment.samples.len());
        Some(self.window.clone())
    }

    fn samples(&self) -> &[f32] {
        &self.segment.samples
    }

    fn start(&mut self) -> Vec<u32> {
        let frames = (self.window.len() / SAMPLES_PER_FRAME).clamp(1, WINDOW / SAMPLES_PER_FRAME);
        self.decoded = DecodedWindow { attention: Attention::new(frames), ..DecodedWindow::default() };
        self.bias = self.hints.prompt.bias();
        let has_beam = self.rules.beam > 1 && !self.without_repeats;
        self.beam = has_beam.then(|| Beam::new(self.rules.beam, frames, self.bias.clone()));
        let context = &self.hints.prompt.context;
        let start = self.rules.tokens.start;
        if context.is_empty() {
            self.stage = Stage::Opening;
            return vec![start];
        }
        if self.hints.language.is_none() {
            self.stage = Stage::Language;
            return vec![start];
        }
        self.stage = Stage::Opening;
        [&[self.rules.tokens.previous], context.as_slice(), &[start]].concat()
    }

    fn next(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next {
        match self.stage {
            Stage::Language => {
                let language = self.rules.likeliest_language(scores);
                self.hints.language = Some(language.unwrap_or_else(|| "en".into()));
                Next::Restart
            }
            Stage::Opening => self.open(scores, attention),
            Stage::Text => self.continue_text(scores, attention),
        }
    }

    fn next_rows(&mut self, rows: &mut [ScoredRow<'_>]) -> Next {
        match rows {
            [row] => self.next(row.scores, row.attention),
            _ => self.continue_beam(rows),
        }
    }

    fn finish(self: Box<Self>) -> Recognised {
        let end = self.segment.start + self.segment.seconds();
        Recognised { language: self.hints.language, segments: self.segments, end }
    }
}
