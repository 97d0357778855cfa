//! The spectrum that the voice detector reads: four overlapping frames of 16 ms per window.

use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

/// Frames of a window.
pub(super) const FRAMES: usize = 4;
/// Samples of a frame, and from one frame to the next.
const LENGTH: usize = 256;
const HOP: usize = LENGTH / 2;

/// A windowed Fourier transform.
pub(super) struct Spectrum {
    fade: Vec<f32>,
    transform: Arc<dyn RealToComplex<f32>>,
}

impl Spectrum {
    /// `basis` is the transform as the model's file contains it, as a product: a row of samples for the cosine of each
    /// line, then one for each sine. The fast transform gives the same; the first row, whose cosine is one, is its
    /// window.
    pub(super) fn new(basis: &[f32]) -> Self {
        Self {
            fade: basis.iter().copied().take(LENGTH).collect(),
            transform: RealFftPlanner::new().plan_fft_forward(LENGTH),
        }
    }

    /// Appends the magnitudes of the lines, frame by frame, of windows of `length` samples, one every `step` samples.
    pub(super) fn append(&self, windows: Windows<'_>, magnitudes: &mut Vec<f32>) {
        let mut frame = self.transform.make_input_vec();
        let mut lines = self.transform.make_output_vec();
        let mut scratch = self.transform.make_scratch_vec();
        for window in windows.samples.windows(windows.length).step_by(windows.step) {
            for nth in 0..FRAMES {
                fill(&mut frame, window, nth * HOP);
                frame.iter_mut().zip(&self.fade).for_each(|(sample, fade)| *sample *= fade);
                let done = self.transform.process_with_scratch(&mut frame, &mut lines, &mut scratch);
                if done.is_err() {
                    // The transform fails only if the buffers have a wrong size, and it created them itself.
                    lines.fill(Complex::default());
                }
                magnitudes.extend(lines.iter().map(|line| line.norm_sqr().sqrt()));
            }
        }
    }
}

/// Overlapping windows of samples.
#[derive(Debug, Clone, Copy)]
pub(super) struct Windows<'a> {
    pub(super) samples: &'a [f32],
    pub(super) length: usize,
    pub(super) step: usize,
}

/// Copies the samples from `start` on. After the end of the window they are mirrored.
fn fill(frame: &mut [f32], window: &[f32], start: usize) {
    let inside = (window.len() - start).min(frame.len());
    let (own, mirrored) = frame.split_at_mut(inside);
    own.copy_from_slice(&window[start..start + inside]);
    let back = window.iter().rev().skip(1);
    mirrored.iter_mut().zip(back).for_each(|(sample, back)| *sample = *back);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spectral lines of a frame.
    const LINES: usize = LENGTH / 2 + 1;

    fn basis() -> Vec<f32> {
        let angle =
            |line: usize, at: usize| std::f64::consts::TAU * (line * at % LENGTH) as f64 / LENGTH as f64;
        let fade = |at: usize| 0.5 - 0.5 * angle(1, at).cos();
        let rows = (0..LINES).map(|line| (line, false)).chain((0..LINES).map(|line| (line, true)));
        rows.flat_map(|(line, sine)| {
            (0..LENGTH).map(move |at| {
                let angle = angle(line, at);
                (fade(at) * if sine { -angle.sin() } else { angle.cos() }) as f32
            })
        })
        .collect()
    }

    #[test]
    fn the_fast_transform_equals_the_product_with_the_basis() {
        let basis = basis();
        let samples: Vec<f32> = (0..576).map(|at| ((at * at) as f32 * 0.01).sin()).collect();
        let mut fast = Vec::new();
        Spectrum::new(&basis)
            .append(Windows { samples: &samples, length: samples.len(), step: 512 }, &mut fast);
        assert_eq!(fast.len(), FRAMES * LINES);
        let mut padded = samples.clone();
        padded.extend((0..64).map(|at| samples[574 - at]));
        for (nth, lines) in fast.chunks_exact(LINES).enumerate() {
            let frame = &padded[nth * HOP..][..LENGTH];
            let product = |row: usize| -> f32 {
                basis[row * LENGTH..][..LENGTH].iter().zip(frame).map(|(one, other)| one * other).sum()
            };
            for (line, magnitude) in lines.iter().enumerate() {
                let slow = product(line).hypot(product(LINES + line));
                assert!((magnitude - slow).abs() < 1e-3, "line {line} of frame {nth}: {magnitude}, {slow}");
            }
        }
    }
}
