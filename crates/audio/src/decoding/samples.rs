//! The samples that the decoder produces.

/// The sample rate that every engine expects.
pub const SAMPLE_RATE: u32 = 16_000;

/// Maximum amplitude of a sample, far above full scale, which is 1.
const MAX_AMPLITUDE: f32 = 32.0;

/// Limits a sample to finite values of a sane size. Float formats may contain anything: one sample that is not a number
/// would spread through every model, and a huge one becomes such a sample in the resampler.
pub(super) fn sanitized(sample: f32) -> f32 {
    if sample.is_finite() { sample.clamp(-MAX_AMPLITUDE, MAX_AMPLITUDE) } else { 0.0 }
}
