//! Models are unloaded when they are idle or when other models need the memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod support;

use std::time::{Duration, Instant};

use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_testing::{asset, recording};
use auris_engines::{CallContext, Engines, Ignore, Tuning};
use tempfile::TempDir;

use support::tuned_engines;

fn use_model(engines: &Engines, model: &str) {
    let transcriber = engines.transcriber(model).unwrap();
    let source = engines.source(&asset(recording::RUSSIAN));
    transcriber
        .transcribe(&source, &TranscriptionSpec::default(), &mut Ignore, &CallContext::alone())
        .unwrap();
}

#[test]
fn an_idle_model_is_unloaded_and_loaded_again_when_it_is_needed() {
    let folder = TempDir::new().unwrap();
    let tuning = Tuning { idle_unload_seconds: Some(900), ..Tuning::default() };
    let engines = tuned_engines(folder.path(), &tuning);
    assert!(engines.loaded().is_empty());
    use_model(&engines, "moonshine-tiny-en");
    let used = Instant::now();
    engines.unload_idle(used + Duration::from_secs(600));
    assert_eq!(engines.loaded(), ["moonshine-tiny-en"]);
    engines.unload_idle(used + Duration::from_secs(901));
    assert!(engines.loaded().is_empty());
    use_model(&engines, "moonshine-tiny-en");
    assert_eq!(engines.loaded(), ["moonshine-tiny-en"]);
}

#[test]
fn without_an_idle_limit_a_model_stays_loaded() {
    let folder = TempDir::new().unwrap();
    let engines = tuned_engines(folder.path(), &Tuning { idle_unload_seconds: None, ..Tuning::default() });
    use_model(&engines, "moonshine-tiny-en");
    engines.unload_idle(Instant::now() + Duration::from_secs(1_000_000_000));
    assert_eq!(engines.loaded(), ["moonshine-tiny-en"]);
}

#[test]
fn the_memory_limit_unloads_the_least_recently_used_model() {
    let folder = TempDir::new().unwrap();
    // Any two of these three models fit (31, 44 and 66 MB), but not all three.
    let engines = tuned_engines(folder.path(), &Tuning { loaded_bytes: 115_000_000, ..Tuning::default() });
    use_model(&engines, "whisper-tiny");
    use_model(&engines, "moonshine-tiny-en");
    assert_eq!(engines.loaded(), ["moonshine-tiny-en", "whisper-tiny"]);
    use_model(&engines, "whisper-tiny");
    use_model(&engines, "moonshine-base-en");
    assert_eq!(engines.loaded(), ["moonshine-base-en", "whisper-tiny"]);
}
