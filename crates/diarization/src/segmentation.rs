//! Detects up to three voices in ten seconds of audio, two of them at the same time, with pyannote segmentation 3.0.

use auris_engine_core::EngineError;

use super::nets::Pyannote;

/// Samples of a window: ten seconds.
pub(crate) const WINDOW: usize = 160_000;
/// Frames of the output for one window.
pub(crate) const FRAMES: usize = 589;
/// Samples from one frame to the next.
pub(crate) const SHIFT: usize = 270;
/// The middle of the first frame, in samples: half of its receptive field.
pub(crate) const FIRST: usize = 495;
/// Voices that the model distinguishes within a window.
pub(crate) const SLOTS: usize = 3;

/// The classes of the output: which slots speak.
const CLASSES: [[bool; SLOTS]; 7] = [
    [false, false, false],
    [true, false, false],
    [false, true, false],
    [false, false, true],
    [true, true, false],
    [true, false, true],
    [false, true, true],
];

/// The loaded model.
pub(crate) struct SegmentationNet {
    net: Pyannote,
}

/// Who speaks in a window.
pub(crate) struct Activity {
    /// For each frame and slot the probability that it speaks, in 255ths.
    pub(crate) probability: Vec<[u8; SLOTS]>,
    /// For each frame the likeliest class: which slots speak.
    pub(crate) speaks: Vec<[bool; SLOTS]>,
}

impl SegmentationNet {
    pub(crate) fn load() -> Result<Self, EngineError> {
        Ok(Self { net: Pyannote::load().map_err(EngineError::internal)? })
    }

    /// Analyzes one window, which must have the full length.
    pub(crate) fn analyze(&self, window: &[f32]) -> Activity {
        activity(&self.run(window))
    }

    /// The log probabilities of the classes, frame by frame.
    pub(crate) fn run(&self, window: &[f32]) -> Vec<f32> {
        self.net.log_probabilities(window)
    }
}

fn activity(logarithms: &[f32]) -> Activity {
    let frames = logarithms.chunks_exact(CLASSES.len());
    Activity {
        probability: frames.clone().map(probabilities).collect(),
        speaks: frames.map(likeliest).collect(),
    }
}

fn probabilities(logarithms: &[f32]) -> [u8; SLOTS] {
    let mut sums = [0.0f32; SLOTS];
    for (class, logarithm) in CLASSES.iter().zip(logarithms) {
        for (sum, speaks) in sums.iter_mut().zip(class) {
            *sum += if *speaks { logarithm.exp() } else { 0.0 };
        }
    }
    sums.map(|sum| (sum.clamp(0.0, 1.0) * 255.0).round() as u8)
}

fn likeliest(logarithms: &[f32]) -> [bool; SLOTS] {
    let best = CLASSES.iter().zip(logarithms).max_by(|one, other| one.1.total_cmp(other.1));
    best.map_or([false; SLOTS], |(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlap_class_counts_for_both_voices() {
        let sure = |class: usize| (0..7).map(move |at| if at == class { -0.001f32 } else { -9.0 });
        let found = activity(&[0, 2, 5].into_iter().flat_map(sure).collect::<Vec<_>>());
        assert_eq!(found.speaks, [[false; 3], [false, true, false], [true, false, true]]);
        assert!(
            found.probability[2][0] > 250 && found.probability[2][1] < 5 && found.probability[2][2] > 250
        );
    }

    #[test]
    fn silence_has_no_voices() {
        let found = SegmentationNet::load().unwrap().analyze(&vec![0.0; WINDOW]);
        assert_eq!(found.speaks.len(), FRAMES);
        assert!(found.speaks.iter().flatten().all(|speaks| !speaks));
    }
}
