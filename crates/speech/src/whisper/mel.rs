//! The log-mel spectrogram of thirty seconds of audio, as Whisper was trained on it.

use std::sync::LazyLock;

use auris_audio::SAMPLE_RATE;
use auris_audio::filterbank::{Filter, Filterbank};

/// Samples of one window: thirty seconds.
pub(super) const WINDOW: usize = 480_000;
pub(super) const BINS: usize = 80;
pub(super) const FRAMES: usize = 3_000;
/// Samples from one frame to the next.
const HOP: usize = 160;
/// Samples of one frame.
const SIZE: usize = 400;
const HIGHEST_HERTZ: f64 = 8_000.0;
/// The smallest energy, and its logarithm: the value of silence.
const FLOOR: f32 = 1e-10;
const LOG_FLOOR: f32 = -10.0;

static FILTERBANK: LazyLock<Filterbank> =
    LazyLock::new(|| Filterbank::new(SIZE, (0..BINS).map(filter).collect()));

/// The Hann window.
static FADE: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let phase = |at: usize| std::f32::consts::TAU * at as f32 / SIZE as f32;
    (0..SIZE).map(|at| 0.5 - 0.5 * phase(at).cos()).collect()
});

/// The spectrogram of up to thirty seconds, padded with silence: bin by bin, `FRAMES` values each.
pub(super) fn log_mel(samples: &[f32]) -> Vec<f32> {
    let mut analyzer = FILTERBANK.analyzer();
    let mut spectrogram = vec![LOG_FLOOR; BINS * FRAMES];
    for column in 0..(samples.len() / HOP + 2).min(FRAMES) {
        for (at, value) in analyzer.frame().iter_mut().enumerate() {
            *value = FADE[at] * sample(samples, column * HOP + at);
        }
        for (bin, energy) in analyzer.energies().enumerate() {
            spectrogram[bin * FRAMES + column] = energy.max(FLOOR).log10();
        }
    }
    let floor = spectrogram.iter().copied().fold(f32::MIN, f32::max) - 8.0;
    spectrogram.iter_mut().for_each(|value| *value = (value.max(floor) + 4.0) / 4.0);
    spectrogram
}

/// The sample at `at` of audio that is mirrored at its start and silent after its end.
fn sample(samples: &[f32], at: usize) -> f32 {
    let index = at.abs_diff(SIZE / 2);
    samples.get(index).copied().unwrap_or(0.0)
}

/// A triangle on the mel scale with area one.
fn filter(bin: usize) -> Filter {
    let (low, middle, high) = (edge(bin), edge(bin + 1), edge(bin + 2));
    Filter::new(0..SIZE / 2 + 1, |line| {
        let hertz = line as f64 * f64::from(SAMPLE_RATE) / SIZE as f64;
        let slope = ((hertz - low) / (middle - low)).min((high - hertz) / (high - middle));
        (slope.max(0.0) * 2.0 / (high - low)) as f32
    })
}

/// The nth edge of the bins, in hertz.
fn edge(nth: usize) -> f64 {
    mel_to_hertz(hertz_to_mel(HIGHEST_HERTZ) * nth as f64 / (BINS + 1) as f64)
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
    fn the_spectrogram_of_silence_is_flat() {
        let spectrogram = log_mel(&[0.0; 16_000]);
        assert!(spectrogram.iter().all(|value| (*value - spectrogram[0]).abs() < 1e-6));
    }

    #[test]
    fn a_tone_is_loudest_in_its_bin() {
        let tone: Vec<f32> =
            (0..16_000).map(|n| (n as f32 * std::f32::consts::TAU * 1_000.0 / 16_000.0).sin()).collect();
        let spectrogram = log_mel(&tone);
        let at = |bin: usize| spectrogram[bin * FRAMES + 50];
        let loudest = (0..BINS).max_by(|one, other| at(*one).total_cmp(&at(*other))).unwrap();
        assert!(edge(loudest) < 1_000.0 && edge(loudest + 2) > 1_000.0);
    }
}
