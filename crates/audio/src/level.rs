//! Raises quiet recordings to a common level, so that a voice detector and a model that were trained on ordinary
//! recordings understand them. Recordings that are loud enough are not changed at all.
//!
//! The level is measured in blocks, and the gain of a block depends on the blocks around it. A click affects one frame of
//! a block, and a slammed door a few blocks, so neither changes the gain. Steady noise is not raised: it has no pauses,
//! and speech has.

use std::collections::VecDeque;

/// Samples of a frame: 10 ms.
const FRAME: usize = 160;
/// Samples of a block: ten frames.
const BLOCK: usize = 10 * FRAME;
/// Blocks before and after a block that its gain depends on: two seconds each.
const AROUND: usize = 20;
/// The gain of a block depends on the third-loudest block around it, so that one or two loud blocks do not change it.
const RANK: usize = 3;
/// Speech below this level, in decibels of full scale, is raised.
const ENOUGH: f32 = -40.0;
/// While speech is being raised, the limit is this many decibels higher, so that speech around the limit keeps one gain.
const STEADY: f32 = 4.0;
/// The level to which speech is raised: that of ordinary recordings.
const TARGET: f32 = -26.0;
/// Maximum gain in decibels. Speech that is even quieter is lost in the rounding noise of 16-bit samples.
const MAX_GAIN: f32 = 50.0;
/// Below this level there is nothing to raise, only the rounding noise of 16-bit samples.
const SILENCE: f32 = -85.0;
/// Minimum decibels between speech and the pauses around it. Steady noise varies less.
const MIN_RANGE: f32 = 8.0;
/// Sounds that are at least this many decibels quieter than the speech before them count as background. They get the
/// gain of a sound that is exactly this much quieter.
const BACKGROUND: f32 = 15.0;
/// The level of the speech before, which that comparison uses, falls by this many decibels per block. So a speaker who is
/// much quieter than the one before gets the full gain after a while.
const RECOVERY: f32 = 0.1;

/// Brings samples of 16 kHz to a common level as they arrive. Its output is two seconds behind its input.
pub struct Leveler {
    /// Samples that are still to be returned: the block `next` and what follows it.
    waiting: Vec<f32>,
    /// The levels of the next block to be returned, of up to `AROUND` blocks before it, and of those after it.
    levels: VecDeque<f32>,
    /// The index in `levels` of the next block to be returned.
    next: usize,
    /// The level of the speech before. It falls by `RECOVERY` with each block.
    speech: f32,
    /// The gain at the end of the last block.
    gain: f32,
}

impl Default for Leveler {
    fn default() -> Self {
        Self { waiting: Vec::new(), levels: VecDeque::new(), next: 0, speech: f32::NEG_INFINITY, gain: 1.0 }
    }
}

impl Leveler {
    /// Takes the next samples and returns those whose gain is known.
    pub fn push(&mut self, samples: &[f32]) -> Vec<f32> {
        self.waiting.extend_from_slice(samples);
        let measured = self.levels.len() - self.next;
        let blocks = self.waiting.chunks_exact(BLOCK).skip(measured);
        self.levels.extend(blocks.map(block_level));
        let known = (self.levels.len() - self.next).saturating_sub(AROUND);
        self.raise(known)
    }

    /// Ends the recording and returns the last samples.
    pub fn finish(&mut self) -> Vec<f32> {
        let measured = (self.levels.len() - self.next) * BLOCK;
        if let Some(rest) = self.waiting.get(measured..).filter(|rest| !rest.is_empty()) {
            self.levels.push_back(block_level(rest));
        }
        self.raise(self.levels.len() - self.next)
    }

    /// Returns the next blocks with their gains.
    fn raise(&mut self, blocks: usize) -> Vec<f32> {
        let end = (blocks * BLOCK).min(self.waiting.len());
        let mut raised: Vec<f32> = self.waiting.drain(..end).collect();
        for block in raised.chunks_mut(BLOCK) {
            let gain = self.next_gain();
            apply(block, self.gain, gain);
            self.gain = gain;
        }
        raised
    }

    /// The gain at the end of the next block.
    fn next_gain(&mut self) -> f32 {
        let end = (self.next + AROUND + 1).min(self.levels.len());
        let begin = self.next.saturating_sub(AROUND);
        let mut around: Vec<f32> = self.levels.range(begin..end).copied().collect();
        around.sort_by(f32::total_cmp);
        if self.next < AROUND {
            self.next += 1;
        } else {
            self.levels.pop_front();
        }
        let rank = around.len().div_ceil(4).clamp(1, RANK);
        let level = around[around.len() - rank];
        let range = level - around[around.len() / 10];
        self.speech = level.max(self.speech - RECOVERY);
        if level < SILENCE || range < MIN_RANGE {
            return 1.0;
        }
        let level = level.max(self.speech - BACKGROUND);
        let enough = if self.gain > 1.0 { ENOUGH + STEADY } else { ENOUGH };
        if level >= enough { 1.0 } else { amplitude((TARGET - level).min(MAX_GAIN)) }
    }
}

/// The level of a block in decibels: the median of its frames, which a click does not change.
fn block_level(block: &[f32]) -> f32 {
    let power = |frame: &[f32]| frame.iter().map(|sample| sample * sample).sum::<f32>() / frame.len() as f32;
    let mut frames: Vec<f32> = block.chunks(FRAME).map(power).collect();
    frames.sort_by(f32::total_cmp);
    10.0 * frames[frames.len() / 2].max(1e-12).log10()
}

fn amplitude(decibels: f32) -> f32 {
    10f32.powf(decibels / 20.0)
}

/// Multiplies the samples by a gain that changes evenly, and limits them to full scale.
fn apply(samples: &mut [f32], from: f32, to: f32) {
    if from == 1.0 && to == 1.0 {
        return;
    }
    let step = (to - from) / samples.len() as f32;
    for (nth, sample) in samples.iter_mut().enumerate() {
        *sample = (*sample * (from + step * nth as f32)).clamp(-1.0, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Syllables: 0.2 seconds of a sound, 0.1 seconds of almost none.
    fn syllables(seconds: usize, level: f32) -> Vec<f32> {
        let sample = |n: usize| {
            let loud = if n % 4_800 < 3_200 { 1.0 } else { 0.01 };
            (n as f32 * 0.3).sin() * loud * amplitude(level + 3.0)
        };
        (0..seconds * 16_000).map(sample).collect()
    }

    fn noise(seconds: usize, level: f32) -> Vec<f32> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 / (1 << 23) as f32 - 1.0) * amplitude(level + 4.8)
        };
        (0..seconds * 16_000).map(|_| next()).collect()
    }

    fn leveled(samples: &[f32], piece: usize) -> Vec<f32> {
        let mut leveler = Leveler::default();
        let mut raised: Vec<f32> = samples.chunks(piece).flat_map(|piece| leveler.push(piece)).collect();
        raised.extend(leveler.finish());
        assert_eq!(raised.len(), samples.len());
        raised
    }

    /// The root mean square in decibels.
    fn level(samples: &[f32]) -> f32 {
        10.0 * (samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32).log10()
    }

    #[test]
    fn ordinary_recordings_stay_as_they_are() {
        for samples in [syllables(7, -20.0), syllables(7, -35.0), vec![0.0; 50_001], vec![0.1; 7], vec![]] {
            assert_eq!(leveled(&samples, 8_000), samples);
        }
    }

    #[test]
    fn quiet_speech_is_raised_to_the_level_of_ordinary_recordings() {
        for quiet in [-45.0, -55.0, -70.0] {
            let raised = leveled(&syllables(6, quiet), 8_000);
            let found = level(&raised);
            assert!((found - level(&syllables(6, TARGET))).abs() < 3.0, "{quiet}: {found}");
        }
    }

    #[test]
    fn speech_around_the_limit_gets_one_gain() {
        let quiet = [-42.0, -39.0, -41.0, -38.0, -41.0, -39.0].map(|level| syllables(5, level)).concat();
        let raised = leveled(&quiet, 8_000);
        let seconds: Vec<f32> = raised.chunks(16_000).map(level).collect();
        let steps = seconds.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        assert!(steps.fold(0.0, f32::max) < 5.0, "{seconds:?}");
        assert!(seconds.iter().all(|level| *level > -33.0), "{seconds:?}");
    }

    #[test]
    fn a_single_quiet_word_is_raised() {
        let word = [vec![0.0; 8_000], syllables(1, -55.0)[..6_400].to_vec(), vec![0.0; 8_000]].concat();
        assert!(level(&leveled(&word, 8_000)[8_000..14_400]) > -35.0);
    }

    #[test]
    fn steady_noise_and_silence_with_rounding_are_not_raised() {
        for samples in [noise(10, -60.0), noise(10, -45.0), noise(10, -97.0)] {
            assert_eq!(leveled(&samples, 8_000), samples);
        }
        let dither: Vec<f32> = noise(10, -97.0).iter().map(|x| (x * 32_768.0).round() / 32_768.0).collect();
        assert_eq!(leveled(&dither, 8_000), dither);
    }

    #[test]
    fn clicks_do_not_set_the_level() {
        let mut clicks = syllables(10, -55.0);
        clicks.iter_mut().step_by(12_000).for_each(|sample| *sample = 0.9);
        let raised = leveled(&clicks, 8_000);
        assert!(level(&raised[20_000..23_000]) > -35.0);
        assert!(raised.iter().all(|sample| sample.abs() <= 1.0));
    }

    #[test]
    fn a_pause_in_speech_is_not_raised_and_a_quiet_speaker_is_after_a_while() {
        let pause = noise(4, -60.0);
        let speech = [syllables(6, -22.0), pause, syllables(6, -22.0)].concat();
        assert_eq!(leveled(&speech, 8_000), speech);
        let two = [syllables(6, -22.0), syllables(20, -55.0), syllables(6, -22.0)].concat();
        let raised = leveled(&two, 8_000);
        assert_eq!(raised[..80_000], two[..80_000]);
        assert!(level(&raised[20 * 16_000..23 * 16_000]) > -35.0);
        assert!(raised[26 * 16_000 + 1_600..] == two[26 * 16_000 + 1_600..], "the loud speaker stays loud");
    }

    #[test]
    fn the_chunk_size_does_not_change_the_result() {
        let samples = [syllables(3, -50.0), syllables(4, -20.0), noise(3, -50.0)].concat();
        assert_eq!(leveled(&samples, 777), leveled(&samples, samples.len()));
    }
}
