//! The error rate of the built-in diarizer on real and generated conversations.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "in a test a broken expectation is a failed test"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use auris_domain::step::spec::DiarizationSpec;
use auris_engine_testing::score::{Errors, Turn, errors, read_rttm};
use auris_engine_testing::{asset, recording, write_wav};
use auris_engines::audio::AudioStream;
use auris_engines::{
    AudioSource, CallContext, Catalog, DiarizedAudio, EngineError, EngineSettings, Engines, Ignore,
    ProgressSink,
};
use tokio_util::sync::CancellationToken;

const CALL: &str = "c319b4abca767b124e41432d364fd7df006cb26bb79d09326c487d606a134e6e";
const CALL_RTTM: &str = "d78fe62c69d8e6dcbb42c26adfce83faccb374c5a1e6d987fe37f85f1c173c87";

fn engines() -> Engines {
    let settings = EngineSettings { models_dir: PathBuf::new(), max_audio_seconds: 36_000.0 };
    Engines::new(Catalog::built_in().unwrap(), settings)
}

fn decode(path: &Path) -> Vec<f32> {
    let mut stream = AudioStream::open(&AudioSource::new(path, 36_000.0)).unwrap();
    let mut samples = Vec::new();
    while let Some(block) = stream.next_block().unwrap() {
        samples.extend(block);
    }
    samples
}

fn diarize(path: &Path, min: Option<u32>, max: Option<u32>) -> DiarizedAudio {
    let engines = engines();
    let diarizer = engines.diarizer("pyannote-campplus").expect("it is in the binary");
    let spec = DiarizationSpec { min_speakers: min, max_speakers: max };
    let found = diarizer.diarize(&engines.source(path), &spec, &mut Ignore, &CallContext::alone()).unwrap();
    assert_consistent(&found);
    found
}

/// Checks what must be true of every diarization.
fn assert_consistent(audio: &DiarizedAudio) {
    let found = &audio.diarization;
    let ids: Vec<&str> = found.speakers.iter().map(|speaker| speaker.id.as_str()).collect();
    let mut first_turns: Vec<&str> = Vec::new();
    for turn in &found.turns {
        assert!(turn.start < turn.end && turn.end <= audio.duration_seconds + 0.001, "{turn:?}");
        if !first_turns.contains(&turn.speaker.as_str()) {
            first_turns.push(&turn.speaker);
        }
    }
    assert_eq!(ids, first_turns, "every speaker has a turn, and the first turns are in order");
    assert!(found.turns.is_sorted_by(|one, other| one.start <= other.start));
    for speaker in &found.speakers {
        let turns = found.turns.iter().filter(|turn| turn.speaker == speaker.id);
        let seconds: f64 = turns.map(|turn| turn.end - turn.start).sum();
        assert!((seconds - speaker.seconds).abs() < 0.01, "{speaker:?} has {seconds} s of turns");
    }
}

fn scored(found: &DiarizedAudio, rttm: &Path) -> Errors {
    let hypothesis: Vec<Turn> =
        found.diarization.turns.iter().map(|turn| Turn::new(&turn.speaker, turn.start, turn.end)).collect();
    errors(&read_rttm(&std::fs::read_to_string(rttm).unwrap()), &hypothesis)
}

fn conversations(folder: &Path) {
    let script = Path::new("../../scripts/make-conversations");
    let made = Command::new(script).arg(folder).output().expect("python3 is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[test]
fn the_two_speakers_of_the_telephone_call_are_separated() {
    let found = diarize(&asset(CALL), None, None);
    let errors = scored(&found, &asset(CALL_RTTM));
    eprintln!("call: {:.1} % {errors:?}", errors.rate() * 100.0);
    assert_eq!(found.diarization.speakers.len(), 2);
    assert!(errors.rate() <= 0.08, "the error rate is {:.3}: {errors:?}", errors.rate());
}

/// The conversations to test, with their number of speakers: all of them in a soak test, otherwise three.
fn chosen() -> &'static [(&'static str, u32)] {
    let all = &[
        ("two_near", 2),
        ("three_second", 3),
        ("four_second", 4),
        ("two_far", 2),
        ("two_mixed", 2),
        ("three_first", 3),
        ("three_third", 3),
        ("four_first", 4),
    ];
    if std::env::var_os("AURIS_SOAK_CONVERSATIONS").is_some() { all } else { &all[..3] }
}

#[test]
fn conversations_of_two_to_four_speakers_are_separated_soak() {
    let folder = tempfile::tempdir().unwrap();
    conversations(folder.path());
    let mut all = Errors::default();
    for (name, _) in chosen() {
        let rttm = folder.path().join(format!("{name}.rttm"));
        let found = diarize(&folder.path().join(format!("{name}.wav")), None, None);
        let errors = scored(&found, &rttm);
        eprintln!(
            "{name}: {:.1} % with {} speakers {errors:?}",
            errors.rate() * 100.0,
            found.diarization.speakers.len()
        );
        assert!(errors.rate() < 0.2, "{name}: {:.3}", errors.rate());
        all.add(&errors);
    }
    eprintln!("all: {:.1} % {all:?}", all.rate() * 100.0);
    assert!(all.rate() < 0.12, "the error rate is {:.3}: {all:?}", all.rate());
}

#[test]
fn a_given_number_of_speakers_is_found_soak() {
    let folder = tempfile::tempdir().unwrap();
    conversations(folder.path());
    for (name, count) in &chosen()[2..] {
        let found = diarize(&folder.path().join(format!("{name}.wav")), Some(*count), Some(*count));
        assert_eq!(found.diarization.speakers.len(), *count as usize, "{name}");
    }
    // Also if the given number is wrong.
    for count in [1, 3] {
        let found = diarize(&asset(CALL), Some(count), Some(count));
        assert_eq!(found.diarization.speakers.len(), count as usize);
    }
}

#[test]
fn a_monologue_has_one_speaker() {
    assert_eq!(diarize(&asset(recording::TWO_CITIES), None, None).diarization.speakers.len(), 1);
}

#[test]
fn silence_and_music_have_no_speakers_and_are_not_errors() {
    let folder = tempfile::tempdir().unwrap();
    let silence = write_wav(&folder.path().join("silence.wav"), &[0.0; 12 * 16_000]);
    let found = diarize(&silence, Some(2), None);
    assert!(found.diarization.speakers.is_empty() && found.diarization.turns.is_empty());
    assert_eq!(found.duration_seconds, 12.0);
    let found = diarize(&write_wav(&folder.path().join("music.wav"), &chords(15)), None, None);
    assert!(found.diarization.speakers.is_empty(), "{found:?}");
}

/// A new chord each second, which fades out.
fn chords(seconds: usize) -> Vec<f32> {
    let sample = |at: usize| {
        let (second, since) = (at / 16_000, (at % 16_000) as f32 / 16_000.0);
        let root = [220.0, 261.6, 196.0, 293.7][second % 4];
        let note = |ratio: f32| (since * root * ratio * std::f32::consts::TAU).sin();
        (note(1.0) + note(1.25) + note(1.5) + 0.5 * note(2.0)) * 0.15 * (-2.0 * since).exp()
    };
    (0..seconds * 16_000).map(sample).collect()
}

#[test]
fn one_second_of_speech_has_a_speaker() {
    let folder = tempfile::tempdir().unwrap();
    let samples = decode(&asset(recording::JFK));
    let second = write_wav(&folder.path().join("second.wav"), &samples[8_000..24_000]);
    let found = diarize(&second, None, None);
    assert_eq!((found.diarization.speakers.len(), found.duration_seconds), (1, 1.0));
    let moment = write_wav(&folder.path().join("moment.wav"), &samples[8_000..8_160]);
    assert!(diarize(&moment, None, None).diarization.speakers.len() <= 1);
}

#[test]
fn a_hundred_speakers_may_be_requested() {
    let found = diarize(&asset(CALL), Some(100), Some(100));
    let count = found.diarization.speakers.len();
    assert!((2..=100).contains(&count), "expected 2 to 100 speakers, found {count}");
    assert_eq!(diarize(&asset(CALL), Some(1), Some(100)).diarization.speakers.len(), 2);
}

/// Cancels at the first progress report and counts the reports.
struct Canceller(CancellationToken, usize);

impl ProgressSink for Canceller {
    fn progress(&mut self, seconds_done: f64, seconds_total: Option<f64>) {
        assert!(seconds_done > 0.0 && seconds_total.is_some_and(|total| seconds_done <= total));
        self.0.cancel();
        self.1 += 1;
    }
}

#[test]
fn a_cancelled_diarization_ends_at_once() {
    let cancel = CancellationToken::new();
    let context = CallContext::background("project", "job", cancel.clone());
    let engines = engines();
    let diarizer = engines.diarizer("pyannote-campplus").expect("it is in the binary");
    let mut sink = Canceller(cancel, 0);
    let audio = engines.source(&asset(recording::TWO_CITIES));
    let ended = diarizer.diarize(&audio, &DiarizationSpec::default(), &mut sink, &context);
    assert!(matches!(ended, Err(EngineError::Cancelled)), "{ended:?}");
    assert_eq!(sink.1, 1);
}
