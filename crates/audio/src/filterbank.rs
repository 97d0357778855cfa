//! The filterbank that speech and diarization share: the energy of an audio frame in bands of its spectrum.
//!
//! Hand-written because each model must get the exact features it was trained on (Whisper's and Kaldi's differ in
//! window, scale and normalization), and no crate computes both.

use std::ops::Range;
use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

/// The weights of one band, from its first spectral line on.
pub struct Filter {
    first_line: usize,
    weights: Vec<f32>,
}

impl Filter {
    /// A filter with the lines of `lines` whose weight is positive. They must be adjacent.
    pub fn new(lines: Range<usize>, weight: impl Fn(usize) -> f32) -> Self {
        let lines: Vec<usize> = lines.filter(|line| weight(*line) > 0.0).collect();
        let first_line = lines.first().copied().unwrap_or(0);
        Self { first_line, weights: lines.into_iter().map(weight).collect() }
    }
}

/// A Fourier transform followed by filters.
pub struct Filterbank {
    transform: Arc<dyn RealToComplex<f32>>,
    filters: Vec<Filter>,
}

impl Filterbank {
    /// Filters for frames of `size` samples.
    pub fn new(size: usize, filters: Vec<Filter>) -> Self {
        Self { transform: RealFftPlanner::new().plan_fft_forward(size), filters }
    }

    /// An analyzer with its own buffers.
    pub fn analyzer(&self) -> Analyzer<'_> {
        Analyzer {
            bank: self,
            frame: self.transform.make_input_vec(),
            spectrum: self.transform.make_output_vec(),
            scratch: self.transform.make_scratch_vec(),
        }
    }
}

/// Computes frame after frame.
pub struct Analyzer<'a> {
    bank: &'a Filterbank,
    frame: Vec<f32>,
    spectrum: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
}

impl Analyzer<'_> {
    /// The samples of the next frame, to be filled by the caller. They hold arbitrary values after `energies`.
    pub fn frame(&mut self) -> &mut [f32] {
        &mut self.frame
    }

    /// The energy of the frame in each band.
    pub fn energies(&mut self) -> impl Iterator<Item = f32> {
        let done =
            self.bank.transform.process_with_scratch(&mut self.frame, &mut self.spectrum, &mut self.scratch);
        if done.is_err() {
            // The transform fails only if the buffers have a wrong size, and it created them itself.
            self.spectrum.fill(Complex::default());
        }
        self.bank.filters.iter().map(|filter| {
            let lines = &self.spectrum[filter.first_line..];
            filter.weights.iter().zip(lines).map(|(weight, line)| weight * line.norm_sqr()).sum()
        })
    }
}
