//! Moonshine and Whisper on the CPU: weights as bytes, keys and values as halves or bytes, decoding in ragged batches.

mod alignment;
mod buffers;
mod convolution;
mod decoder;
mod encoder;
mod encoder_decoder;
mod layers;
mod loader;
mod memory;
mod moonshine;
mod positions;
#[cfg(test)]
mod tests;
mod whisper;

pub(crate) use moonshine::MoonshineNet;
pub(crate) use whisper::{SpecialTokens, WhisperNet};
