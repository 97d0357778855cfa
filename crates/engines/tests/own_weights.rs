//! Models of an operator in every format: added as `auris models add` does, and used for a recording.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::fs;
use std::path::Path;

use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_testing::weight_files::{
    Family, FloatType, GgmlType, ModelFiles, open_source, read_vocabulary, write_ggml, write_safetensors,
};
use auris_engine_testing::words::word_errors;
use auris_engine_testing::{asset, recording};
use auris_engines::{CallContext, Catalog, EngineSettings, Engines, Ignore};
use auris_models::install::{Adding, NewModel, UnitPrices};
use auris_models::{Installer, LocalCatalog};
use tempfile::TempDir;

const JFK: &str = "And so my fellow Americans ask not what your country can do for you ask what you can do for \
                   your country";
/// `ggml-base.en.bin`, which `scripts/fetch-assets --bench` fetches.
const GGML_BASE_EN: &str = "a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002";
/// The model that is added.
const ID: &str = "calls";

/// The file of a model of the catalogue.
fn file(model: &str, name: &str) -> std::path::PathBuf {
    let catalog = Catalog::built_in().unwrap();
    let files = &catalog.find(model).unwrap().files;
    asset(&files.iter().find(|file| file.name.contains(name)).unwrap().sha256)
}

fn onnx(model: &str) -> ModelFiles {
    ModelFiles::Onnx { encoder: file(model, "encoder_model"), decoder: file(model, "decoder_model") }
}

/// Adds the model at this path and transcribes a recording with it.
fn transcript(path: &Path) -> String {
    let models = TempDir::new().unwrap();
    let catalog = Catalog::built_in().unwrap();
    let trial = |_: &Path, _: Catalog| -> Result<(), String> { Ok(()) };
    let new = NewModel { path: path.to_owned(), id: Some(ID.into()), prices: UnitPrices::default() };
    let adding = Adding { catalog: &catalog, trial: &trial, sink: &mut Ignore, is_cancelled: &|| false };
    Installer::new(models.path(), None).add(&new, adding).unwrap();
    let catalog = LocalCatalog::in_folder(models.path()).merge_into(&catalog).unwrap();
    let settings = EngineSettings { models_dir: models.path().to_owned(), max_audio_seconds: 36_000.0 };
    let engines = Engines::new(catalog, settings);
    let source = engines.source(&asset(recording::JFK));
    let context = CallContext::alone();
    let transcriber = engines.transcriber(ID).unwrap();
    transcriber
        .transcribe(&source, &TranscriptionSpec::default(), &mut Ignore, &context)
        .unwrap()
        .transcript
        .text
}

#[test]
fn a_whisper_file_of_every_type_transcribes_a_recording() {
    let (source, config) = open_source(&onnx("whisper-tiny"), Family::Whisper).unwrap();
    let tokens = read_vocabulary(&file("whisper-tiny", "tokenizer.json"));
    // Two bits without a search for good scales are coarse, but most words are still right.
    for (kind, allowed) in [
        (GgmlType::F32, 0),
        (GgmlType::F16, 0),
        (GgmlType::Q8_0, 0),
        (GgmlType::Q5_1, 0),
        (GgmlType::Q5_0, 0),
        (GgmlType::Q4_1, 0),
        (GgmlType::Q4_0, 0),
        (GgmlType::Q6K, 0),
        (GgmlType::Q5K, 0),
        (GgmlType::Q4K, 0),
        (GgmlType::Q3K, 0),
        (GgmlType::Q2K, 8),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("ggml-tiny.bin");
        write_ggml(&path, (&*source, &config), kind, &tokens);
        let text = transcript(&path);
        assert!(word_errors(JFK, &text) <= allowed, "{kind:?}: {text}");
    }
}

/// A file as whisper.cpp publishes it, for `scripts/soak --long`: a download of 148 MB. It knows only English, and its
/// vocabulary is part of it. With the short margin of silence, it takes `ask` for `asked`, twice; with all thirty seconds,
/// as in whisper.cpp, it has no word wrong.
#[test]
fn a_published_whisper_file_transcribes_a_recording_soak() {
    if std::env::var_os("AURIS_SOAK_CONVERSATIONS").is_some() {
        let text = transcript(&asset(GGML_BASE_EN));
        assert!(word_errors(JFK, &text) <= 2, "{text}");
    }
}

#[test]
fn a_moonshine_folder_of_safetensors_transcribes_a_recording() {
    let (source, config) = open_source(&onnx("moonshine-tiny-en"), Family::Moonshine).unwrap();
    for (kind, files) in [(FloatType::F32, 1), (FloatType::F16, 2), (FloatType::Bf16, 1)] {
        let folder = TempDir::new().unwrap();
        write_safetensors(folder.path(), (&*source, &config), kind, files);
        fs::copy(file("moonshine-tiny-en", "tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
        let text = transcript(folder.path());
        assert_eq!(word_errors(JFK, &text), 0, "{kind:?}: {text}");
    }
}
