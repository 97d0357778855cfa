//! Converts any sample rate to 16 kHz, block by block, without the filter's delay at the start and its tail at the end.

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Indexing, Resampler as _, WindowFunction};

use super::samples::SAMPLE_RATE;
use crate::EngineError;

/// Supported sample rates. Others come from damaged headers and would need enormous filters.
const RATES: std::ops::RangeInclusive<u32> = 2_000..=384_000;
/// Minimum frames of a filter block; fewer lose high frequencies.
const BLOCK: usize = 1_024;

/// A converter from one rate to 16 kHz.
pub(super) struct Resampler {
    rate: u32,
    filter: Option<Fft<f32>>,
    waiting: Vec<f32>,
    /// Output frames still to be dropped: the filter's delay.
    skip: usize,
    /// Frames received and frames returned so far.
    received: u64,
    returned: u64,
}

impl Resampler {
    pub(super) fn new(rate: u32) -> Result<Self, EngineError> {
        if !RATES.contains(&rate) {
            return Err(EngineError::unsupported(format!("The sample rate of {rate} Hz is not supported.")));
        }
        let filter = if rate == SAMPLE_RATE { None } else { Some(filter(rate)?) };
        let skip = filter.as_ref().map_or(0, |filter| filter.output_delay());
        Ok(Self { rate, filter, waiting: Vec::new(), skip, received: 0, returned: 0 })
    }

    pub(super) fn rate(&self) -> u32 {
        self.rate
    }

    /// Receives frames at the source rate and appends the converted ones to `output`.
    pub(super) fn push(&mut self, frames: &[f32], output: &mut Vec<f32>) -> Result<(), EngineError> {
        self.received += frames.len() as u64;
        if self.filter.is_none() {
            self.returned += frames.len() as u64;
            output.extend_from_slice(frames);
            return Ok(());
        }
        self.waiting.extend_from_slice(frames);
        self.drain(output)
    }

    /// Appends the rest, so that the output has the duration of the source.
    pub(super) fn finish(&mut self, output: &mut Vec<f32>) -> Result<(), EngineError> {
        let due = (self.received * u64::from(SAMPLE_RATE)).div_ceil(u64::from(self.rate));
        while self.filter.is_some() && self.returned < due {
            let missing = self.needed().saturating_sub(self.waiting.len()).max(1);
            self.waiting.resize(self.waiting.len() + missing, 0.0);
            self.drain(output)?;
        }
        let surplus = self.returned.saturating_sub(due) as usize;
        output.truncate(output.len().saturating_sub(surplus));
        self.returned = due;
        Ok(())
    }

    fn needed(&self) -> usize {
        self.filter.as_ref().map_or(1, |filter| filter.input_frames_next())
    }

    fn drain(&mut self, output: &mut Vec<f32>) -> Result<(), EngineError> {
        let mut at = 0;
        while self.waiting.len() - at >= self.needed() {
            at += self.convert(at, output)?;
        }
        self.waiting.drain(..at);
        Ok(())
    }

    fn convert(&mut self, at: usize, output: &mut Vec<f32>) -> Result<usize, EngineError> {
        let Some(filter) = &mut self.filter else {
            return Ok(0);
        };
        let before = output.len();
        let frames = filter.output_frames_next();
        output.resize(before + frames, 0.0);
        let source =
            InterleavedSlice::new(&self.waiting, 1, self.waiting.len()).map_err(EngineError::internal)?;
        let mut target =
            InterleavedSlice::new_mut(&mut output[before..], 1, frames).map_err(EngineError::internal)?;
        let indexing = Indexing::new().input_offset(at);
        let (read, written) = filter
            .process_into_buffer(&source, &mut target, Some(&indexing))
            .map_err(EngineError::internal)?;
        output.truncate(before + written);
        let skipped = self.skip.min(written);
        output.drain(before..before + skipped);
        self.skip -= skipped;
        self.returned += (written - skipped) as u64;
        Ok(read)
    }
}

fn filter(rate: u32) -> Result<Fft<f32>, EngineError> {
    let window = WindowFunction::BlackmanHarris2;
    // Twice the smallest block that fits both rates, because an odd block would shift the audio by half a frame.
    let smallest = 2 * rate as usize / greatest_common_divisor(rate, SAMPLE_RATE) as usize;
    // A power of two of them, because a transform is slow if its length has a large prime factor.
    let block = smallest * BLOCK.div_ceil(smallest).next_power_of_two();
    Fft::new_custom(rate as usize, SAMPLE_RATE as usize, block, 1, 1, window, FixedSync::Input)
        .map_err(EngineError::internal)
}

fn greatest_common_divisor(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(rate: u32, frames: usize) -> Vec<f32> {
        (0..frames).map(|n| (n as f32 / rate as f32 * 440.0 * std::f32::consts::TAU).sin()).collect()
    }

    fn resample(rate: u32, frames: &[f32], piece: usize) -> Vec<f32> {
        let mut resampler = Resampler::new(rate).unwrap();
        let mut output = Vec::new();
        for piece in frames.chunks(piece) {
            resampler.push(piece, &mut output).unwrap();
        }
        resampler.finish(&mut output).unwrap();
        output
    }

    #[test]
    fn a_tone_keeps_its_length_and_phase_at_every_rate() {
        for rate in [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000] {
            let output = resample(rate, &tone(rate, rate as usize), 1_152);
            let expected = tone(SAMPLE_RATE, output.len());
            assert_eq!(output.len(), SAMPLE_RATE as usize, "{rate}");
            let worst = (1_000..15_000).map(|n| (output[n] - expected[n]).abs()).fold(0.0, f32::max);
            assert!(worst < 0.01, "{rate}: {worst}");
        }
    }

    #[test]
    fn the_block_size_does_not_change_the_output() {
        let source = tone(44_100, 30_000);
        assert_eq!(resample(44_100, &source, 7), resample(44_100, &source, 30_000));
    }

    #[test]
    fn a_few_frames_are_converted_completely() {
        assert_eq!(resample(48_000, &[0.5; 3], 3).len(), 1);
        assert!(resample(48_000, &[], 1).is_empty());
    }

    #[test]
    fn rates_of_damaged_headers_are_refused() {
        assert!(Resampler::new(0).is_err());
        assert!(Resampler::new(u32::MAX).is_err());
    }
}
