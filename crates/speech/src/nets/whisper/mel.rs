//! The log-mel spectrum that Whisper was trained on.

use auris_audio::SAMPLE_RATE;
use auris_audio::filterbank::{Filter, Filterbank};
use auris_engine_core::EngineError;

use crate::net::Pause;

/// Samples from one column to the next.
const HOP: usize = 160;
/// Samples of one column.
const SIZE: usize = 400;
/// Columns between two pauses.
const COLUMNS_AT_ONCE: usize = 256;
const HIGHEST_HERTZ: f64 = 8_000.0;
/// The smallest energy, and its logarithm: the value of silence.
const FLOOR: f32 = 1e-10;
const LOG_FLOOR: f32 = -10.0;
/// What is this far below the loudest value, as a power of ten, counts as silence.
const RANGE: f32 = 8.0;

/// Computes spectra with a number of bins: 80, or 128 in large-v3.
pub(super) struct MelSpectrum {
    filterbank: Filterbank,
    fade: Vec<f32>,
    bins: usize,
}

/// The samples with silence around them.
#[derive(Default)]
pub(super) struct MelBuffers {
    padded: Vec<f32>,
}

impl MelSpectrum {
    pub(super) fn new(bins: usize) -> Self {
        let phase = |at: usize| std::f32::consts::TAU * at as f32 / SIZE as f32;
        Self {
            filterbank: Filterbank::new(SIZE, (0..bins).map(|bin| filter(bin, bins)).collect()),
            fade: (0..SIZE).map(|at| 0.5 - 0.5 * phase(at).cos()).collect(),
            bins,
        }
    }

    pub(super) fn bins(&self) -> usize {
        self.bins
    }

    /// Fills `spectrum`, column × bin, with silence after the samples.
    pub(super) fn run(
        &self,
        samples: &[f32],
        buffers: &mut MelBuffers,
        spectrum: &mut [f32],
        pause: Pause<'_>,
    ) -> Result<(), EngineError> {
        let columns = (samples.len() / HOP + 2).min(spectrum.len() / self.bins);
        let padded = buffers.pad(samples, columns);
        let mut analyzer = self.filterbank.analyzer();
        let mut loudest = LOG_FLOOR;
        for (nth, column) in spectrum.chunks_exact_mut(self.bins).take(columns).enumerate() {
            if nth.is_multiple_of(COLUMNS_AT_ONCE) {
                pause()?;
            }
            let frame = padded[nth * HOP..nth * HOP + SIZE].iter().zip(&self.fade);
            for (value, (sample, fade)) in analyzer.frame().iter_mut().zip(frame) {
                *value = sample * fade;
            }
            for (value, energy) in column.iter_mut().zip(analyzer.energies()) {
                *value = energy;
            }
            loudest = loudest.max(to_logarithms(column));
        }
        let (audio, silence) = spectrum.split_at_mut(columns * self.bins);
        let floor = (loudest - RANGE).max(LOG_FLOOR);
        audio.iter_mut().for_each(|value| *value = (value.max(floor) + 4.0) / 4.0);
        silence.fill((floor + 4.0) / 4.0);
        Ok(())
    }
}

impl MelBuffers {
    /// A column is centered on its first sample, so that it begins 200 samples earlier: in a mirror at the start.
    fn pad(&mut self, samples: &[f32], columns: usize) -> &[f32] {
        let mirrored = (1..=SIZE / 2).rev().map(|at| samples.get(at).copied().unwrap_or(0.0));
        self.padded.clear();
        self.padded.extend(mirrored);
        self.padded.extend_from_slice(samples);
        self.padded.resize((columns * HOP + SIZE).max(self.padded.len()), 0.0);
        &self.padded
    }
}

/// Replaces energies by their logarithms to base ten and returns the largest.
fn to_logarithms(energies: &mut [f32]) -> f32 {
    for energy in energies.iter_mut() {
        *energy = log10(energy.max(FLOOR));
    }
    energies.iter().copied().fold(LOG_FLOOR, f32::max)
}

/// The logarithm of a positive number, to six digits. Unlike the standard library's, it compiles to vector code.
fn log10(x: f32) -> f32 {
    const LOG10_2: f32 = std::f32::consts::LOG10_2;
    const LOG10_E: f32 = std::f32::consts::LOG10_E;
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = f32::from_bits(bits & 0x007F_FFFF | 0x3F80_0000);
    // ln m = 2 artanh((m − 1) / (m + 1)), by its series.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let mut sum = 1.0 / 13.0;
    for divisor in [11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / divisor;
    }
    exponent as f32 * LOG10_2 + 2.0 * t * sum * LOG10_E
}

/// A triangle on the mel scale with area one.
fn filter(bin: usize, bins: usize) -> Filter {
    let low = edge(bin, bins);
    let middle = edge(bin + 1, bins);
    let high = edge(bin + 2, bins);
    Filter::new(0..SIZE / 2 + 1, |line| {
        let hertz = line as f64 * f64::from(SAMPLE_RATE) / SIZE as f64;
        let slope = ((hertz - low) / (middle - low)).min((high - hertz) / (high - middle));
        (slope.max(0.0) * 2.0 / (high - low)) as f32
    })
}

/// The nth edge of the bins, in hertz.
fn edge(nth: usize, bins: usize) -> f64 {
    mel_to_hertz(hertz_to_mel(HIGHEST_HERTZ) * nth as f64 / (bins + 1) as f64)
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

    fn spectrum(samples: &[f32], bins: usize, columns: usize) -> Vec<f32> {
        let mut spectrum = vec![f32::NAN; bins * columns];
        MelSpectrum::new(bins).run(samples, &mut MelBuffers::default(), &mut spectrum, &|| Ok(())).unwrap();
        spectrum
    }

    fn tone(hertz: f32) -> Vec<f32> {
        (0..16_000).map(|n| (n as f32 * std::f32::consts::TAU * hertz / 16_000.0).sin()).collect()
    }

    #[test]
    fn the_spectrum_of_silence_is_flat() {
        let spectrum = spectrum(&[0.0; 16_000], 80, 150);
        assert!(spectrum.iter().all(|value| (*value - spectrum[0]).abs() < 1e-6));
        assert!((spectrum[0] - (LOG_FLOOR + 4.0) / 4.0).abs() < 1e-6);
    }

    #[test]
    fn a_tone_is_loudest_in_its_bin_whatever_their_number() {
        for bins in [80, 128] {
            let spectrum = spectrum(&tone(1_000.0), bins, 100);
            let column = &spectrum[50 * bins..51 * bins];
            let loudest = auris_kernels::argmax(column);
            assert!(edge(loudest, bins) < 1_000.0 && edge(loudest + 2, bins) > 1_000.0);
        }
    }

    #[test]
    fn silence_after_the_samples_is_eight_powers_below_the_loudest() {
        let spectrum = spectrum(&tone(440.0), 80, 300);
        let loudest = spectrum.iter().copied().fold(f32::MIN, f32::max);
        let last = spectrum[299 * 80];
        assert!((loudest - last - RANGE / 4.0).abs() < 1e-5);
        assert!(spectrum[150 * 80..].iter().all(|value| *value == last));
    }

    #[test]
    fn fewer_samples_than_a_column_and_none_at_all_give_a_spectrum() {
        assert!(spectrum(&[0.1; 20], 80, 10).iter().all(|value| value.is_finite()));
        assert!(spectrum(&[], 80, 10).iter().all(|value| value.is_finite()));
    }

    #[test]
    fn logarithms_are_right_to_six_digits() {
        let mut x = FLOOR;
        while x < 1e9 {
            assert!((log10(x) - x.log10()).abs() < 3e-6, "{x}: {} {}", log10(x), x.log10());
            x *= 1.01;
        }
    }
}
