//! What the terms of a prompt change in real transcripts, and what they must not change.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod support;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_testing::words::{word_errors, words};
use auris_engine_testing::{asset, ffmpeg, music::music, recording, write_wav};
use auris_engines::{CallContext, Engines, Ignore};
use tempfile::TempDir;

use support::recordings::{Recording, Recordings};

/// Terms that occur in none of the recordings.
const UNSAID: &str = "Okonkwo, Kowalska, Zephyr, Auris, Kubernetes, Siobhan, Nguyen, Wojciech, Xanthe, Bjornsson, \
    Tchaikovsky, Ouagadougou, Reykjavik, Schwarzenegger, Quetzalcoatl, Mbappe, Zuckerberg, Ibrahimovic, Anaximander, \
    Worcestershire, Llanelli, Thessaloniki, Dostoevsky, Nietzsche, Szczecin, Azerbaijan, Kyrgyzstan, Fitzwilliam, \
    Bartholomew, Ezekiel, Persephone, Andromeda, Cassiopeia, Montgomery, Wellington, Marlowe, Harrington, Pemberton, \
    Carmichael, Delacroix, Fontaine, Lindqvist, Takahashi, Yamamoto, Hernandez, Gutierrez, Oyelaran, Adebayo, \
    Chukwuemeka, Venkatesh";
/// Unusual words that are said in the recordings.
const SAID: &str =
    "incredulity, epoch, foolishness, noisiest, superlative, Yankee, Sheila, Diane, New Jersey";

static ENGINES: LazyLock<(TempDir, Engines)> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let engines = support::engines(folder.path());
    (folder, engines)
});

fn transcribe(model: &str, path: &Path, prompt: Option<&str>) -> String {
    let engines = &ENGINES.1;
    let spec = TranscriptionSpec { language: Some("en".into()), prompt: prompt.map(str::to_owned) };
    let transcriber = engines.transcriber(model).unwrap();
    let done = transcriber.transcribe(&engines.source(path), &spec, &mut Ignore, &CallContext::alone());
    done.unwrap().transcript.text
}

fn english() -> Vec<Recording> {
    Recordings::read().recording.into_iter().filter(|recording| recording.language == "en").collect()
}

/// The word errors of all English recordings, and their texts.
fn errors(model: &str, prompt: Option<&str>) -> (usize, String) {
    let mut all = (0, String::new());
    for recording in english() {
        let text = transcribe(model, &asset(&recording.sha256), prompt);
        all.0 += word_errors(&recording.text, &text);
        all.1 += &format!("{text} ");
    }
    all
}

/// The terms of a list that are in a text.
fn found<'a>(terms: &'a str, text: &str) -> Vec<&'a str> {
    let text = format!(" {} ", words(text).join(" "));
    terms.split(", ").filter(|term| text.contains(&format!(" {} ", words(term).join(" ")))).collect()
}

/// Fifty names that nobody says may add this many word errors in 234 words.
fn unsaid_terms_stay_away(model: &str, may_add: usize) {
    let (without, _) = errors(model, None);
    let (with, text) = errors(model, Some(UNSAID));
    eprintln!("{model}, unsaid terms: {with} word errors, {without} without them");
    assert_eq!(found(UNSAID, &text), [""; 0], "{model}");
    assert!(with <= without + may_add, "{model}: {with} word errors, {without} without the prompt");
}

/// Terms that are said, some of which the model misspells without the prompt, are found more often with it. Where the
/// model misspells none, they are found as often. The prompt may add this many other word errors.
fn said_terms_are_found(model: &str, misspelled: bool, may_add: usize) {
    let (without, text_without) = errors(model, None);
    let (with, text) = errors(model, Some(SAID));
    let (recall, before) = (found(SAID, &text).len(), found(SAID, &text_without).len());
    eprintln!(
        "{model}, said terms: {recall} found, {before} without the prompt; {with} and {without} word errors"
    );
    assert_eq!(
        recall > before,
        misspelled,
        "{model}: {:?} and {:?}",
        found(SAID, &text_without),
        found(SAID, &text)
    );
    assert!(recall >= before && with <= without + may_add, "{model}: {:?}", found(SAID, &text));
}

/// A slow reader behind pink noise, in which every model misspells unusual words.
fn noisy(folder: &Path, amplitude: f32, seed: u32) -> PathBuf {
    let path = folder.join("noisy.wav");
    let noise =
        format!("anoisesrc=color=pink:amplitude={amplitude}:seed={seed}:sample_rate=16000:duration=44");
    let mix = "[0:a]aresample=16000,aformat=channel_layouts=mono[a];[a][1:a]amix=inputs=2:normalize=0";
    let input = asset(recording::TWO_CITIES).into_os_string();
    let sources: [OsString; 6] = ["-i".into(), input, "-f".into(), "lavfi".into(), "-i".into(), noise.into()];
    let mixed: [OsString; 3] = ["-filter_complex".into(), mix.into(), path.clone().into()];
    ffmpeg(&[&sources[..], &mixed].concat());
    path
}

#[test]
fn terms_that_nobody_says_stay_away_from_moonshine() {
    unsaid_terms_stay_away("moonshine-tiny-en", 2);
}

#[test]
fn terms_that_are_said_are_found_by_moonshine() {
    said_terms_are_found("moonshine-tiny-en", true, 1);
}

/// In noise, one piece can be lost whatever the prompt says, so the terms of several recordings are counted together.
#[test]
fn terms_that_moonshine_misspells_in_noise_are_found() {
    let folder = TempDir::new().unwrap();
    for (model, amplitude) in [("moonshine-tiny-en", 0.05), ("moonshine-base-en", 0.1)] {
        let counts = [1, 2, 3].map(|seed| {
            let path = noisy(folder.path(), amplitude, seed);
            [None, Some(SAID)].map(|prompt| found(SAID, &transcribe(model, &path, prompt)).len())
        });
        let [before, after] = [0, 1].map(|prompt| counts.iter().map(|count| count[prompt]).sum::<usize>());
        assert!(after > before, "{model}: terms without and with the prompt: {counts:?}");
    }
}

/// Whisper also reads the prompt as text that came before, which changes a few other words.
#[test]
fn terms_that_are_said_are_found_by_whisper() {
    said_terms_are_found("whisper-tiny", false, 6);
}

/// The other models, for `scripts/soak --long`: they take minutes.
#[test]
fn terms_of_a_prompt_in_all_models_soak() {
    if std::env::var_os("AURIS_SOAK_CONVERSATIONS").is_some() {
        for model in ["moonshine-base-en", "whisper-tiny", "whisper-base", "whisper-small"] {
            unsaid_terms_stay_away(model, 4);
            said_terms_are_found(model, false, 6);
        }
    }
}

#[test]
fn terms_change_nothing_in_music() {
    let folder = TempDir::new().unwrap();
    let path = write_wav(&folder.path().join("music.wav"), &music(10));
    for model in ["moonshine-tiny-en", "whisper-tiny"] {
        assert_eq!(transcribe(model, &path, Some(UNSAID)), transcribe(model, &path, None), "{model}");
    }
}
