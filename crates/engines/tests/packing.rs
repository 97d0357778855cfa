//! A recording in any format is transcribed to the same words as its WAV file.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod support;

use std::path::Path;

use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_testing::formats::{Clip, FORMATS, Loss};
use auris_engine_testing::words::word_errors;
use auris_engine_testing::{asset, recording};
use auris_engines::{CallContext, Engines, Ignore};
use tempfile::TempDir;

use support::engines;

/// Length of the tested part of the recording: fourteen words, up to a pause.
const SECONDS: u32 = 8;

fn text_of(engines: &Engines, path: &Path) -> String {
    let transcriber = engines.transcriber("moonshine-tiny-en").unwrap();
    let options = TranscriptionSpec::default();
    let result = transcriber.transcribe(&engines.source(path), &options, &mut Ignore, &CallContext::alone());
    result.unwrap_or_else(|error| panic!("{}: {error}", path.display())).transcript.text
}

fn allowed(loss: Loss) -> usize {
    match loss {
        Loss::None => 0,
        Loss::Little => 1,
        Loss::Telephone => 3,
    }
}

#[test]
fn every_format_gives_the_words_of_its_wav_file() {
    let (models, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let engines = engines(models.path());
    let clip = Clip { recording: &asset(recording::JFK), seconds: SECONDS };
    let plain = text_of(&engines, &clip.packed(folder.path(), "plain.wav", &["-c:a", "pcm_s16le"]));
    assert!(plain.contains("what your country can do for you"), "{plain}");
    let mut files: Vec<_> = FORMATS
        .iter()
        .map(|(name, arguments, loss)| (clip.packed(folder.path(), name, arguments), *loss))
        .collect();
    files.extend(
        ["film.mp4", "film.mov", "film.mkv"].map(|name| (clip.filmed(folder.path(), name), Loss::Little)),
    );
    let mut wrong = Vec::new();
    for (path, loss) in files {
        let text = text_of(&engines, &path);
        if word_errors(&plain, &text) > allowed(loss) {
            wrong.push(format!("{}: {text}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "not {plain}: {wrong:#?}");
}
