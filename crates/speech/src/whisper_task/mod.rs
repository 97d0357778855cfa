//! Whisper's rules: windows of thirty seconds, the language, the prompt, timestamps, and further attempts at a doubtful text.

mod attempts;
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
use crate::net::{Margin, ScoredRow};
use crate::repetition_guards::loop_start;
use crate::sampling::Chance;
use crate::speech_evidence::{is_spoken, is_written};
use crate::speech_model::{Hints, Recognised};
use crate::task::{Next, SegmentTask, Window};
use crate::token_choice::{best_with_bias, probability};
use crate::vocabulary::BiasState;
use crate::words::{ChosenToken, SegmentText};
use attempts::{Attempts, is_doubtful, is_unsure, without_loop};
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
/// The same, counted from the last word of a text, whatever follows it. More, because the end of a word is less exact than
/// a timestamp.
const MIN_MISSING_SECONDS: f64 = 1.5;
/// Minimum samples between the beginnings of such windows: one second.
const MIN_ADVANCE: usize = SAMPLE_RATE as usize;
/// A frame with this probability of speech counts as speech.
const VOICED: f32 = 0.5;

/// The transcription of one segment.
pub(crate) struct WhisperTask {
    rules: Arc<WhisperRules>,
    segment: VoiceSegment,
    hints: Hints,
    /// Another language that the segment may be in.
    other_language: Option<String>,
    /// The first sample of the next window; `None` if there is none.
    next_window: Option<usize>,
    /// The samples of the current window.
    window: Range<usize>,
    /// The seconds of the window after which hardly any speech is left.
    speech_end: f64,
    pass: Pass,
    stage: Stage,
    attempts: Attempts,
    /// Chooses the tokens of an attempt that is not the first.
    chance: Chance,
    decoded: DecodedWindow,
    bias: Option<BiasState>,
    /// The texts of the window, if several are decoded side by side.
    beam: Option<Beam>,
    segments: Vec<SegmentText>,
    /// Segments without enough evidence that they were spoken.
    unproven: Vec<SegmentText>,
}

/// How a window is transcribed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// The most probable tokens, with a short margin: enough for clear speech.
    Quick,
    /// Beam search with the full margin, for a window of which the quick pass is unsure. A beam of one text takes the most
    /// probable tokens. Some models have no second pass.
    Careful,
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
            other_language: None,
            next_window: (!segment.samples.is_empty()).then_some(0),
            segment,
            window: 0..0,
            speech_end: f64::INFINITY,
            pass: Pass::Quick,
            stage: Stage::Opening,
            attempts: Attempts::default(),
            chance: Chance::new(0),
            decoded: DecodedWindow::default(),
            bias: None,
            beam: None,
            segments: Vec::new(),
            unproven: Vec::new(),
        }
    }

    /// Continues with the scores after the start token.
    fn open(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next {
        self.decoded.no_speech = probability(scores, self.rules.tokens.no_speech);
        if self.hints.language.is_none() {
            self.detect_language(scores);
        }
        self.stage = Stage::Text;
        if self.rules.is_english_only() {
            return self.continue_text(scores, attention);
        }
        let language = self.rules.language_token(self.hints.language.as_deref());
        Next::Feed(vec![language, self.rules.tokens.transcribe])
    }

    /// Chooses the next token of the text, until the end token, the token limit or a loop.
    fn continue_text(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next {
        if self.beam.is_some() {
            return self.continue_beam(&mut [ScoredRow { scores, attention }]);
        }
        constrain(scores, &self.decoded.ids(), self.speech_end, &self.rules);
        let token = self.choose(scores);
        if token.id == self.rules.tokens.end {
            return self.end_attempt();
        }
        self.push(token, attention);
        let ids = self.decoded.ids();
        if loop_start(&self.rules.words_only(&ids)).is_some() {
            return self.end_loop();
        }
        if ids.len() >= MAX_TOKENS { self.end_attempt() } else { Next::Feed(vec![token.id]) }
    }

    /// As `continue_text`, for all texts of a beam.
    fn continue_beam(&mut self, rows: &mut [ScoredRow<'_>]) -> Next {
        let Some(beam) = &mut self.beam else { return self.end_window() };
        match beam.advance(rows, &self.rules) {
            BeamStep::Continue(rows) => Next::Rows(rows),
            BeamStep::Loop => self.end_loop(),
            BeamStep::Done(best) => {
                self.decoded = DecodedWindow { no_speech: self.decoded.no_speech, ..best };
                self.end_attempt()
            }
        }
    }

    fn choose(&mut self, scores: &mut [f32]) -> ChosenToken {
        if self.attempts.is_first() {
            return best_with_bias(scores, self.bias.as_ref());
        }
        self.chance.sample_with_bias(scores, self.bias.as_ref(), self.attempts.temperature())
    }

    /// A text that repeats itself is not kept. After the last attempt, the words before the loop are.
    fn end_loop(&mut self) -> Next {
        if self.may_be_careful() {
            return self.start_careful_pass();
        }
        if self.attempts.again() {
            return Next::Restart;
        }
        let text = without_loop(std::mem::take(&mut self.decoded), &self.rules);
        self.attempts.keep(text);
        self.end_window()
    }

    fn may_be_careful(&self) -> bool {
        self.pass == Pass::Quick && self.rules.beam.has_second_pass()
    }

    /// Transcribes the same window again.
    fn start_careful_pass(&mut self) -> Next {
        self.pass = Pass::Careful;
        self.next_window = Some(self.window.start);
        Next::Done
    }

    /// Decodes an unsure or doubtful text again, and ends the window with any other.
    fn end_attempt(&mut self) -> Next {
        let text = std::mem::take(&mut self.decoded);
        let is_doubtful = is_doubtful(&text, self.transcribed_seconds(&text), &self.rules);
        if self.may_be_careful() && (is_doubtful || is_unsure(&text, &self.rules)) {
            return self.start_careful_pass();
        }
        if !is_doubtful {
            self.attempts = Attempts::default();
        }
        self.attempts.keep(text);
        if is_doubtful && self.attempts.again() { Next::Restart } else { self.end_window() }
    }

    /// The seconds of speech in the window, up to the timestamp that ends the text.
    fn transcribed_seconds(&self, text: &DecodedWindow) -> f64 {
        let last = text.chosen.last().filter(|last| self.rules.is_timestamp(last.id));
        let samples = last.map(|last| (self.rules.seconds(last.id) * f64::from(SAMPLE_RATE)) as usize);
        let end = samples.map_or(self.window.end, |samples| self.window.start + samples);
        self.speech_seconds(self.window.start..end.min(self.window.end))
    }

    /// The probabilities of speech in a range of samples.
    fn voice(&self, samples: &Range<usize>) -> &[f32] {
        let frames = samples.start / FRAME..samples.end.div_ceil(FRAME).min(self.segment.voice.len());
        self.segment.voice.get(frames).unwrap_or_default()
    }

    /// The seconds of speech in a range of samples.
    fn speech_seconds(&self, samples: Range<usize>) -> f64 {
        let spoken = self.voice(&samples).iter().filter(|voice| **voice >= VOICED).count();
        (spoken * FRAME) as f64 / f64::from(SAMPLE_RATE)
    }

    /// The second after which less than `MIN_REST_SECONDS` of speech is left in the window. The end of the window if all of
    /// its speech is shorter than that.
    fn speech_end(&self) -> f64 {
        let rest = (MIN_REST_SECONDS * f64::from(SAMPLE_RATE)) as usize / FRAME;
        let mut spoken =
            self.voice(&self.window).iter().enumerate().rev().filter(|(_, voice)| **voice >= VOICED);
        let samples = spoken.nth(rest).map_or(self.window.len(), |(frame, _)| (frame + 1) * FRAME);
        samples as f64 / f64::from(SAMPLE_RATE)
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
        self.decoded = std::mem::take(&mut self.attempts).best();
        self.pass = Pass::Quick;
        let mut text_end = None;
        if self.decoded.has_speech() {
            let place = WindowPlace {
                segment: &self.segment,
                start: self.window.start as f64 / f64::from(SAMPLE_RATE),
                language: self.hints.language.as_deref().unwrap_or("en"),
            };
            let mut segments = segments(&self.decoded, &place, &self.rules);
            segments.retain(|segment| is_written(&segment.text));
            if self.is_spoken() {
                text_end = segments.last().map(|last| last.end - self.segment.start);
                self.segments.extend(segments);
            } else {
                self.unproven.extend(segments);
            }
        }
        self.next_window = self.rest().or_else(|| self.missing(text_end?));
        Next::Done
    }

    fn is_spoken(&self) -> bool {
        let tokens = self.decoded.chosen.iter().copied().filter(|token| !self.rules.is_timestamp(token.id));
        is_spoken(tokens, self.voice(&self.window))
    }

    /// The sample at which the next window starts, if the model says that the window ends in the middle of the speech: then
    /// its last two tokens are timestamps.
    fn rest(&self) -> Option<usize> {
        let [.., before, last] = self.decoded.chosen.as_slice() else { return None };
        if !self.rules.is_timestamp(before.id) || !self.rules.is_timestamp(last.id) {
            return None;
        }
        let from = self.window.start;
        let next = from + (self.rules.seconds(last.id) * f64::from(SAMPLE_RATE)) as usize;
        let exists = next > from && next < self.segment.samples.len();
        (exists && self.speech_after(next) >= MIN_REST_SECONDS).then_some(next)
    }

    /// The sample at which the next window starts, if the text ends clearly before the speech does, whatever the last token
    /// was. `text_end` is the end of the last word, in seconds from the beginning of the segment.
    fn missing(&self, text_end: f64) -> Option<usize> {
        let next = (text_end * f64::from(SAMPLE_RATE)) as usize;
        let advances = next >= self.window.start + MIN_ADVANCE && next < self.segment.samples.len();
        (advances && self.speech_after(next) >= MIN_MISSING_SECONDS).then_some(next)
    }

    fn speech_after(&self, sample: usize) -> f64 {
        self.speech_seconds(sample..usize::MAX)
    }
}

impl SegmentTask for WhisperTask {
    type Output = Recognised;

    fn window(&mut self) -> Option<Window> {
        let from = self.next_window.take()?;
        self.window = from..(from + WINDOW).min(self.segment.samples.len());
        self.speech_end = self.speech_end();
        let prompt = self.hints.prompt.context.len();
        let quick = Window { prompt, ..Window::of(self.window.clone()) };
        Some(match self.pass {
            Pass::Quick => quick,
            Pass::Careful => Window { margin: Margin::Full, rows: self.rules.beam.width, ..quick },
        })
    }

    fn samples(&self) -> &[f32] {
        &self.segment.samples
    }

    fn start(&mut self) -> Vec<u32> {
        let frames = (self.window.len() / SAMPLES_PER_FRAME).clamp(1, WINDOW / SAMPLES_PER_FRAME);
        self.decoded = DecodedWindow { attention: Attention::new(frames), ..DecodedWindow::default() };
        self.bias = self.hints.prompt.bias();
        let is_careful = self.pass == Pass::Careful && self.attempts.is_first();
        let has_beam = is_careful && self.rules.beam.width > 1;
        self.chance = self.attempts.chance(self.window.start);
        self.beam =
            has_beam.then(|| Beam::new(self.rules.beam.width, frames, self.speech_end, self.bias.clone()));
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
                self.detect_language(scores);
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

    fn finish(mut self: Box<Self>) -> Recognised {
        let end = self.segment.start + self.segment.seconds();
        let doubt = self.take_doubt();
        let Self { hints, segments, unproven, .. } = *self;
        Recognised { language: hints.language, segments, unproven, end, doubt }
    }
}
