//! The margins of a segment that is a single short word.

use std::ops::Range;

use super::net::FRAME;
use super::segments::VoiceSegment;
use crate::SAMPLE_RATE;

/// Segments of this many frames or fewer are a word: 1.3 seconds with their margins.
const WORD_FRAMES: usize = 40;
/// Samples of a window whose loudness is measured: 10 ms.
const WINDOW: usize = 160;
/// What has less than this part of the power of the loudest window, 35 decibels below it, is margin.
const QUIET: f32 = 3.2e-4;
/// Minimum samples of a margin: 50 ms. With more, models without their own detector take a short word for silence.
const MARGIN: i64 = 800;

impl VoiceSegment {
    /// The segment with short margins if it is a single word, and otherwise as it is. Where the recording begins or ends
    /// with the word, the margin is silence.
    pub fn with_word_margins(self) -> Self {
        if self.voice.len() > WORD_FRAMES {
            return self;
        }
        let Some(word) = loud_samples(&self.samples) else { return self };
        let begin = (word.start as i64 - MARGIN).div_euclid(FRAME as i64);
        let end = (word.end as i64 + MARGIN + FRAME as i64 - 1).div_euclid(FRAME as i64);
        self.with_frames(begin..end)
    }

    /// The frames from `begin` to `end` of the segment, which may lie outside of it: there it is silent.
    fn with_frames(&self, frames: Range<i64>) -> Self {
        let frame = |at: i64| {
            let begin = usize::try_from(at).ok()? * FRAME;
            self.samples.get(begin..(begin + FRAME).min(self.samples.len()))
        };
        let mut samples = Vec::with_capacity(frames.clone().count() * FRAME);
        for at in frames.clone() {
            let end = samples.len() + FRAME;
            samples.extend_from_slice(frame(at).unwrap_or_default());
            samples.resize(end, 0.0);
        }
        let probability = |at: i64| usize::try_from(at).ok().and_then(|at| self.voice.get(at)).copied();
        let voice = frames.clone().map(|at| probability(at).unwrap_or_default()).collect();
        let shift = (frames.start * FRAME as i64) as f64 / f64::from(SAMPLE_RATE);
        Self { start: self.start + shift, samples, voice }
    }
}

/// From the first to the last sample that is not quiet; `None` if there are no samples.
fn loud_samples(samples: &[f32]) -> Option<Range<usize>> {
    let power = |window: &[f32]| window.iter().map(|sample| sample * sample).sum::<f32>();
    let powers: Vec<f32> = samples.chunks(WINDOW).map(power).collect();
    let quiet = QUIET * powers.iter().copied().fold(0.0, f32::max);
    let first = powers.iter().position(|power| *power > quiet)?;
    let last = powers.iter().rposition(|power| *power > quiet)?;
    Some(first * WINDOW..((last + 1) * WINDOW).min(samples.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of silence, then of a sound, then of silence.
    fn segment(before: usize, sound: usize, after: usize) -> VoiceSegment {
        let samples =
            [vec![0.0; before * FRAME], vec![0.5; sound * FRAME], vec![0.0; after * FRAME]].concat();
        let voice = [vec![0.1; before], vec![0.9; sound], vec![0.1; after]].concat();
        VoiceSegment { start: 4.0, samples, voice }
    }

    #[test]
    fn a_word_keeps_little_of_the_silence_around_it() {
        let word = segment(8, 10, 8).with_word_margins();
        assert_eq!(word.voice, segment(2, 10, 2).voice);
        assert_eq!(word.samples, segment(2, 10, 2).samples);
        assert!((word.start - (4.0 + 6.0 * 0.032)).abs() < 1e-9);
    }

    #[test]
    fn a_word_at_the_edge_of_the_recording_gets_silence() {
        let mut cut = segment(0, 10, 0);
        cut.samples.truncate(10 * FRAME - 100);
        let word = cut.with_word_margins();
        assert_eq!((word.voice.len(), word.samples.len()), (14, 14 * FRAME));
        assert_eq!((word.voice[1], word.voice[2], word.samples[2 * FRAME]), (0.0, 0.9, 0.5));
        assert!((word.start - (4.0 - 2.0 * 0.032)).abs() < 1e-9);
    }

    #[test]
    fn longer_segments_and_silence_stay_as_they_are() {
        for other in [segment(8, 60, 8), segment(20, 0, 0), segment(0, 0, 0)] {
            assert_eq!(other.clone().with_word_margins(), other);
        }
    }
}
