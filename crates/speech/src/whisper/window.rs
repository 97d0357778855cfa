//! Decodes one window: the tokens, and where the decoder attended to the audio for each of them.

use auris_engine_core::{EngineError, language_code};
use rten::Value;

use super::mel::FRAMES;
use super::timestamps::{self, END, FIRST_LANGUAGE, NO_SPEECH, PREVIOUS, START, TRANSCRIBE, is_timestamp};
use super::{EncodedWindow, Whisper, likeliest_language};
use crate::decoder::{Decoding, Step, best, weight};
use crate::repetition_guards::{loop_start, repeats_a_triple};
use crate::speech_net::{Hints, Pause};
use crate::words::ChosenToken;

/// Maximum tokens of a window: half of the decoder's context.
const MAX_TOKENS: usize = 224;
/// Maximum tokens of the prompt.
const MAX_PROMPT: usize = 200;
/// A window has no speech if the model says so with at least this probability ...
const NO_SPEECH_PROBABILITY: f32 = 0.6;
/// ... and the mean log probability of its tokens is not above this.
const MIN_LOG_PROBABILITY: f32 = -1.0;

/// The tokens of a window.
pub(super) struct DecodedWindow {
    pub(super) chosen: Vec<ChosenToken>,
    /// For each token: alignment head × encoder frame.
    pub(super) attention: Vec<Vec<Vec<f32>>>,
    /// The probability that nobody speaks.
    no_speech: f32,
    /// Whether decoding ended in a repetition loop.
    looped: bool,
}

impl DecodedWindow {
    pub(super) fn has_speech(&self) -> bool {
        self.no_speech < NO_SPEECH_PROBABILITY || mean_log_probability(&self.chosen) > MIN_LOG_PROBABILITY
    }

    /// Keeps the first `keep` words, with the timestamps between them.
    fn truncate_words(&mut self, keep: usize) {
        let mut words = 0;
        let end = self.chosen.iter().position(|token| {
            words += usize::from(!is_timestamp(token.id));
            words > keep
        });
        let end = end.unwrap_or(self.chosen.len());
        self.chosen.truncate(end);
        self.attention.truncate(end);
    }
}

/// A decoding that has read the prompt.
struct Opened<'a> {
    decoding: Decoding<'a>,
    step: Step<'a>,
    /// Tokens fed in that step.
    fed: usize,
    no_speech: f32,
}

impl Whisper {
    /// Decodes greedily. If that ends in a loop, decodes again without repeating any three tokens.
    pub(super) fn decode_window(
        &self,
        window: &EncodedWindow,
        hints: &mut Hints,
        pause: Pause<'_>,
    ) -> Result<DecodedWindow, EngineError> {
        let decoded = self.decode(window, hints, false, pause)?;
        if decoded.looped { self.decode(window, hints, true, pause) } else { Ok(decoded) }
    }

    fn decode(
        &self,
        window: &EncodedWindow,
        hints: &mut Hints,
        without_repeats: bool,
        pause: Pause<'_>,
    ) -> Result<DecodedWindow, EngineError> {
        let Opened { mut decoding, mut step, mut fed, no_speech } =
            self.open(window.encoded.clone(), hints)?;
        let mut decoded = DecodedWindow { chosen: vec![], attention: vec![], no_speech, looped: false };
        let mut tokens: Vec<u32> = Vec::new();
        while tokens.len() < MAX_TOKENS {
            pause()?;
            let mut scores = step.last();
            timestamps::constrain(&mut scores, &tokens);
            let (id, probability) = choose(&mut scores, &tokens, without_repeats);
            if id == END {
                break;
            }
            tokens.push(id);
            decoded.chosen.push(ChosenToken { id, probability });
            decoded.attention.push(self.attention(&step, fed, window.frames));
            if let Some(keep) = loop_start(&words_only(&tokens)) {
                decoded.looped = true;
                decoded.truncate_words(keep);
                break;
            }
            step = decoding.step(&[id])?;
            fed = 1;
        }
        Ok(decoded)
    }

    /// Feeds everything before the words. Without a language and a prompt, the model detects the language on the way.
    fn open(&self, encoded: Value, hints: &mut Hints) -> Result<Opened<'_>, EngineError> {
        let mut decoding = self.decoder.begin(encoded, true);
        if hints.language.is_some() || hints.prompt.is_some() {
            let prompt = self.prompt(hints)?;
            let step = decoding.step(&prompt)?;
            // The probability of silence is in the scores after the start token, the third from the end.
            let no_speech = no_speech(&step.after(prompt.len() - 3));
            return Ok(Opened { decoding, step, fed: prompt.len(), no_speech });
        }
        let scores = decoding.step(&[START])?.last();
        hints.language = likeliest_language(&scores);
        decoding.step(&[language_token(hints)])?;
        let step = decoding.step(&[TRANSCRIBE])?;
        Ok(Opened { decoding, step, fed: 1, no_speech: no_speech(&scores) })
    }

    fn prompt(&self, hints: &Hints) -> Result<Vec<u32>, EngineError> {
        let mut prompt = Vec::new();
        if let Some(text) = hints.prompt.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            let tokens = self.tokenizer.encode(&format!(" {text}"))?;
            prompt.push(PREVIOUS);
            prompt.extend(&tokens[tokens.len().saturating_sub(MAX_PROMPT)..]);
        }
        prompt.extend([START, language_token(hints), TRANSCRIBE]);
        Ok(prompt)
    }

    /// Where the alignment heads attended for the token after the last one fed.
    fn attention(&self, step: &Step<'_>, fed: usize, frames: usize) -> Vec<Vec<f32>> {
        let width = FRAMES / 2;
        let row = |(layer, head): &(usize, usize)| {
            let attention = step.attentions.get(*layer)?;
            let from = (head * fed + fed - 1) * width;
            Some(attention.get(from..from + width)?[..frames.min(width)].to_vec())
        };
        self.alignment_heads.iter().filter_map(row).collect()
    }
}

fn language_token(hints: &Hints) -> u32 {
    let known = language_code::WHISPER.iter().position(|code| Some(*code) == hints.language.as_deref());
    FIRST_LANGUAGE + known.unwrap_or(0) as u32
}

/// The probability of silence by the scores after the start token.
fn no_speech(scores: &[f32]) -> f32 {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    scores.get(NO_SPEECH as usize).map_or(0.0, |score| (score - top).exp() / weight(scores, top))
}

fn choose(scores: &mut [f32], tokens: &[u32], without_repeats: bool) -> (u32, f32) {
    let words = words_only(tokens);
    loop {
        let (token, probability) = best(scores);
        let may_repeat = !without_repeats || is_timestamp(token) || token == END;
        if may_repeat || !repeats_a_triple(&words, token) {
            return (token, probability);
        }
        scores[token as usize] = f32::NEG_INFINITY;
    }
}

fn words_only(tokens: &[u32]) -> Vec<u32> {
    tokens.iter().copied().filter(|token| !is_timestamp(*token)).collect()
}

fn mean_log_probability(chosen: &[ChosenToken]) -> f32 {
    let sum: f32 = chosen.iter().map(|token| token.probability.max(1e-10).ln()).sum();
    sum / chosen.len().max(1) as f32
}
