//! Where somebody speaks: the probability of speech per frame, and segments of the recording that contain speech.

mod convolution;
mod detector;
mod margins;
mod net;
mod segments;
mod spectrum;

pub use net::FRAME;
pub use segments::{SegmentCutter, SegmentLimits, VoiceSegment};
