//! What both nets promise, on small nets with random weights.

use std::cell::Cell;
use std::sync::Arc;

use auris_engine_core::EngineError;

use super::greedy::{Rules, decode};
use super::random_net::RandomParts;
use crate::net::{Feed, Net, PlannedWindow, StepOutput};
use crate::nets::decoder::{EncodedAudio, Sequence};
use crate::nets::encoder_decoder::{EncoderDecoder, FrontEnd, Workspace};
use crate::nets::{MoonshineNet, WhisperNet};

/// The small nets have two encoder and three decoder layers of two heads.
const LAYERS: usize = 5;
const UPPER_HEADS: usize = 4;

pub(super) fn moonshine() -> MoonshineNet {
    MoonshineNet::load(&mut RandomParts::moonshine()).unwrap()
}

pub(super) fn whisper() -> WhisperNet {
    WhisperNet::load(&mut RandomParts::whisper()).unwrap()
}

/// Noise that swells, so that no two segments are alike.
pub(super) fn segment(nth: usize, samples: usize) -> Vec<f32> {
    let value = |at: usize| ((at * at * (nth + 3)) as f32 * 0.001).sin() * (at as f32 * 0.0003).cos();
    (0..samples).map(value).collect()
}

pub(super) fn encode<F: FrontEnd>(net: &EncoderDecoder<F>, samples: &[f32]) -> EncodedAudio {
    net.encode(samples.into(), &mut Workspace::default(), &|| Ok(())).unwrap()
}

/// Feeds tokens in these groups and returns the bits of the last scores.
pub(super) fn scores_after<F: FrontEnd>(
    net: &EncoderDecoder<F>,
    audio: &Arc<EncodedAudio>,
    groups: &[&[u32]],
) -> Vec<u32> {
    let (mut work, mut output) = (Workspace::default(), StepOutput::default());
    let mut sequence = net.begin(audio.clone());
    for tokens in groups {
        step(net, &mut sequence, tokens, &mut work, &mut output);
    }
    output.scores.iter().map(|score| score.to_bits()).collect()
}

pub(super) fn step<F: FrontEnd>(
    net: &EncoderDecoder<F>,
    sequence: &mut Sequence,
    tokens: &[u32],
    work: &mut Workspace<F::Buffers>,
    output: &mut StepOutput,
) {
    net.step(&mut [Feed { sequence, tokens, with_attention: false }], work, output);
}

fn same_in_any_company<F: FrontEnd>(net: &EncoderDecoder<F>) {
    let segments: Vec<Vec<f32>> = (0..20).map(|nth| segment(nth, 500 + nth * 7_919 % 20_000)).collect();
    let rules = Rules { start: vec![1, 7, 3], end: 2, candidates: 50, max_tokens: 12 };
    let alone = decode(net, &segments, &rules, 1);
    assert!(alone.iter().any(|chosen| *chosen != alone[0]));
    for together in [2, 7, 16] {
        assert!(decode(net, &segments, &rules, together) == alone, "{together} together");
    }
}

#[test]
fn the_scores_of_a_segment_do_not_depend_on_what_shares_the_batch() {
    same_in_any_company(&moonshine());
    same_in_any_company(&whisper());
}

fn prompt_at_once<F: FrontEnd>(net: &EncoderDecoder<F>) {
    let audio = Arc::new(encode(net, &segment(1, 9_000)));
    let one_by_one = scores_after(net, &audio, &[&[1], &[9], &[4], &[4], &[30], &[8]]);
    assert_eq!(scores_after(net, &audio, &[&[1, 9, 4, 4, 30, 8]]), one_by_one);
    assert_eq!(scores_after(net, &audio, &[&[1, 9], &[4, 4, 30], &[8]]), one_by_one);
    assert_ne!(scores_after(net, &audio, &[&[1, 4, 9, 4, 30, 8]]), one_by_one);
}

#[test]
fn several_tokens_at_once_equal_the_same_tokens_one_by_one() {
    prompt_at_once(&moonshine());
    prompt_at_once(&whisper());
}

fn attention_to_audio<F: FrontEnd>(net: &EncoderDecoder<F>) {
    let audio = Arc::new(encode(net, &segment(2, 12_000)));
    let (mut one, mut other) = (net.begin(audio.clone()), net.begin(audio.clone()));
    let mut output = StepOutput::default();
    let mut feeds = [
        Feed { sequence: &mut one, tokens: &[1, 2], with_attention: false },
        Feed { sequence: &mut other, tokens: &[1, 2], with_attention: true },
    ];
    net.step(&mut feeds, &mut Workspace::default(), &mut output);
    assert!(output.attention[0].is_empty());
    assert_eq!(output.attention[1].len(), UPPER_HEADS);
    for row in &output.attention[1] {
        assert_eq!(row.len(), audio.audio_frames());
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    }
    let (first, second) = output.scores.split_at(output.vocabulary);
    assert_eq!(first, second);
}

#[test]
fn attention_is_returned_where_it_is_asked_for_and_sums_to_one() {
    attention_to_audio(&moonshine());
    attention_to_audio(&whisper());
}

#[test]
fn audio_occupies_no_more_memory_than_its_frames_need() {
    let net = moonshine();
    let audio = encode(&net, &segment(2, 20 * 16_000));
    // Keys and values of three layers with two heads that are 36 wide, as halves, and a kibibyte behind each.
    let needed = (audio.frames().next_multiple_of(32) * 36 * 2 + 1024) * 2 * 3 * 2;
    assert!(audio.frames() > 800 && audio.bytes() <= needed, "{} bytes, {needed} needed", audio.bytes());
}

#[test]
fn the_context_of_whisper_is_the_segment_and_four_seconds_but_never_more_than_its_positions() {
    let net = whisper();
    let frames = |samples: usize| {
        let audio = encode(&net, &segment(3, samples));
        (audio.frames(), audio.audio_frames())
    };
    assert_eq!(frames(16_000), (250, 50));
    assert_eq!(frames(60_000), (300, 187));
    assert_eq!(frames(200_000), (300, 300));
}

fn short_segments<F: FrontEnd>(net: &EncoderDecoder<F>) {
    for samples in [0, 1, 100, 894] {
        let audio = Arc::new(encode(net, &segment(4, samples)));
        assert!(audio.audio_frames() >= 1);
        let scores = scores_after(net, &audio, &[&[1]]);
        assert!(scores.iter().all(|bits| f32::from_bits(*bits).is_finite()));
    }
}

#[test]
fn segments_that_are_too_short_are_padded() {
    short_segments(&moonshine());
    short_segments(&whisper());
}

#[test]
fn a_segment_that_is_too_long_for_moonshine_is_an_error() {
    let result =
        moonshine().encode(segment(5, 60 * 16_000).as_slice().into(), &mut Workspace::default(), &|| Ok(()));
    assert!(result.is_err());
}

/// Encodes a segment and cancels it after this number of pauses; the pauses that there were.
fn pauses<F: FrontEnd>(net: &EncoderDecoder<F>, most: usize) -> (Result<EncodedAudio, EngineError>, usize) {
    let count = Cell::new(0);
    let pause = || {
        count.set(count.get() + 1);
        if count.get() > most { Err(EngineError::Cancelled) } else { Ok(()) }
    };
    let result = net.encode(segment(6, 5_000).as_slice().into(), &mut Workspace::default(), &pause);
    (result, count.get())
}

fn cancelled_between_layers<F: FrontEnd>(net: &EncoderDecoder<F>) {
    let (_, all) = pauses(net, usize::MAX);
    assert!(all >= LAYERS, "{all} pauses");
    for most in 0..all {
        let (result, count) = pauses(net, most);
        assert!(matches!(result, Err(EngineError::Cancelled)));
        assert_eq!(count, most + 1);
    }
}

#[test]
fn encoding_stops_between_layers_when_the_call_is_cancelled() {
    cancelled_between_layers(&moonshine());
    cancelled_between_layers(&whisper());
}

#[test]
fn planned_memory_covers_the_audio_and_grows_with_its_length() {
    let net = moonshine();
    let bytes = encode(&net, &segment(7, 10 * 16_000)).bytes() as u64;
    let of = |seconds: f64, sequences: usize| {
        net.memory(PlannedWindow { sequences, ..PlannedWindow::of_seconds(seconds) })
    };
    let planned = of(10.0, 1);
    assert!((bytes..3 * bytes).contains(&planned), "{planned} planned, {bytes} used");
    assert!(of(20.0, 1) > planned + bytes / 2);
    let row = of(10.0, 2) - planned;
    assert!(row > 0 && of(10.0, 5) == planned + 4 * row);
}

/// A window has up to 224 tokens of text and 204 of its beginning.
#[test]
fn planned_memory_covers_a_window_of_whisper_with_the_longest_prompt() {
    const PROMPT: usize = 200;
    let net = whisper();
    let audio = encode(&net, &segment(1, 30 * 16_000));
    // Keys and values of three layers with two heads that are 64 wide, as halves.
    let text = (PROMPT + 4 + 224) * 2 * 3 * 2 * 64 * 2;
    let used = (audio.bytes() + text) as u64;
    let plan = |prompt| net.memory(PlannedWindow { prompt, ..PlannedWindow::of_seconds(30.0) });
    assert!(plan(0) < used && used <= plan(PROMPT), "{used} used, {} and {} planned", plan(0), plan(PROMPT));
}

#[test]
fn whisper_keeps_its_audio_as_bytes() {
    let net = whisper();
    let audio = encode(&net, &segment(8, 32_000));
    // Keys and values of three layers with two heads that are 64 wide.
    let numbers = audio.frames() * 2 * 3 * 2 * 64;
    assert!((numbers..numbers * 3 / 2).contains(&audio.bytes()), "{} bytes", audio.bytes());
    assert!(net.memory(PlannedWindow::of_seconds(2.0)) > audio.bytes() as u64);
}

/// Most weights are bytes with a scale for each output; the tables of positions are floats.
fn counted_weights<F: FrontEnd>(net: &EncoderDecoder<F>, parts: &RandomParts) {
    let numbers: usize = parts.tensor_sizes().sum();
    let bytes = net.weight_bytes() as usize;
    assert!((numbers..3 * numbers).contains(&bytes), "{bytes} bytes of {numbers} numbers");
}

#[test]
fn the_memory_of_the_weights_is_counted() {
    counted_weights(&moonshine(), &RandomParts::moonshine());
    counted_weights(&whisper(), &RandomParts::whisper());
}

#[test]
fn a_token_after_the_vocabulary_or_a_position_after_the_last_is_no_panic() {
    let net = whisper();
    let audio = Arc::new(encode(&net, &segment(8, 3_000)));
    assert_eq!(scores_after(&net, &audio, &[&[9_999]]), scores_after(&net, &audio, &[&[59]]));
    assert_eq!(scores_after(&net, &audio, &[&[3; 60]]).len(), 60);
}

#[test]
fn a_part_of_the_wrong_size_is_named_in_the_error() {
    for name in ["decoder.ln.bias", "encoder.positional_embedding", "encoder.blocks.1.mlp_ln.weight"] {
        let result = WhisperNet::load(&mut RandomParts { too_long: name, ..RandomParts::whisper() });
        let error = result.err().unwrap().to_string();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn heads_that_are_too_wide_are_an_error() {
    let mut parts = RandomParts::moonshine();
    (parts.config.heads, parts.config.head_width, parts.config.width) = (2, 200, 400);
    let error = MoonshineNet::load(&mut parts).err().unwrap().to_string();
    assert!(error.contains("200"), "{error}");
}
