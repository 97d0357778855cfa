//! Audio: decodes any recording to 16 kHz mono and finds the speech in it.

mod decoding;
pub mod filterbank;
mod level;
pub mod lstm;
pub mod pipeline;
pub mod voice;

pub use auris_engine_core::{AudioProblem, AudioSource, EngineError};
pub use decoding::{AudioInfo, AudioStream, SAMPLE_RATE, probe};
pub use level::Leveler;
