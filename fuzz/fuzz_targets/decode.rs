//! Any bytes as a recording: an answer within the limits, whatever they are.
//!
//! Found are aborts, hangs, memory without measure, memory errors, sound that is no number, and errors that would be a
//! 500. A panic inside a decoder is no find: the product catches it and refuses the file.

#![no_main]

#[expect(dead_code, reason = "the target calls less than the product")]
#[path = "../../crates/engines/src/audio/mod.rs"]
mod audio;
#[path = "../../crates/engines/src/error.rs"]
mod error;

use std::path::PathBuf;
use std::sync::OnceLock;

use audio::{AudioSource, AudioStream};
use libfuzzer_sys::fuzz_target;

pub use error::EngineError;

const MAX_SECONDS: f64 = 120.0;

fuzz_target!(|bytes: &[u8]| {
    let recording = AudioSource::new(place(), MAX_SECONDS);
    let written = std::fs::write(&recording.path, bytes);
    must(written.is_ok(), "the folder for temporary files can be written");
    refused_by_the_file(audio::probe(&recording).map(drop));
    refused_by_the_file(decode(&recording));
});

/// Where the bytes lie while they are read; the first call also prepares the process.
fn place() -> &'static PathBuf {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        // libFuzzer's own hook would abort before the decoder's guard could catch.
        std::panic::set_hook(Box::new(|_| {}));
        std::env::temp_dir().join(format!("auris-fuzz-{}", std::process::id()))
    })
}

fn decode(recording: &AudioSource) -> Result<(), EngineError> {
    let mut stream = AudioStream::open(recording)?;
    while let Some(block) = stream.next_block()? {
        must(!block.is_empty(), "a block has samples");
        must(block.iter().all(|sample| sample.is_finite()), "samples are numbers");
        must(stream.seconds() <= MAX_SECONDS, "the limit on the length holds");
    }
    must(stream.seconds() > 0.0, "a recording without audio is refused");
    Ok(())
}

/// Every failure must be the file's fault: anything else would be a 500.
fn refused_by_the_file(outcome: Result<(), EngineError>) {
    match outcome {
        Ok(()) | Err(EngineError::BadAudio { .. }) => {}
        Err(other) => must(false, &format!("refused by the file, not with: {other}")),
    }
}

/// Ends the process where a promise is broken, and says which: libFuzzer keeps the bytes.
fn must(holds: bool, promise: &str) {
    if !holds {
        eprintln!("broken: {promise}");
        std::process::abort();
    }
}
