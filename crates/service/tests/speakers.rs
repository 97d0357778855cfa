//! The words of a telephone call and their speakers, compared with the call's reference transcript.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "in a test a broken expectation is a failed test"
)]

use std::path::{Path, PathBuf};

use auris_domain::step::spec::{DiarizationSpec, TranscriptionSpec};
use auris_domain::transcript::{Transcript, plain as lines, speakers, srt, vtt};
use auris_engine_testing::score::{Attributed, plain, read_stm, word_accuracy};
use auris_engines::{CallContext, Catalog, EngineSettings, Engines, Ignore};

const CALL: &str = "c319b4abca767b124e41432d364fd7df006cb26bb79d09326c487d606a134e6e";
const CALL_STM: &str = "f861f3004927e1c4429199f9695bfd252def75d7d5e4bdf735d3d85fd4a667f7";

/// The file with this SHA-256 that `scripts/fetch-assets` fetched.
fn asset(hash: &str) -> PathBuf {
    let cache = std::env::var_os("AURIS_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::home_dir().map(|home| home.join(".cache/auris")));
    let path = cache.expect("a home folder").join("assets").join(hash);
    assert!(path.exists(), "{} is missing: run scripts/fetch-assets", path.display());
    path
}

/// Engines with one speech model of the catalogue.
fn engines(folder: &Path, model: &str) -> Engines {
    let catalog = Catalog::built_in().unwrap();
    let target = folder.join(model);
    std::fs::create_dir_all(&target).unwrap();
    for file in &catalog.find(model).expect("a model").files {
        std::os::unix::fs::symlink(asset(&file.sha256), target.join(&file.name)).unwrap();
    }
    Engines::new(catalog, EngineSettings { models_dir: folder.to_owned(), max_audio_seconds: 600.0 })
}

/// The transcript of the call with its speakers, made as `auris transcribe --diarize` and an analysis make it.
fn transcribed(model: &str) -> Transcript {
    let folder = tempfile::tempdir().unwrap();
    let engines = engines(folder.path(), model);
    let audio = engines.source(&asset(CALL));
    let transcriber = engines.transcriber(model).expect("an installed model");
    let context = CallContext::alone();
    let spec = TranscriptionSpec::default();
    let mut transcript = transcriber.transcribe(&audio, &spec, &mut Ignore, &context).unwrap().transcript;
    let diarizer = engines.diarizer("pyannote-campplus").expect("it is in the binary");
    let diarized = diarizer.diarize(&audio, &DiarizationSpec::default(), &mut Ignore, &context).unwrap();
    let mut diarization = diarized.diarization;
    let words = transcript.words();
    speakers::name_by_first_word(&words, &mut diarization);
    transcript.utterances = speakers::utterances(&transcript.text, words, &diarization.turns).unwrap();
    transcript
}

/// The words of a transcript with their speakers.
fn attributed(transcript: &Transcript) -> Vec<Attributed> {
    let words = |utterance: &auris_domain::transcript::Utterance| -> Vec<Attributed> {
        let speaker = utterance.speaker.clone().expect("a speaker");
        utterance.words.iter().map(|word| (plain(&word.word), speaker.clone())).collect()
    };
    transcript.utterances.iter().flat_map(words).filter(|(word, _)| !word.is_empty()).collect()
}

/// The words of the reference transcript with their speakers.
fn truth() -> Vec<Attributed> {
    read_stm(&std::fs::read_to_string(asset(CALL_STM)).unwrap())
}

fn accuracy(transcript: &Transcript) -> f64 {
    let found = attributed(transcript);
    let truth = truth();
    assert!(found.len() > truth.len() / 2, "only {} of {} words were recognized", found.len(), truth.len());
    word_accuracy(&truth, &found)
}

#[test]
fn words_are_assigned_to_the_right_speaker() {
    for model in ["moonshine-base-en", "whisper-base"] {
        let transcript = transcribed(model);
        let accuracy = accuracy(&transcript);
        eprintln!("{model}: {:.1} % of the words\n{}", accuracy * 100.0, lines(&transcript));
        assert!(accuracy >= 0.95, "{model}: {accuracy:.3}");
        assert_eq!(transcript.utterances[0].speaker.as_deref(), Some("A"), "named by first word");
        let joined: Vec<&str> =
            transcript.utterances.iter().flat_map(|utterance| utterance.text.split_whitespace()).collect();
        assert_eq!(
            joined,
            transcript.text.split_whitespace().collect::<Vec<_>>(),
            "no word is lost or repeated"
        );
        assert!(lines(&transcript).lines().all(|line| line.starts_with("A: ") || line.starts_with("B: ")));
        assert!(srt(&transcript).contains("\nB: ") && vtt(&transcript).contains("\n<v B>"));
    }
}

/// The lines of a dialogue: the words that one speaker says before the other one does. Speakers are numbered by their first
/// word.
fn dialogue(words: &[Attributed]) -> Vec<(usize, Vec<&str>)> {
    let mut speakers: Vec<&str> = Vec::new();
    let mut lines: Vec<(usize, Vec<&str>)> = Vec::new();
    for (word, speaker) in words {
        let number = speakers.iter().position(|known| known == speaker).unwrap_or(speakers.len());
        if number == speakers.len() {
            speakers.push(speaker);
        }
        match lines.last_mut() {
            Some((last, line)) if *last == number => line.push(word),
            Some(_) | None => lines.push((number, vec![word])),
        }
    }
    lines
}

/// The two speakers answer each other within a quarter of a second, and some lines are a single word.
#[test]
fn the_call_reads_line_by_line() {
    let truth = truth();
    let expected = dialogue(&truth);
    assert_eq!(expected.len(), 9, "{expected:?}");
    for model in ["moonshine-base-en", "whisper-base"] {
        let words = attributed(&transcribed(model));
        let found = dialogue(&words);
        let numbers = |lines: &[(usize, Vec<&str>)]| lines.iter().map(|line| line.0).collect::<Vec<_>>();
        assert_eq!(numbers(&found), numbers(&expected), "{model}: {found:#?}");
        let pairs = found.iter().zip(&expected);
        let foreign =
            pairs.flat_map(|(found, line)| found.1.iter().filter(move |word| !line.1.contains(word)));
        let foreign: Vec<&&str> = foreign.collect();
        assert!(foreign.len() * 4 <= words.len(), "{model}: these words are in no such line: {foreign:?}");
    }
}
