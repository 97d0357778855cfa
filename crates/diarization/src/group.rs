//! Groups of stretches that belong to one person, and the evidence against merging two groups.

use super::embedding::{SIZE, Voice, similarity};
use super::stretches::Stretch;

/// An embedding is the voice and noise that decreases with the length of the stretch. At this length, in seconds, both
/// contribute equally.
const NOISE_SECONDS: f32 = 0.3;

/// Stretches of one person.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The sum of the voices, each multiplied by its seconds. Those of short stretches are made longer, because noise
    /// reduces their similarity to all others: so similarities of short and of long stretches can be compared.
    pub(super) sum: Voice,
    pub(super) seconds: f32,
    pub(super) stretches: f32,
}

impl Group {
    pub(super) fn of(stretch: &Stretch) -> Self {
        let scale = (1.0 + NOISE_SECONDS / stretch.seconds).sqrt();
        let sum = stretch.voice.map(|value| value * scale * stretch.seconds);
        Self { sum, seconds: stretch.seconds, stretches: 1.0 }
    }

    pub(super) fn similarity(&self, other: &Self) -> f32 {
        similarity(&self.sum, &other.sum) / (self.seconds * other.seconds)
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        for at in 0..SIZE {
            self.sum[at] += other.sum[at];
        }
        self.seconds += other.seconds;
        self.stretches += other.stretches;
    }
}

/// The number of windows in which two groups speak as different people.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conflict {
    pub(super) groups: (usize, usize),
    pub(super) windows: f32,
}
