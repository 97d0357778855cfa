//! Filterbanks as Kaldi computes them: 80 mel bins over 25 ms of audio, every 10 ms.

use std::sync::{Arc, OnceLock};

use realfft::{RealFftPlanner, RealToComplex};

pub(crate) const BINS: usize = 80;
/// Samples from one frame to the next.
pub(crate) const SHIFT: usize = 160;
/// Samples of one frame.
pub(crate) const LENGTH: usize = 400;
const SIZE: usize = 512;
const EMPHASIS: f32 = 0.97;
const LOWEST_HERTZ: f32 = 20.0;
const HIGHEST_HERTZ: f32 = 8_000.0;

struct Tables {
    transform: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    /// For each bin the first spectral line and the weights from there on.
    filters: Vec<(usize, Vec<f32>)>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables {
        transform: RealFftPlanner::new().plan_fft_forward(SIZE),
        window: (0..LENGTH).map(povey).collect(),
        filters: (0..BINS).map(filter).collect(),
    })
}

/// The logarithms of the bins, frame by frame, of samples between -1 and 1. Less than one frame of audio has none.
pub(crate) fn filterbanks(samples: &[f32]) -> Vec<[f32; BINS]> {
    let tables = tables();
    let mut scratch = tables.transform.make_scratch_vec();
    let mut lines = tables.transform.make_output_vec();
    let mut frame = vec![0.0; SIZE];
    let mut found = Vec::with_capacity(samples.len() / SHIFT);
    for audio in samples.windows(LENGTH).step_by(SHIFT) {
        prepare(audio, &tables.window, &mut frame);
        let mut bins = [f32::EPSILON.ln(); BINS];
        // It fails on buffers of a wrong size only, and these are its own.
        if tables.transform.process_with_scratch(&mut frame, &mut lines, &mut scratch).is_ok() {
            for (bin, (first, weights)) in bins.iter_mut().zip(&tables.filters) {
                let energy: f32 =
                    weights.iter().zip(&lines[*first..]).map(|(weight, line)| weight * line.norm_sqr()).sum();
                *bin = energy.max(f32::EPSILON).ln();
            }
        }
        found.push(bins);
    }
    found
}

/// Takes the mean away, lifts the high tones, fades both ends and fills up with zeros.
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

/// A triangle on the mel scale, of height one.
fn filter(bin: usize) -> (usize, Vec<f32>) {
    let (low, high) = (mel(LOWEST_HERTZ), mel(HIGHEST_HERTZ));
    let step = (high - low) / (BINS + 1) as f32;
    let left = low + bin as f32 * step;
    let (middle, right) = (left + step, left + 2.0 * step);
    let weight = |line: usize| {
        let mel = mel(line as f32 * 16_000.0 / SIZE as f32);
        ((mel - left) / (middle - left)).min((right - mel) / (right - middle)).max(0.0)
    };
    // Kaldi leaves the highest line out.
    let lines: Vec<usize> = (0..SIZE / 2).filter(|line| weight(*line) > 0.0).collect();
    (lines.first().copied().unwrap_or(0), lines.iter().map(|line| weight(*line)).collect())
}

fn mel(hertz: f32) -> f32 {
    1_127.0 * (1.0 + hertz / 700.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audio_shorter_than_a_frame_has_none() {
        assert!(filterbanks(&[0.1; LENGTH - 1]).is_empty());
        assert_eq!(filterbanks(&[0.1; LENGTH]).len(), 1);
        assert_eq!(filterbanks(&[0.1; LENGTH + SHIFT]).len(), 2);
    }

    #[test]
    fn silence_is_at_the_floor() {
        let found = filterbanks(&[0.0; 1_600]);
        assert!(found.iter().flatten().all(|bin| *bin == f32::EPSILON.ln()));
    }
}
