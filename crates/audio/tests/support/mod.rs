//! The product's decoder, for the tests.

use std::path::Path;

use auris_audio::{AudioSource, AudioStream, EngineError};

/// All samples of a file and its duration in seconds.
pub(crate) fn decode(path: &Path) -> Result<(Vec<f32>, f64), EngineError> {
    let mut stream = AudioStream::open(&AudioSource::new(path, 36_000.0))?;
    let mut samples = Vec::new();
    while let Some(block) = stream.next_block()? {
        samples.extend(block);
    }
    Ok((samples, stream.seconds()))
}
