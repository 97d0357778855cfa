//! The recording that models are measured and tried with: eleven seconds of a speech, as often as needed.

use std::io::{self, Write};

use auris_domain::step::spec::TranscriptionSpec;
use auris_engines::CatalogModel;
use tempfile::NamedTempFile;

/// 16 kHz, mono, 16 bits: `samples/inaugural.wav`, where its source and license are described.
const WAV: &[u8] = include_bytes!("../../../../samples/inaugural.wav");

/// Bytes of one second.
const BYTES_PER_SECOND: f64 = 32_000.0;

/// Bytes of the head that is written.
const HEAD_BYTES: u32 = 44;

/// The words that are spoken.
pub(crate) const WORDS: &str = "And so, my fellow Americans, ask not what your country can do for you, ask what you can do \
                                for your country.";

/// The samples of the recording without its head.
fn samples() -> &'static [u8] {
    let data = WAV.windows(4).position(|word| word == b"data").unwrap_or_default();
    &WAV[data + 8..]
}

/// The length of the recording, played once.
pub(crate) fn seconds() -> f64 {
    samples().len() as f64 / BYTES_PER_SECOND
}

/// How a model transcribes the recording: as English, or as the language that the model knows.
pub(crate) fn transcription(entry: &CatalogModel) -> TranscriptionSpec {
    let language = entry.languages.first().map_or("en", String::as_str);
    TranscriptionSpec { language: Some(language.to_owned()), prompt: None }
}

/// A file with the recording, played this many times.
pub(crate) fn repeated(times: u32) -> io::Result<NamedTempFile> {
    let bytes = samples().len() as u32 * times;
    let mut file = tempfile::Builder::new().suffix(".wav").tempfile()?;
    file.write_all(b"RIFF")?;
    file.write_all(&(HEAD_BYTES - 8 + bytes).to_le_bytes())?;
    // A chunk of 16 bytes: PCM, one channel, 16,000 samples and 32,000 bytes a second, 2 bytes of 16 bits each.
    file.write_all(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data")?;
    file.write_all(&bytes.to_le_bytes())?;
    for _ in 0..times {
        file.write_all(samples())?;
    }
    file.flush()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_is_as_long_as_the_times_it_is_played() {
        assert!((seconds() - 11.0).abs() < 0.01, "{}", seconds());
        let file = std::fs::read(repeated(3).unwrap().path()).unwrap();
        assert_eq!(file.len(), HEAD_BYTES as usize + 3 * samples().len());
        assert!(file.ends_with(samples()));
    }
}
