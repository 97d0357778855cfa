//! A recording as windows of ten seconds that overlap by half; only the samples still needed are kept.

use std::collections::VecDeque;
use std::ops::Range;

use super::segmentation::{FRAMES, SHIFT, WINDOW};

/// Frames from the start of one window to that of the next: five seconds, to the frame, so that all windows share one
/// grid of frames. A fifth of this, as others take, costs five times the work; what it gains stands in docs/models.md.
pub(crate) const HOP: usize = 296;
/// Where the part of a window begins that is its own: the middle, which is what it hears best.
const OWN: usize = (FRAMES - HOP) / 2;

/// Samples in, windows out.
#[derive(Default)]
pub(crate) struct Windows {
    samples: VecDeque<f32>,
    given: bool,
}

/// One window, whole: the last is filled up with silence.
pub(crate) struct Window {
    pub(crate) samples: Vec<f32>,
    /// The frames that no other window calls its own; in all windows together every frame is.
    pub(crate) own: Range<usize>,
}

impl Windows {
    /// Takes samples and gives the windows that they complete.
    pub(crate) fn push(&mut self, samples: &[f32]) -> Vec<Window> {
        self.samples.extend(samples);
        let mut windows = Vec::new();
        // One sample more, so that the last window is always the one that `finish` gives.
        while self.samples.len() > WINDOW {
            windows.push(self.next(OWN + HOP));
            self.samples.drain(..HOP * SHIFT);
        }
        windows
    }

    /// The last window; none where there were no samples.
    pub(crate) fn finish(&mut self) -> Option<Window> {
        (!self.samples.is_empty()).then(|| self.next(FRAMES))
    }

    fn next(&mut self, end: usize) -> Window {
        let mut samples: Vec<f32> = self.samples.iter().take(WINDOW).copied().collect();
        samples.resize(WINDOW, 0.0);
        let begin = if self.given { OWN } else { 0 };
        self.given = true;
        Window { samples, own: begin..end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(length: usize, piece: usize) -> Vec<Window> {
        let (mut cutter, samples) = (Windows::default(), vec![1.0; length]);
        let mut found: Vec<Window> = samples.chunks(piece).flat_map(|piece| cutter.push(piece)).collect();
        found.extend(cutter.finish());
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
    fn every_frame_is_one_windows_own() {
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
