//! Cuts a recording into windows of ten seconds that overlap by half. Keeps only the samples that it still needs.

use std::collections::VecDeque;
use std::ops::Range;

use auris_audio::pipeline::Cutter;
use auris_engine_core::EngineError;

use super::segmentation::{FRAMES, SHIFT, WINDOW};

/// Frames from the start of one window to the start of the next: five seconds, in whole frames, so that all windows
/// share one grid of frames. Other programs use a fifth of this, which costs five times the work; docs/models.md has
/// the error rates of both.
pub(crate) const HOP: usize = 296;
/// The first frame that a window is responsible for. The model recognizes the middle of a window best.
const OWN: usize = (FRAMES - HOP) / 2;

/// The cutter.
#[derive(Default)]
pub(crate) struct Windows {
    samples: VecDeque<f32>,
    /// Whether the first window was returned.
    started: bool,
}

/// One window of full length; the last one is padded with silence.
pub(crate) struct Window {
    pub(crate) samples: Vec<f32>,
    /// The frames that this window is responsible for. Every frame of the recording belongs to exactly one window.
    pub(crate) own: Range<usize>,
}

impl Cutter for Windows {
    type Unit = Window;

    fn push(&mut self, samples: &[f32]) -> Result<Vec<Window>, EngineError> {
        self.samples.extend(samples);
        let mut windows = Vec::new();
        // Keeps a window that is exactly complete, so that `finish` always returns the last one.
        while self.samples.len() > WINDOW {
            windows.push(self.next(OWN + HOP));
            self.samples.drain(..HOP * SHIFT);
        }
        Ok(windows)
    }

    fn finish(&mut self) -> Result<Vec<Window>, EngineError> {
        if self.samples.is_empty() { Ok(vec![]) } else { Ok(vec![self.next(FRAMES)]) }
    }
}

impl Windows {
    fn next(&mut self, end: usize) -> Window {
        let mut samples: Vec<f32> = self.samples.iter().take(WINDOW).copied().collect();
        samples.resize(WINDOW, 0.0);
        let begin = if self.started { OWN } else { 0 };
        self.started = true;
        Window { samples, own: begin..end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(length: usize, piece: usize) -> Vec<Window> {
        let mut cutter = Windows::default();
        let samples = vec![1.0; length];
        let mut found: Vec<Window> =
            samples.chunks(piece).flat_map(|piece| cutter.push(piece).unwrap()).collect();
        found.extend(cutter.finish().unwrap());
        found
    }

    /// The lengths without the silence at the end.
    fn lengths(length: usize, piece: usize) -> Vec<usize> {
        let windows = windows(length, piece);
        assert!(windows.iter().all(|window| window.samples.len() == WINDOW));
        windows.iter().map(|window| window.samples.iter().filter(|sample| **sample != 0.0).count()).collect()
    }

    #[test]
    fn every_sample_is_in_a_window() {
        let hop = HOP * SHIFT;
        assert_eq!(lengths(0, 1), [0; 0]);
        assert_eq!(lengths(16_000, 8_000), [16_000]);
        assert_eq!(lengths(WINDOW, 8_000), [WINDOW]);
        assert_eq!(lengths(WINDOW + 1, 999), [WINDOW, WINDOW + 1 - hop]);
        assert_eq!(lengths(WINDOW + hop, 50_000), [WINDOW, WINDOW]);
    }

    #[test]
    fn every_frame_belongs_to_one_window() {
        for length in [8_000, WINDOW, WINDOW + 1, 5 * WINDOW] {
            let windows = windows(length, 8_000);
            let own = windows
                .iter()
                .enumerate()
                .map(|(at, window)| at * HOP + window.own.start..at * HOP + window.own.end);
            let own: Vec<Range<usize>> = own.collect();
            assert_eq!(own[0].start, 0);
            assert!(own.windows(2).all(|pair| pair[0].end == pair[1].start), "{own:?}");
            assert_eq!(own[own.len() - 1].end, (own.len() - 1) * HOP + FRAMES);
        }
    }
}
