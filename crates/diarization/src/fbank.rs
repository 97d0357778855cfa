//! Filterbank features as Kaldi computes them: 80 mel bins over 25 ms of audio, every 10 ms.

use std::sync::LazyLock;

use auris_audio::SAMPLE_RATE;
use auris_audio::filterbank::{Filter, Filterbank};

pub(crate) const BINS: usize = 80;
/// Samples from one frame to the next.
pub(crate) const SHIFT: usize = 160;
/// Samples of one frame.
pub(crate) const LENGTH: usize = 400;
/// Samples of a frame padded with zeros.
const SIZE: usize = 512;
const EMPHASIS: f32 = 0.97;
const LOWEST_HERTZ: f32 = 20.0;
const HIGHEST_HERTZ: f32 = 8_000.0;

static FILTERBANK: LazyLock<Filterbank> =
    LazyLock::new(|| Filterbank::new(SIZE, (0..BINS).map(filter).collect()));

/// Kaldi's Povey window.
static FADE: LazyLock<Vec<f32>> = LazyLock::new(|| (0..LENGTH).map(povey).collect());

/// The logarithms of the bins, frame by frame, of samples between -1 and 1. Empty for less than one frame of audio.
pub(crate) fn filterbanks(samples: &[f32]) -> Vec<[f32; BINS]> {
    let mut analyzer = FILTERBANK.analyzer();
    let mut features = Vec::with_capacity(samples.len() / SHIFT);
    for audio in samples.windows(LENGTH).step_by(SHIFT) {
        prepare(audio, &FADE, analyzer.frame());
        let mut bins = [0.0; BINS];
        for (bin, energy) in bins.iter_mut().zip(analyzer.energies()) {
            *bin = energy.max(f32::EPSILON).ln();
        }
        features.push(bins);
    }
    features
}

/// Removes the mean, emphasizes high frequencies, applies the window and pads with zeros.
fn prepare(audio: &[f32], window: &[f32], frame: &mut [f32]) {
    let mean = audio.iter().sum::<f32>() / LENGTH as f32;
    let mut before = audio[0] - mean;
    for (at, value) in audio.iter().enumerate() {
        let value = value - mean;
        frame[at] = (value - EMPHASIS * before) * window[at];
        before = value;
    }
    frame[LENGTH..].fill(0.0);
}

fn povey(at: usize) -> f32 {
    let phase = std::f64::consts::TAU * at as f64 / (LENGTH - 1) as f64;
    (0.5 - 0.5 * phase.cos()).powf(0.85) as f32
}

/// A triangle on the mel scale with height one.
fn filter(bin: usize) -> Filter {
    let low = mel(LOWEST_HERTZ);
    let step = (mel(HIGHEST_HERTZ) - low) / (BINS + 1) as f32;
    let left = low + bin as f32 * step;
    let middle = left + step;
    let right = left + 2.0 * step;
    // Kaldi ignores the highest FFT bin.
    Filter::new(0..SIZE / 2, |line| {
        let mel = mel(line as f32 * SAMPLE_RATE as f32 / SIZE as f32);
        ((mel - left) / (middle - left)).min((right - mel) / (right - middle)).max(0.0)
    })
}

fn mel(hertz: f32) -> f32 {
    1_127.0 * (1.0 + hertz / 700.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audio_shorter_than_a_frame_has_no_features() {
        assert!(filterbanks(&[0.1; LENGTH - 1]).is_empty());
        assert_eq!(filterbanks(&[0.1; LENGTH]).len(), 1);
        assert_eq!(filterbanks(&[0.1; LENGTH + SHIFT]).len(), 2);
    }

    #[test]
    fn silence_is_at_the_floor() {
        let features = filterbanks(&[0.0; 1_600]);
        assert!(features.iter().flatten().all(|bin| *bin == f32::EPSILON.ln()));
    }
}
