//! The waveform of a recording: the lowest and the highest sample of each of its parts, in constant memory.

/// Maximum number of parts of a waveform, about the number of pixels that it is drawn with.
const MAX_POINTS: usize = 2_000;
/// Maximum number of intervals while the duration is unknown. Several for each final part, so that the final parts are
/// about equally long. Even, because neighbors are joined.
const MAX_INTERVALS: usize = 8 * MAX_POINTS;
/// Full scale of a sample.
const SCALE: f32 = 128.0;

/// The samples of a recording, reduced as they arrive.
pub(super) struct Waveform {
    intervals: Vec<Interval>,
    /// Samples in each interval but the last.
    length: usize,
    /// Samples in the last interval.
    filled: usize,
}

#[derive(Debug, Clone, Copy)]
struct Interval {
    lowest: f32,
    highest: f32,
}

impl Default for Waveform {
    fn default() -> Self {
        Self { intervals: Vec::new(), length: 1, filled: 1 }
    }
}

impl Waveform {
    /// Adds the next samples.
    pub(super) fn push(&mut self, samples: &[f32]) {
        let mut rest = samples;
        while let Some(first) = rest.first() {
            if self.filled == self.length {
                self.begin(*first);
            }
            let (added, later) = rest.split_at(rest.len().min(self.length - self.filled));
            if let Some(last) = self.intervals.last_mut() {
                added.iter().for_each(|sample| last.add(*sample));
            }
            self.filled += added.len();
            rest = later;
        }
    }

    /// The lowest and the highest sample of each part, from -128 to 127. A recording with few samples has fewer parts.
    pub(super) fn points(&self) -> Vec<[i8; 2]> {
        let count = self.intervals.len();
        let points = count.min(MAX_POINTS);
        let part = |index: usize| &self.intervals[index * count / points..(index + 1) * count / points];
        (0..points).filter_map(|index| joined(part(index))).map(Interval::point).collect()
    }

    /// Begins an interval. If there are too many, each two neighbors become one, and later ones are twice as long.
    fn begin(&mut self, sample: f32) {
        if self.intervals.len() == MAX_INTERVALS {
            self.intervals = self.intervals.chunks(2).filter_map(joined).collect();
            self.length *= 2;
        }
        self.intervals.push(Interval { lowest: sample, highest: sample });
        self.filled = 0;
    }
}

impl Interval {
    fn add(&mut self, sample: f32) {
        self.lowest = self.lowest.min(sample);
        self.highest = self.highest.max(sample);
    }

    fn point(self) -> [i8; 2] {
        [self.lowest, self.highest].map(|sample| (sample * SCALE).round().clamp(-SCALE, SCALE - 1.0) as i8)
    }
}

fn joined(intervals: &[Interval]) -> Option<Interval> {
    let join = |one: Interval, other: Interval| Interval {
        lowest: one.lowest.min(other.lowest),
        highest: one.highest.max(other.highest),
    };
    intervals.iter().copied().reduce(join)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waveform(samples: &[f32], block: usize) -> Vec<[i8; 2]> {
        let mut waveform = Waveform::default();
        samples.chunks(block).for_each(|block| waveform.push(block));
        waveform.points()
    }

    #[test]
    fn a_recording_without_samples_has_no_points() {
        assert!(waveform(&[], 1).is_empty());
    }

    #[test]
    fn a_few_samples_have_one_point_each() {
        let points = waveform(&[0.0, 0.5, -0.5, 1.0, -1.0, 7.0, -7.0], 3);
        assert_eq!(
            points,
            [[0, 0], [64, 64], [-64, -64], [127, 127], [-128, -128], [127, 127], [-128, -128]]
        );
    }

    #[test]
    fn longer_recordings_have_exactly_the_maximum_number_of_points() {
        for samples in [MAX_POINTS, MAX_POINTS + 1, MAX_INTERVALS, MAX_INTERVALS + 1, 1_000_003] {
            assert_eq!(waveform(&vec![0.25; samples], 8_000), vec![[32, 32]; MAX_POINTS], "{samples}");
        }
    }

    #[test]
    fn the_points_do_not_depend_on_the_blocks() {
        let samples: Vec<f32> = (0..100_000).map(|n| (n as f32 * 0.37).sin() * (n as f32 / 1e5)).collect();
        assert_eq!(waveform(&samples, 7), waveform(&samples, 100_000));
    }

    #[test]
    fn a_click_is_seen_at_its_position() {
        let mut samples = vec![0.0; 1_000_000];
        samples[250_000] = -1.0;
        samples[750_000] = 1.0;
        let points = waveform(&samples, 8_000);
        let found = |wanted: [i8; 2]| points.iter().position(|point| *point == wanted).unwrap();
        assert!(found([-128, 0]).abs_diff(500) <= 1 && found([0, 127]).abs_diff(1_500) <= 1);
        assert_eq!(points.iter().filter(|point| **point == [0, 0]).count(), MAX_POINTS - 2);
    }
}
