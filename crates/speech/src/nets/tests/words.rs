//! The published models on a real recording. Needs the files of `scripts/fetch-assets`.

use std::process::Command;
use std::sync::Arc;

use auris_engine_testing::words::word_errors;
use auris_engine_testing::{asset, recording};
use auris_weights::{CopyPolicy, Family, ModelParts, open_model};

use super::greedy::{Rules, decode};
use crate::net::{Feed, Net};
use crate::nets::{MoonshineNet, WhisperNet};

const JFK: &str = "And so my fellow Americans ask not what your country can do for you ask what you can do for your country";
const LEVEL: &str = "AURIS_KERNEL_LEVEL";

/// The files of a model: name and SHA-256.
type Files = [(&'static str, &'static str); 2];

const MOONSHINE_TINY: Files = [
    ("encoder_model.onnx", "c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a"),
    ("decoder_model_merged.onnx", "eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367"),
];
const MOONSHINE_TOKENIZER: &str = "108bb985f67ca2f49f4cf88e2d1426daf9ab5920f88d85542704f927f604a7c1";
const WHISPER_TINY: Files = [
    ("encoder_model_quantized.onnx", "fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e"),
    (
        "decoder_model_merged_quantized.onnx",
        "6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0",
    ),
];
const WHISPER_TOKENIZER: &str = "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566";

fn open(files: &Files, family: Family) -> Box<dyn ModelParts> {
    let folder = tempfile::tempdir().unwrap();
    for (name, hash) in files {
        std::os::unix::fs::symlink(asset(hash), folder.path().join(name)).unwrap();
    }
    open_model(folder.path(), family, CopyPolicy::Ignore).unwrap()
}

fn moonshine() -> (MoonshineNet, Rules) {
    let net = MoonshineNet::load(&mut *open(&MOONSHINE_TINY, Family::Moonshine)).unwrap();
    (net, Rules { start: vec![1], end: 2, candidates: 32_768, max_tokens: 80 })
}

fn whisper() -> (WhisperNet, Rules) {
    let net = WhisperNet::load(&mut *open(&WHISPER_TINY, Family::Whisper)).unwrap();
    let special = net.special_tokens().unwrap();
    let start = vec![special.start, special.first_language, special.transcribe, special.no_timestamps];
    (net, Rules { start, end: special.end, candidates: special.end as usize + 1, max_tokens: 80 })
}

/// The samples of a recording of 16 kHz, 16 bits and one channel.
fn samples(hash: &str) -> Vec<f32> {
    let file = std::fs::read(asset(hash)).unwrap();
    let data = file.windows(4).position(|four| four == b"data").unwrap() + 8;
    let sample = |two: &[u8]| f32::from(i16::from_le_bytes([two[0], two[1]])) / 32_768.0;
    file[data..].chunks_exact(2).map(sample).collect()
}

/// Parts of two recordings, of different lengths, in no particular order of length.
fn segments() -> Vec<Vec<f32>> {
    let (jfk, beckett) = (samples(recording::JFK), samples(recording::BECKETT));
    let part = |nth: usize| {
        let recording = if nth.is_multiple_of(2) { &jfk } else { &beckett };
        let (from, length) = (nth * 7_000 % 60_000, 16_000 + nth * 13_000 % 50_000);
        recording[from..recording.len().min(from + length)].to_vec()
    };
    (0..18).map(part).collect()
}

fn text<N: Net>(net: &N, rules: &Rules, samples: &[f32], tokenizer: &str) -> String {
    let chosen = decode(net, &[samples.to_vec()], rules, 1).remove(0);
    let tokens: Vec<u32> = chosen.iter().map(|(token, _)| *token).collect();
    tokenizers::Tokenizer::from_file(asset(tokenizer)).unwrap().decode(&tokens, true).unwrap()
}

fn same_in_any_company<N: Net>(net: &N, rules: &Rules) {
    let segments = segments();
    let alone = decode(net, &segments, rules, 1);
    // Some parts are a pause between words.
    let with_words = alone.iter().filter(|chosen| chosen.len() > 1).count();
    assert!(with_words > segments.len() / 2, "{with_words} of {} segments have words", segments.len());
    for together in [2, 7, 16] {
        assert!(decode(net, &segments, rules, together) == alone, "{together} together");
    }
}

#[test]
fn moonshine_transcribes_a_real_recording() {
    let (net, rules) = moonshine();
    let text = text(&net, &rules, &samples(recording::JFK), MOONSHINE_TOKENIZER);
    assert_eq!(word_errors(JFK, &text), 0, "{text}");
}

#[test]
fn whisper_transcribes_a_real_recording() {
    let (net, rules) = whisper();
    let text = text(&net, &rules, &samples(recording::JFK), WHISPER_TOKENIZER);
    assert_eq!(word_errors(JFK, &text), 0, "{text}");
}

#[test]
fn moonshine_gives_the_same_scores_whatever_shares_the_batch() {
    let (net, rules) = moonshine();
    same_in_any_company(&net, &rules);
}

#[test]
fn whisper_gives_the_same_scores_whatever_shares_the_batch() {
    let (net, rules) = whisper();
    same_in_any_company(&net, &Rules { max_tokens: 20, ..rules });
}

#[test]
fn whisper_uses_the_published_alignment_heads_and_they_move_with_the_words() {
    let (net, rules) = whisper();
    let (mut work, mut output) = Default::default();
    let audio = net.encode(samples(recording::JFK).as_slice().into(), &mut work, &|| Ok(())).unwrap();
    assert_eq!((audio.frames(), audio.audio_frames()), (750, 550));
    let mut sequence = net.begin(Arc::new(audio));
    let (mut tokens, mut centers) = (rules.start.clone(), Vec::new());
    while centers.len() < 24 {
        let feed = Feed { sequence: &mut sequence, tokens: &tokens, with_attention: true };
        net.step(&mut [feed], &mut work, &mut output);
        assert_eq!(output.attention[0].len(), 6);
        let center = |row: &Vec<f32>| row.iter().enumerate().map(|(at, w)| at as f32 * w).sum::<f32>();
        centers.push(output.attention[0].iter().map(center).sum::<f32>() / 6.0);
        tokens = vec![auris_kernels::argmax(&output.scores[..rules.candidates]) as u32];
    }
    let third = |nth: usize| centers[nth * 8..(nth + 1) * 8].iter().sum::<f32>() / 8.0;
    assert!(third(0) + 80.0 < third(1) && third(1) + 80.0 < third(2), "{centers:?}");
}

#[test]
fn every_level_gives_the_same_words() {
    let mut all = Vec::new();
    for level in auris_kernels::available_levels() {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "nets::tests::words::words_of_one_level"])
            .env(LEVEL, level.name())
            .output()
            .unwrap();
        let printed = String::from_utf8(child.stdout).unwrap();
        let words: Vec<&str> = printed.lines().filter(|line| line.starts_with("words: ")).collect();
        assert_eq!(words.len(), 2, "{}: {printed}", level.name());
        all.push((level.name(), words.join("\n")));
    }
    assert!(all.iter().all(|(_, words)| *words == all[0].1), "{all:#?}");
}

#[test]
#[ignore = "every_level_gives_the_same_words starts it in another process for each level"]
#[expect(clippy::print_stdout, reason = "the other process reads it")]
fn words_of_one_level() {
    let samples = &samples(recording::JFK)[..4 * 16_000];
    let (net, rules) = moonshine();
    println!("\nwords: {}", text(&net, &rules, samples, MOONSHINE_TOKENIZER));
    let (net, rules) = whisper();
    println!("words: {}", text(&net, &rules, samples, WHISPER_TOKENIZER));
}
