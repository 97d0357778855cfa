//! Decodes arbitrary bytes as a recording and checks that the result is within the limits.
//!
//! It finds aborts, hangs, unlimited memory use, memory errors, samples that are not finite, and errors that would become
//! a 500 response. A panic inside a decoder does not count: the product catches it and rejects the file.

#![no_main]

#[path = "../../crates/engine-core/src/audio_source.rs"]
mod audio_source;
#[expect(dead_code, unused_imports, reason = "the target calls less than the product")]
#[path = "../../crates/audio/src/decoding/mod.rs"]
mod decoding;
#[path = "../../crates/engine-core/src/error.rs"]
mod error;

use std::path::PathBuf;
use std::sync::OnceLock;

use decoding::AudioStream;
use libfuzzer_sys::fuzz_target;

pub use audio_source::AudioSource;
pub use error::EngineError;

const MAX_SECONDS: f64 = 120.0;

fuzz_target!(|bytes: &[u8]| {
    let recording = AudioSource::new(path(), MAX_SECONDS);
    let written = std::fs::write(&recording.path, bytes);
    require(written.is_ok(), "the folder for temporary files is writable");
    require_bad_audio(decoding::probe(&recording).map(drop));
    require_bad_audio(decode(&recording));
});

/// The file that holds the bytes while they are read. The first call also sets the panic hook.
fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        // libFuzzer's own hook would abort before the decoder can catch the panic.
        std::panic::set_hook(Box::new(|_| {}));
        std::env::temp_dir().join(format!("auris-fuzz-{}", std::process::id()))
    })
}

fn decode(recording: &AudioSource) -> Result<(), EngineError> {
    let mut stream = AudioStream::open(recording)?;
    while let Some(block) = stream.next_block()? {
        require(!block.is_empty(), "a block has samples");
        require(block.iter().all(|sample| sample.is_finite()), "samples are finite");
        require(stream.seconds() <= MAX_SECONDS, "the limit on the duration is enforced");
    }
    require(stream.seconds() > 0.0, "a recording without audio is rejected");
    Ok(())
}

/// Every failure must be `BadAudio`: any other error would become a 500 response.
fn require_bad_audio(outcome: Result<(), EngineError>) {
    match outcome {
        Ok(()) | Err(EngineError::BadAudio { .. }) => {}
        Err(other) => require(false, &format!("failed with `BadAudio`, not with: {other}")),
    }
}

/// Aborts the process with a message if `holds` is false; libFuzzer then stores the bytes.
fn require(holds: bool, promise: &str) {
    if !holds {
        eprintln!("broken: {promise}");
        std::process::abort();
    }
}
