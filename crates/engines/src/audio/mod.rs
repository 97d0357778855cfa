//! Audio: any recording in, 16 kHz mono out, piece by piece.

mod decode;
mod demux;
mod ffmpeg;
mod fragments;
mod opus;
mod packets;
mod probe;
mod resample;
mod sniff;

use std::path::PathBuf;

pub use decode::AudioStream;
pub use probe::{AudioInfo, probe};

/// The rate at which every engine listens.
pub const SAMPLE_RATE: u32 = 16_000;

/// Far beyond full scale, which is 1.
const LOUDEST: f32 = 32.0;

/// Float formats may carry anything: one sample that is no number would spread through every net, and a huge one
/// becomes one in the resampler.
fn tamed(sample: f32) -> f32 {
    if sample.is_finite() { sample.clamp(-LOUDEST, LOUDEST) } else { 0.0 }
}

/// A recording on disk and the length at which it is refused.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioSource {
    pub path: PathBuf,
    pub max_seconds: f64,
}

impl AudioSource {
    pub fn new(path: impl Into<PathBuf>, max_seconds: f64) -> Self {
        Self { path: path.into(), max_seconds }
    }
}
