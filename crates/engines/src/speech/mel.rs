//! The log-mel picture of thirty seconds of audio, as Whisper was trained on it.

use std::sync::{Arc, OnceLock};

use realfft::{RealFftPlanner, RealToComplex};

/// Samples of one window, thirty seconds.
pub(crate) const WINDOW: usize = 480_000;
pub(crate) const BINS: usize = 80;
pub(crate) const FRAMES: usize = 3_000;
const HOP: usize = 160;
const SIZE: usize = 400;
const SPECTRUM: usize = SIZE / 2 + 1;

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
        window: (0..SIZE)
            .map(|n| 0.5 - 0.5 * (std::f32::consts::TAU * n as f32 / SIZE as f32).cos())
            .collect(),
        filters: (0..BINS).map(filter).collect(),
    })
}

/// The picture of up to thirty seconds, padded with silence: bin by bin, `FRAMES` each.
pub(crate) fn log_mel(samples: &[f32]) -> Vec<f32> {
    let tables = tables();
    // The logarithm of the floor, which is what silence has.
    let mut picture = vec![-10.0f32; BINS * FRAMES];
    let mut scratch = tables.transform.make_scratch_vec();
    let mut lines = tables.transform.make_output_vec();
    let mut frame = vec![0.0; SIZE];
    for column in 0..(samples.len() / HOP + 2).min(FRAMES) {
        for (n, value) in frame.iter_mut().enumerate() {
            *value = tables.window[n] * sample(samples, column * HOP + n);
        }
        if tables.transform.process_with_scratch(&mut frame, &mut lines, &mut scratch).is_err() {
            continue;
        }
        for (bin, (first, weights)) in tables.filters.iter().enumerate() {
            let energy: f32 =
                weights.iter().zip(&lines[*first..]).map(|(weight, line)| weight * line.norm_sqr()).sum();
            picture[bin * FRAMES + column] = energy.max(1e-10).log10();
        }
    }
    let floor = picture.iter().copied().fold(f32::MIN, f32::max) - 8.0;
    picture.iter_mut().for_each(|value| *value = (value.max(floor) + 4.0) / 4.0);
    picture
}

/// The sample at `at`, of audio that is mirrored at its beginning and silent after its end.
fn sample(samples: &[f32], at: usize) -> f32 {
    let half = SIZE / 2;
    let index = at.abs_diff(half);
    samples.get(index).copied().unwrap_or(0.0)
}

/// A triangle on the mel scale, of area one.
fn filter(bin: usize) -> (usize, Vec<f32>) {
    let top = hertz_to_mel(8_000.0);
    let edge = |n: usize| mel_to_hertz(top * n as f64 / (BINS + 1) as f64);
    let (low, middle, high) = (edge(bin), edge(bin + 1), edge(bin + 2));
    let weight = |line: usize| {
        let hertz = line as f64 * 16_000.0 / SIZE as f64;
        let slope = ((hertz - low) / (middle - low)).min((high - hertz) / (high - middle));
        (slope.max(0.0) * 2.0 / (high - low)) as f32
    };
    let lines: Vec<usize> = (0..SPECTRUM).filter(|line| weight(*line) > 0.0).collect();
    let first = lines.first().copied().unwrap_or(0);
    (first, lines.iter().map(|line| weight(*line)).collect())
}

/// Slaney's scale: linear below 1 kHz, logarithmic above.
fn hertz_to_mel(hertz: f64) -> f64 {
    if hertz < 1_000.0 { hertz * 3.0 / 200.0 } else { 15.0 + (hertz / 1_000.0).ln() * 27.0 / 6.4f64.ln() }
}

fn mel_to_hertz(mel: f64) -> f64 {
    if mel < 15.0 { mel * 200.0 / 3.0 } else { 1_000.0 * ((mel - 15.0) * 6.4f64.ln() / 27.0).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_flat() {
        let picture = log_mel(&[0.0; 16_000]);
        assert!(picture.iter().all(|value| (*value - picture[0]).abs() < 1e-6));
    }

    #[test]
    fn a_tone_lights_its_bin() {
        let tone: Vec<f32> =
            (0..16_000).map(|n| (n as f32 * std::f32::consts::TAU * 1_000.0 / 16_000.0).sin()).collect();
        let picture = log_mel(&tone);
        let brightest =
            (0..BINS).max_by(|a, b| picture[a * FRAMES + 50].total_cmp(&picture[b * FRAMES + 50])).unwrap();
        let edge = |n: usize| mel_to_hertz(hertz_to_mel(8_000.0) * n as f64 / (BINS + 1) as f64);
        assert!(edge(brightest) < 1_000.0 && edge(brightest + 2) > 1_000.0);
    }
}
