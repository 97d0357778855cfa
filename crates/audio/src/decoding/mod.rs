//! Decodes any recording to 16 kHz mono samples, block by block.

mod decode;
mod demux;
mod ffmpeg;
mod fragments;
mod opus;
mod packets;
mod probe;
mod resample;
mod samples;
mod sniff;

pub use decode::AudioStream;
pub use probe::{AudioInfo, probe};
pub use samples::SAMPLE_RATE;
