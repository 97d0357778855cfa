//! Where somebody speaks: the probability of speech per frame, and segments of the recording that contain speech.

mod detector;
mod segments;

pub use detector::FRAME;
pub use segments::{SegmentCutter, SegmentLimits, VoiceSegment};
