//! How much a net computes between two checks for a cancelled call, counted and not timed.

use std::cell::Cell;
use std::sync::Arc;

use super::batches::{encode, moonshine, scores_after, segment, whisper};
use super::random_net::RandomParts;
use crate::net::{Feed, Margin, Net, NetInput, StepOutput, StepState};
use crate::nets::WhisperNet;
use crate::nets::decoder::Sequence;
use crate::nets::encoder_decoder::{EncoderDecoder, FrontEnd, Workspace};

/// The layers and heads of the small nets.
const ENCODER_LAYERS: usize = 2;
const DECODER_LAYERS: usize = 3;
const HEADS: usize = 2;
/// The frames of thirty seconds.
const FRAMES: usize = 1_500;

#[test]
fn whisper_checks_after_every_few_rows_of_each_part_of_thirty_seconds() {
    let mut parts = RandomParts::whisper();
    parts.config.audio_positions = FRAMES;
    let net = WhisperNet::load(&mut parts).unwrap();
    let checks = Cell::new(0);
    let pause = || {
        checks.set(checks.get() + 1);
        Ok(())
    };
    let samples = segment(1, 30 * 16_000);
    let input = NetInput { samples: &samples, margin: Margin::Full };
    net.encode(input, &mut Workspace::default(), &pause).unwrap();
    let spectrum = (2 * FRAMES).div_ceil(256);
    let convolutions = (2 * FRAMES).div_ceil(128) + FRAMES.div_ceil(128);
    // Queries, keys and values; attention; its product; the feed-forward part.
    let layer = 3 * FRAMES.div_ceil(128) + HEADS * FRAMES.div_ceil(480);
    let audio = DECODER_LAYERS * FRAMES.div_ceil(512);
    let least = spectrum + convolutions + ENCODER_LAYERS * layer + audio;
    assert!(checks.get() >= least, "{} checks instead of {least}", checks.get());
}

fn step_in_parts<F: FrontEnd>(net: &EncoderDecoder<F>) {
    let audio = Arc::new(encode(net, &segment(2, 9_000)));
    let (mut work, mut output) = (Workspace::default(), StepOutput::default());
    let mut sequence = net.begin(audio);
    let mut feeds = [Feed { sequence: &mut sequence, tokens: &[1, 2, 3], with_attention: true }];
    net.begin_step(&mut feeds, &mut work, &mut output);
    let mut parts = 1;
    while net.continue_step(&mut feeds, &mut work, &mut output) == StepState::Unfinished {
        parts += 1;
    }
    assert_eq!(parts, DECODER_LAYERS + 1, "one for each layer and one for the scores");
}

#[test]
fn a_step_has_a_part_for_each_layer() {
    step_in_parts(&moonshine());
    step_in_parts(&whisper());
}

/// The scores and the attention of a step that some feeds leave after this number of parts.
fn left_after<F: FrontEnd>(net: &EncoderDecoder<F>, parts: usize) {
    const TOKENS: [&[u32]; 5] = [&[1, 2], &[7], &[3, 9, 4], &[5], &[6, 6]];
    const KEPT: [bool; 5] = [false, true, false, true, true];
    let audio = Arc::new(encode(net, &segment(3, 9_000)));
    let (mut work, mut output) = (Workspace::default(), StepOutput::default());
    let mut sequences: Vec<Sequence> = TOKENS.iter().map(|_| net.begin(audio.clone())).collect();
    let fed = sequences.iter_mut().zip(TOKENS);
    let feed = |(sequence, tokens)| Feed { sequence, tokens, with_attention: true };
    let mut feeds: Vec<_> = fed.map(feed).collect();
    net.begin_step(&mut feeds, &mut work, &mut output);
    for _ in 0..parts {
        assert_eq!(net.continue_step(&mut feeds, &mut work, &mut output), StepState::Unfinished);
    }
    let mut kept = KEPT.iter();
    feeds.retain(|_| *kept.next().unwrap());
    net.leave_step(&KEPT, &mut work, &mut output);
    while net.continue_step(&mut feeds, &mut work, &mut output) == StepState::Unfinished {}
    let heads: Vec<usize> = output.attention.iter().map(Vec::len).collect();
    assert!(heads.len() == 3 && heads[0] > 0 && heads.iter().all(|count| *count == heads[0]), "{heads:?}");
    let tokens = TOKENS.iter().zip(KEPT).filter_map(|(tokens, kept)| kept.then_some(*tokens));
    for (tokens, row) in tokens.zip(output.rows()) {
        let bits: Vec<u32> = row.scores.iter().map(|score| score.to_bits()).collect();
        assert_eq!(bits, scores_after(net, &audio, &[tokens]), "{tokens:?} after {parts} parts");
    }
}

#[test]
fn feeds_that_leave_a_step_do_not_change_the_others() {
    for parts in 0..=DECODER_LAYERS {
        left_after(&moonshine(), parts);
        left_after(&whisper(), parts);
    }
}
