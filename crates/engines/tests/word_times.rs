//! Word times against exact ones: phrases of real recordings, joined with known pauses.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod support;

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::transcript::Word;
use auris_engine_testing::words::words;
use auris_engine_testing::{asset, ffmpeg, recording, write_wav};
use auris_engines::{CallContext, Engines, Ignore};
use tempfile::TempDir;

const RATE: f64 = 16_000.0;
/// Samples of a frame whose loudness is measured: 10 ms.
const FRAME: usize = 160;
/// A frame is quiet below this part of the loudest one.
const QUIET: f32 = 0.02;
/// Minimum quiet frames between two phrases.
const MIN_PAUSE: usize = 18;
/// Minimum frames of a phrase; a shorter one is a breath.
const MIN_PHRASE: usize = 25;
/// Frames of the recording that are kept before and after a phrase.
const MARGIN: usize = 4;
/// Pauses between the phrases, in seconds, in turn.
const PAUSES: [f64; 5] = [0.3, 0.8, 0.2, 1.3, 0.5];

static ENGINES: LazyLock<(TempDir, Engines)> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let engines = support::engines(folder.path());
    (folder, engines)
});

/// A phrase: its samples with margins, and where the voice is in them.
struct Phrase {
    samples: Vec<f32>,
    voice: Range<usize>,
}

/// Phrases one after the other, and when each of them is spoken, in seconds.
#[derive(Default)]
struct Joined {
    samples: Vec<f32>,
    times: Vec<Range<f64>>,
}

/// Seconds between where words are and where the model says that they are.
#[derive(Default)]
struct Differences {
    starts: Vec<f64>,
    ends: Vec<f64>,
}

fn read(hash: &str, folder: &Path) -> Vec<f32> {
    let raw = folder.join(hash);
    let source = asset(hash);
    let arguments = ["-i", source.to_str().unwrap(), "-ac", "1", "-ar", "16000", "-f", "f32le"];
    ffmpeg(&[&arguments[..], &[raw.to_str().unwrap()]].concat());
    let bytes = std::fs::read(raw).unwrap();
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

/// The parts of a recording between its pauses.
fn phrases(samples: &[f32]) -> Vec<Phrase> {
    let loudness =
        |frame: &[f32]| (frame.iter().map(|sample| sample * sample).sum::<f32>() / FRAME as f32).sqrt();
    let frames: Vec<f32> = samples.chunks_exact(FRAME).map(loudness).collect();
    let quiet = QUIET * frames.iter().copied().fold(0.0, f32::max);
    let mut spoken: Vec<Range<usize>> = Vec::new();
    for frame in (0..frames.len()).filter(|frame| frames[*frame] > quiet) {
        match spoken.last_mut().filter(|phrase| frame - phrase.end < MIN_PAUSE) {
            Some(phrase) => phrase.end = frame + 1,
            None => spoken.push(frame..frame + 1),
        }
    }
    let with_margins = |phrase: Range<usize>| {
        let begin = phrase.start.saturating_sub(MARGIN);
        let end = (phrase.end + MARGIN).min(frames.len());
        let voice = (phrase.start - begin) * FRAME..(phrase.end - begin) * FRAME;
        Phrase { samples: samples[begin * FRAME..end * FRAME].to_vec(), voice }
    };
    spoken.into_iter().filter(|phrase| phrase.len() >= MIN_PHRASE).map(with_margins).collect()
}

/// The phrases with pauses before, between and after them. Faint noise fills the pauses.
fn join(phrases: &[Phrase]) -> Joined {
    let mut joined = Joined::default();
    let mut noise = 0x2545_F491u32;
    for (phrase, pause) in phrases.iter().zip(PAUSES.iter().cycle()) {
        joined.samples.extend((0..(pause * RATE) as usize).map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise as f32 / u32::MAX as f32 - 0.5) * 2e-4
        }));
        let time = |sample: usize| (joined.samples.len() + sample) as f64 / RATE;
        joined.times.push(time(phrase.voice.start)..time(phrase.voice.end));
        joined.samples.extend(&phrase.samples);
    }
    joined.samples.extend([0.0; 8_000]);
    joined
}

fn transcribe(model: &str, samples: &[f32]) -> Vec<Word> {
    let folder = TempDir::new().unwrap();
    let path = write_wav(&folder.path().join("joined.wav"), samples);
    let engines = &ENGINES.1;
    let transcriber = engines.transcriber(model).unwrap();
    let spec = TranscriptionSpec { language: Some("en".into()), prompt: None };
    let found = transcriber.transcribe(&engines.source(&path), &spec, &mut Ignore, &CallContext::alone());
    found.unwrap().transcript.segments.into_iter().flat_map(|segment| segment.words).collect()
}

/// The plain words of a transcript, each with its place in it.
fn plain(found: &[Word]) -> Vec<String> {
    found.iter().map(|word| words(&word.word).concat()).collect()
}

/// For each expected word the place of the same word in the text, if the best alignment of both has one.
fn places(expected: &[String], found: &[String]) -> Vec<Option<usize>> {
    let mut same_from = vec![vec![0; found.len() + 1]; expected.len() + 1];
    for row in (0..expected.len()).rev() {
        for column in (0..found.len()).rev() {
            let paired = same_from[row + 1][column + 1] + usize::from(expected[row] == found[column]);
            same_from[row][column] = paired.max(same_from[row + 1][column]).max(same_from[row][column + 1]);
        }
    }
    let (mut row, mut column, mut places) = (0, 0, vec![None; expected.len()]);
    while row < expected.len() && column < found.len() {
        if expected[row] == found[column] && same_from[row][column] == same_from[row + 1][column + 1] + 1 {
            places[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if same_from[row + 1][column] >= same_from[row][column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    places
}

/// Compares the times of the first and the last word of each phrase. Which words those are, the model says itself when it
/// gets the phrase alone.
fn compare(model: &str, phrases: &[Phrase], differences: &mut Differences) {
    let joined = join(phrases);
    let found = transcribe(model, &joined.samples);
    let alone: Vec<Vec<String>> =
        phrases.iter().map(|phrase| plain(&transcribe(model, &phrase.samples))).collect();
    let places = places(&alone.concat(), &plain(&found));
    let mut before = 0;
    for (phrase, time) in alone.iter().zip(&joined.times) {
        let range = before..before + phrase.len();
        before = range.end;
        if let Some(Some(first)) = places[range.clone()].first() {
            differences.starts.push((found[*first].start - time.start).abs());
        }
        if let Some(Some(last)) = places[range].last() {
            differences.ends.push((found[*last].end - time.end).abs());
        }
    }
}

/// The median and the ninetieth percentile.
fn spread(differences: &mut [f64]) -> (f64, f64) {
    differences.sort_by(f64::total_cmp);
    let at = |share: f64| differences[((differences.len() - 1) as f64 * share) as usize];
    (at(0.5), at(0.9))
}

fn times_words_well(model: &str) {
    let folder = TempDir::new().unwrap();
    let mut differences = Differences::default();
    for hash in [recording::BECKETT, recording::JFK, recording::TWO_CITIES] {
        compare(model, &phrases(&read(hash, folder.path())), &mut differences);
    }
    let count = differences.starts.len();
    let (starts, ends) = (spread(&mut differences.starts), spread(&mut differences.ends));
    eprintln!("{model}, {count} phrases, median and p90: starts {starts:?}, ends {ends:?}");
    assert!(count >= 14, "only {count} phrases were found again");
    assert!(starts.0 <= 0.12 && starts.1 <= 0.3, "{starts:?}");
    assert!(ends.0 <= 0.12 && ends.1 <= 0.45, "{ends:?}");
}

#[test]
fn moonshine_tiny_times_words_where_they_are_spoken() {
    times_words_well("moonshine-tiny-en");
}

#[test]
fn moonshine_base_times_words_where_they_are_spoken() {
    times_words_well("moonshine-base-en");
}

#[test]
fn whisper_base_times_words_where_they_are_spoken() {
    times_words_well("whisper-base");
}
