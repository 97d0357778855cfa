//! What the confidence of a word means: of the words with 0.9, nine in ten are right.
//!
//! The probability of its tokens does not mean that. Models are too sure of some words and not sure enough of others, each
//! in its own way. The points below were fitted on words whose reference is known; docs/models.md says which.

use auris_models::{CatalogModel, EngineKind};

use crate::speech_model::Recognised;

/// The probability that a word is right, for probabilities of its tokens: points of a line that never falls.
type Points = &'static [(f64, f64)];

/// The points of models of the catalogue. Other models use the first ones of their architecture.
const MOONSHINE: [(&str, Points); 2] =
    [("moonshine-base-en", MOONSHINE_BASE), ("moonshine-tiny-en", MOONSHINE_TINY)];
const WHISPER: [(&str, Points); 3] =
    [("whisper-small", WHISPER_SMALL), ("whisper-base", WHISPER_BASE), ("whisper-tiny", WHISPER_BASE)];

const MOONSHINE_BASE: Points = &[
    (0.0, 0.08),
    (0.3, 0.26),
    (0.45, 0.32),
    (0.55, 0.66),
    (0.65, 0.67),
    (0.75, 0.73),
    (0.85, 0.85),
    (0.93, 0.94),
    (1.0, 0.995),
];
const MOONSHINE_TINY: Points = &[
    (0.0, 0.13),
    (0.3, 0.25),
    (0.45, 0.39),
    (0.55, 0.47),
    (0.65, 0.67),
    (0.75, 0.71),
    (0.85, 0.85),
    (0.93, 0.935),
    (1.0, 0.99),
];
const WHISPER_BASE: Points = &[(0.0, 0.1), (0.3, 0.4), (0.55, 0.7), (0.75, 0.84), (0.86, 0.93), (1.0, 0.98)];
const WHISPER_SMALL: Points = &[
    (0.0, 0.05),
    (0.3, 0.43),
    (0.45, 0.56),
    (0.55, 0.69),
    (0.65, 0.76),
    (0.75, 0.83),
    (0.85, 0.925),
    (0.93, 0.97),
    (1.0, 0.995),
];

/// The calibration of one model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Calibration(Points);

impl Calibration {
    /// That of a model of the catalogue, or for other models that of their architecture.
    pub(crate) fn of(entry: &CatalogModel) -> Self {
        let models = if entry.engine == EngineKind::Moonshine { &MOONSHINE[..] } else { &WHISPER[..] };
        let own = models.iter().find(|(id, _)| *id == entry.model.id);
        Self(own.or(models.first()).map_or(&[], |(_, points)| points))
    }

    /// The same text with the confidence in its words instead of the probabilities of their tokens.
    pub(crate) fn calibrated(self, mut recognised: Recognised) -> Recognised {
        let segments = recognised.segments.iter_mut().chain(&mut recognised.unproven);
        for word in segments.flat_map(|segment| &mut segment.words) {
            word.confidence = self.confidence(word.confidence);
        }
        recognised
    }

    /// The confidence in a word whose tokens have this mean probability.
    fn confidence(self, probability: f64) -> f64 {
        let upper = self.0.iter().position(|(from, _)| *from >= probability);
        match upper.unwrap_or(self.0.len()) {
            0 => self.0.first().map_or(probability, |(_, to)| *to),
            nth if nth == self.0.len() => self.0[nth - 1].1,
            nth => {
                let (low, from) = self.0[nth - 1];
                let (high, to) = self.0[nth];
                from + (to - from) * (probability - low) / (high - low)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_never_falls_and_stays_between_zero_and_one() {
        for (_, points) in MOONSHINE.into_iter().chain(WHISPER) {
            let confidences: Vec<f64> =
                (0..=1_000).map(|n| Calibration(points).confidence(f64::from(n) / 1_000.0)).collect();
            assert!(confidences.is_sorted());
            assert!(confidences.iter().all(|confidence| (0.0..=1.0).contains(confidence)));
            assert!(confidences[1_000] > confidences[300]);
        }
    }

    #[test]
    fn confidence_lies_on_the_line_between_two_points() {
        let calibration = Calibration(&[(0.2, 0.4), (0.6, 0.8), (1.0, 0.9)]);
        for (probability, expected) in
            [(0.0, 0.4), (0.2, 0.4), (0.4, 0.6), (0.8, 0.85), (1.0, 0.9), (1.1, 0.9)]
        {
            assert!((calibration.confidence(probability) - expected).abs() < 1e-9);
        }
    }
}
