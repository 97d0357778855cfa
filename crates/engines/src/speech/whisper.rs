//! Whisper: a hundred languages in windows of thirty seconds, with times from its own attention.

use std::path::Path;

use rten::{NodeId, Value};
use rten_tensor::NdTensor;

use super::alignment::{FRAME_SECONDS, Looks, token_frames};
use super::decoder::{Decoding, MergedDecoder, Step, best, weight};
use super::mel::{BINS, FRAMES, WINDOW, log_mel};
use super::net::Net;
use super::pieces::{Piece, PieceLimits};
use super::timestamps::{self, END, FIRST_LANGUAGE, NO_SPEECH, PREVIOUS, START, TRANSCRIBE, is_timestamp};
use super::tokenizer::Tokenizer;
use super::vad::FRAME;
use super::words::{Heard, Said, Spelled, keep_to_voice, spell, timed};
use super::{Hints, Pause, Recognised, SpeechNet, Word, guards, language};
use crate::EngineError;
use crate::audio::SAMPLE_RATE;

/// Half of the decoder's memory is for the answer, half for the prompt.
const MOST_TOKENS: usize = 224;
const MOST_PROMPT: usize = 200;
/// A window is silent where the net says so and does not believe its own words.
const SILENT: f32 = 0.6;
const DOUBTFUL: f32 = -1.0;
/// What is left of a piece is looked at again where so much of it is speech.
const WORTH_ANOTHER_LOOK: f64 = 0.4;

/// The nets of one Whisper model.
pub(crate) struct Whisper {
    encoder: Net,
    features: NodeId,
    encoded: NodeId,
    decoder: MergedDecoder,
    tokenizer: Tokenizer,
    /// Layer and head of those that follow the audio.
    aligned: Vec<(usize, usize)>,
}

/// What a window became.
struct Window {
    said: Vec<Said>,
    looks: Vec<Vec<Vec<f32>>>,
    silence: f32,
    looped: bool,
}

/// A decoding whose next step tells the first word.
struct Opened<'a> {
    decoding: Decoding<'a>,
    step: Step<'a>,
    /// Tokens fed in that step.
    fed: usize,
    silence: f32,
}

impl Whisper {
    pub(crate) fn load(folder: &Path, model: &str) -> Result<Self, EngineError> {
        let encoder = Net::load_whisper_encoder(&folder.join("encoder_model_quantized.onnx"))?;
        Ok(Self {
            features: encoder.node("input_features")?,
            encoded: encoder.node("last_hidden_state")?,
            encoder,
            decoder: MergedDecoder::new(Net::load(&folder.join("decoder_model_merged_quantized.onnx"))?)?,
            tokenizer: Tokenizer::load(&folder.join("tokenizer.json"))?,
            aligned: aligned_heads(model),
        })
    }

    fn encode(&self, samples: &[f32]) -> Result<Value, EngineError> {
        let picture = NdTensor::from_data([1, BINS, FRAMES], log_mel(samples));
        Ok(self.encoder.run(vec![(self.features, picture.into())], &[self.encoded])?.remove(0))
    }

    fn prompt(&self, hints: &Hints) -> Vec<u32> {
        let mut prompt = Vec::new();
        if let Some(text) = hints.prompt.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            let tokens = self.tokenizer.encode(&format!(" {text}"));
            prompt.push(PREVIOUS);
            prompt.extend(&tokens[tokens.len().saturating_sub(MOST_PROMPT)..]);
        }
        let known = language::WHISPER.iter().position(|code| Some(*code) == hints.language.as_deref());
        prompt.extend([START, FIRST_LANGUAGE + known.unwrap_or(0) as u32, TRANSCRIBE]);
        prompt
    }

    /// Feeds what comes before the words. Where the language is not known, the net tells it on the way.
    fn open(&self, encoded: Value, hints: &mut Hints) -> Result<Opened<'_>, EngineError> {
        let mut decoding = self.decoder.begin(encoded, true);
        if hints.language.is_some() || hints.prompt.is_some() {
            let prompt = self.prompt(hints);
            let step = decoding.step(&prompt)?;
            // The net tells silence where the transcript starts, two tokens before the end of the prompt.
            let silence = silence(&step.after(prompt.len() - 3));
            return Ok(Opened { decoding, step, fed: prompt.len(), silence });
        }
        let scores = decoding.step(&[START])?.last();
        hints.language = likeliest(&scores).map(|(language, _)| language);
        let [_, language, task] = self.prompt(hints)[..] else {
            return Err(EngineError::internal("a prompt of another length"));
        };
        decoding.step(&[language])?;
        let step = decoding.step(&[task])?;
        Ok(Opened { decoding, step, fed: 1, silence: silence(&scores) })
    }

    /// One greedy pass. A `careful` one never says three tokens twice in the same order.
    fn pass(
        &self,
        encoded: Value,
        hints: &mut Hints,
        frames: usize,
        careful: bool,
        pause: Pause<'_>,
    ) -> Result<Window, EngineError> {
        let Opened { mut decoding, mut step, mut fed, silence } = self.open(encoded, hints)?;
        let mut window = Window { said: Vec::new(), looks: Vec::new(), silence, looped: false };
        let mut tokens: Vec<u32> = Vec::new();
        while tokens.len() < MOST_TOKENS {
            pause()?;
            let mut scores = step.last();
            timestamps::constrain(&mut scores, &tokens);
            let (token, probability) = choose(&mut scores, &tokens, careful);
            if token == END {
                break;
            }
            tokens.push(token);
            window.said.push(Said { token, probability });
            window.looks.push(self.look(&step, fed, frames));
            if let Some(keep) = guards::loop_start(&words_only(&tokens)) {
                window.looped = true;
                cut_words(&mut window, keep);
                break;
            }
            step = decoding.step(&[token])?;
            fed = 1;
        }
        Ok(window)
    }

    /// Greedy first; where that runs into a loop, once more with care.
    fn write_down(
        &self,
        encoded: Value,
        hints: &mut Hints,
        frames: usize,
        pause: Pause<'_>,
    ) -> Result<Window, EngineError> {
        let window = self.pass(encoded.clone(), hints, frames, false, pause)?;
        if window.looped { self.pass(encoded, hints, frames, true, pause) } else { Ok(window) }
    }

    fn language_of(&self, encoded: Value) -> Result<Option<(String, f32)>, EngineError> {
        Ok(likeliest(&self.decoder.begin(encoded, false).step(&[START])?.last()))
    }

    /// Where the aligned heads looked for the token after the last one fed.
    fn look(&self, step: &Step<'_>, fed: usize, frames: usize) -> Vec<Vec<f32>> {
        let row = |(layer, head): &(usize, usize)| {
            let attention = step.attentions.get(*layer)?;
            let width = FRAMES / 2;
            let from = (head * fed + fed - 1) * width;
            Some(attention.get(from..from + width)?[..frames.min(width)].to_vec())
        };
        self.aligned.iter().filter_map(row).collect()
    }

    fn segments(&self, window: &Window, start: f64, frames: usize, language: &str) -> Vec<Heard> {
        let spoken = window.said.iter().zip(&window.looks).filter(|(said, _)| !is_timestamp(said.token));
        let begins = token_frames(&Looks { frames, rows: spoken.map(|(_, look)| look.clone()).collect() });
        let mut segments = Vec::new();
        let (mut words_before, mut at) = (0, 0);
        for stretch in window.said.split(|said| is_timestamp(said.token)) {
            let close =
                window.said.get(at + stretch.len()).map(|said| start + timestamps::seconds(said.token));
            let times = |token: usize| start + begins[words_before + token] as f64 * FRAME_SECONDS;
            segments.extend(self.segment(stretch, language, times, close));
            words_before += stretch.len();
            at += stretch.len() + 1;
        }
        segments
    }

    /// One stretch of words; its last one ends with the segment, not where the next begins.
    fn segment(
        &self,
        stretch: &[Said],
        language: &str,
        times: impl Fn(usize) -> f64,
        close: Option<f64>,
    ) -> Option<Heard> {
        let spelled = spell(stretch, &self.tokenizer, language);
        let text: String = spelled.iter().map(|word| word.text.as_str()).collect();
        let last = spelled.last().map(|word| word.tokens.end);
        let time = |word: &Spelled| {
            let start = times(word.tokens.start);
            let end = times(word.tokens.end);
            let end = if Some(word.tokens.end) == last { end.min(close.unwrap_or(end)) } else { end };
            timed(word, start, end.max(start + FRAME_SECONDS), 1.0)
        };
        let words: Vec<Word> = spelled.iter().map(time).collect();
        let (start, end) = (words.first()?.start, words.last()?.end);
        guards::says_something(&text).then_some(Heard { start, end, text, words })
    }
}

impl SpeechNet for Whisper {
    fn limits(&self) -> PieceLimits {
        // A window costs the same however full it is.
        PieceLimits { longest: 29.0, enough: 22.0, pause: 4.0 }
    }

    fn recognise(&self, piece: &Piece, hints: &Hints, pause: Pause<'_>) -> Result<Recognised, EngineError> {
        let mut hints = hints.clone();
        let mut heard = Vec::new();
        let mut from = 0;
        while from < piece.samples.len() {
            let samples = &piece.samples[from..(from + WINDOW).min(piece.samples.len())];
            let encoded = self.encode(samples)?;
            pause()?;
            if hints.language.is_none() && hints.prompt.is_some() {
                hints.language = self.language_of(encoded.clone())?.map(|(language, _)| language);
            }
            let frames = (samples.len() / 320).clamp(1, FRAMES / 2);
            let window = self.write_down(encoded, &mut hints, frames, pause)?;
            if window.silence < SILENT || belief(&window.said) > DOUBTFUL {
                let start = piece.start + from as f64 / f64::from(SAMPLE_RATE);
                heard.extend(self.segments(
                    &window,
                    start,
                    frames,
                    hints.language.as_deref().unwrap_or("en"),
                ));
            }
            match next_window(&window.said, piece, from) {
                Some(next) => from = next,
                None => break,
            }
        }
        heard.iter_mut().for_each(|heard| keep_to_voice(heard, piece));
        Ok(Recognised { language: hints.language, heard })
    }

    fn detect_language(&self, piece: &Piece) -> Result<Option<(String, f32)>, EngineError> {
        self.language_of(self.encode(&piece.samples[..piece.samples.len().min(WINDOW)])?)
    }
}

/// Where the next window begins, if the net stopped before the speech did.
fn next_window(said: &[Said], piece: &Piece, from: usize) -> Option<usize> {
    let [.., before, last] = said else { return None };
    if !is_timestamp(before.token) || !is_timestamp(last.token) {
        return None;
    }
    let next = from + (timestamps::seconds(last.token) * f64::from(SAMPLE_RATE)) as usize;
    let left = piece.voice.get(next / FRAME..)?.iter().filter(|voice| **voice >= 0.5).count();
    let left_seconds = (left * FRAME) as f64 / f64::from(SAMPLE_RATE);
    (next > from && left_seconds >= WORTH_ANOTHER_LOOK).then_some(next)
}

/// The likeliest language by the scores behind the token of the start, and how sure that is.
fn likeliest(scores: &[f32]) -> Option<(String, f32)> {
    let first = FIRST_LANGUAGE as usize;
    let (nth, probability) = best(scores.get(first..first + language::WHISPER.len())?);
    language::WHISPER.get(nth as usize).map(|code| ((*code).to_owned(), probability))
}

/// How sure the net is that nobody speaks, by the same scores.
fn silence(scores: &[f32]) -> f32 {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    scores.get(NO_SPEECH as usize).map_or(0.0, |score| (score - top).exp() / weight(scores, top))
}

fn choose(scores: &mut [f32], tokens: &[u32], careful: bool) -> (u32, f32) {
    loop {
        let (token, probability) = best(scores);
        if !careful
            || is_timestamp(token)
            || token == END
            || !guards::repeats_a_triple(&words_only(tokens), token)
        {
            return (token, probability);
        }
        scores[token as usize] = f32::NEG_INFINITY;
    }
}

fn words_only(tokens: &[u32]) -> Vec<u32> {
    tokens.iter().copied().filter(|token| !is_timestamp(*token)).collect()
}

/// Keeps the first `keep` tokens that are words, with the times between them.
fn cut_words(window: &mut Window, keep: usize) {
    let mut words = 0;
    let end = window.said.iter().position(|said| {
        words += usize::from(!is_timestamp(said.token));
        words > keep
    });
    let end = end.unwrap_or(window.said.len());
    window.said.truncate(end);
    window.looks.truncate(end);
}

/// The mean logarithm of what the net believed in its words.
fn belief(said: &[Said]) -> f32 {
    let sum: f32 = said.iter().map(|said| said.probability.max(1e-10).ln()).sum();
    sum / said.len().max(1) as f32
}

/// The heads that follow the audio, as published with the models; for others the upper half of the layers.
fn aligned_heads(model: &str) -> Vec<(usize, usize)> {
    match model {
        "whisper-tiny" => vec![(2, 2), (3, 0), (3, 2), (3, 3), (3, 4), (3, 5)],
        "whisper-base" => vec![(3, 1), (4, 2), (4, 3), (4, 7), (5, 1), (5, 2), (5, 4), (5, 6)],
        "whisper-small" => {
            vec![(5, 3), (5, 9), (8, 0), (8, 4), (8, 7), (8, 8), (9, 0), (9, 7), (9, 9), (10, 5)]
        }
        _ => (2..4).flat_map(|layer| (0..6).map(move |head| (layer, head))).collect(),
    }
}
