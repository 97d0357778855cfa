//! How probable each language is by the scores of Whisper, and which one a segment is transcribed in.

use auris_engine_core::language_code::WHISPER;

/// From this probability on, a language is sure.
const SURE: f32 = 0.9;
/// Languages are listed by the hours that Whisper was trained with. From this position on, they are rare: Whisper mistakes
/// accents and noises for them.
const FIRST_RARE: usize = 30;
/// A rare language is sure only if every common one is less probable than this.
const COMMON_NEARBY: f32 = 0.01;
/// A segment with less speech, in seconds, changes the language of a recording only if its text is the likelier one.
const SHORT_SECONDS: f64 = 2.0;

/// The probability of each language, in the order of `language_code::WHISPER`. Those of several segments can be added.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LanguageScores {
    weights: Vec<f32>,
}

/// The language of a segment, and another one that it may be in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LanguageChoice {
    pub(crate) language: String,
    /// Present if it is unsure: then the likelier text decides.
    pub(crate) other: Option<String>,
}

impl LanguageScores {
    /// The probabilities by the scores of the language tokens. A model with fewer languages has fewer scores.
    pub(crate) fn from_scores(scores: &[f32]) -> Self {
        let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f32> = scores.iter().take(WHISPER.len()).map(|score| (score - top).exp()).collect();
        let sum: f32 = weights.iter().sum();
        Self { weights: weights.iter().map(|weight| weight / sum).collect() }
    }

    /// A language that needs no detection.
    pub(crate) fn certain(language: &str) -> Self {
        Self { weights: WHISPER.iter().map(|code| f32::from(u8::from(*code == language))).collect() }
    }

    /// Adds the scores of another segment with this many seconds of speech.
    pub(crate) fn add(&mut self, other: &Self, seconds: f64) {
        self.weights.resize(other.weights.len().max(self.weights.len()), 0.0);
        for (sum, weight) in self.weights.iter_mut().zip(&other.weights) {
            *sum += weight * seconds as f32;
        }
    }

    /// Whether one language is clearly the most probable one.
    pub(crate) fn is_sure(&self) -> bool {
        let Some([(best, share), (second, second_share)]) = self.best_two() else { return false };
        let is_rare = best >= FIRST_RARE && second < FIRST_RARE && second_share >= COMMON_NEARBY;
        share >= SURE && !is_rare
    }

    /// The most probable language, and the next one if it is unsure.
    pub(crate) fn choice(&self) -> Option<LanguageChoice> {
        let [(best, _), (second, _)] = self.best_two()?;
        let other = (!self.is_sure()).then(|| WHISPER[second].to_owned());
        Some(LanguageChoice { language: WHISPER[best].to_owned(), other })
    }

    /// The language of a segment with this many seconds of speech, in a recording whose segments are expected in one
    /// language. If the segment seems to be in another one but that is unsure, the expected one is the first to try.
    pub(crate) fn choice_near(&self, expected: &str, seconds: f64) -> Option<LanguageChoice> {
        let choice = self.choice()?;
        let is_expected = choice.language == expected;
        if is_expected || (choice.other.is_none() && seconds >= SHORT_SECONDS) {
            return Some(LanguageChoice { other: None, ..choice });
        }
        Some(LanguageChoice { language: expected.to_owned(), other: Some(choice.language) })
    }

    /// The positions and shares of the two most probable languages.
    fn best_two(&self) -> Option<[(usize, f32); 2]> {
        let sum: f32 = self.weights.iter().sum();
        let mut shares: Vec<(usize, f32)> =
            self.weights.iter().map(|weight| weight / sum).enumerate().collect();
        shares.sort_by(|one, other| other.1.total_cmp(&one.1));
        match shares.as_slice() {
            [best, second, ..] if sum > 0.0 => Some([*best, *second]),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(shares: &[(&str, f32)]) -> LanguageScores {
        let share =
            |code: &&str| shares.iter().find(|(one, _)| one == code).map_or(1e-6, |(_, share)| *share);
        LanguageScores::from_scores(&WHISPER.iter().map(|code| share(code).ln()).collect::<Vec<_>>())
    }

    fn chosen(language: &str, other: Option<&str>) -> Option<LanguageChoice> {
        Some(LanguageChoice { language: language.into(), other: other.map(str::to_owned) })
    }

    #[test]
    fn a_language_is_sure_from_nine_in_ten_on_and_a_rare_one_only_without_a_common_one_nearby() {
        assert_eq!(scores(&[("en", 0.95), ("de", 0.05)]).choice(), chosen("en", None));
        assert_eq!(scores(&[("de", 0.7), ("nl", 0.3)]).choice(), chosen("de", Some("nl")));
        assert_eq!(scores(&[("cy", 0.97), ("en", 0.03)]).choice(), chosen("cy", Some("en")));
        assert_eq!(scores(&[("cy", 0.97), ("gl", 0.03)]).choice(), chosen("cy", None));
        assert_eq!(scores(&[("cy", 0.999), ("en", 0.001)]).choice(), chosen("cy", None));
        assert_eq!(LanguageScores::certain("en").choice(), chosen("en", None));
        assert_eq!(LanguageScores::default().choice(), None);
    }

    #[test]
    fn an_unsure_segment_is_tried_in_the_expected_language_first() {
        let unsure = scores(&[("nl", 0.6), ("de", 0.4)]);
        assert_eq!(unsure.choice_near("nl", 9.0), chosen("nl", None));
        assert_eq!(unsure.choice_near("en", 9.0), chosen("en", Some("nl")));
        let sure = scores(&[("de", 0.99)]);
        assert_eq!(sure.choice_near("en", 9.0), chosen("de", None));
        assert_eq!(sure.choice_near("en", 0.5), chosen("en", Some("de")));
    }

    #[test]
    fn the_scores_of_several_segments_count_by_their_speech() {
        let mut sum = LanguageScores::default();
        sum.add(&scores(&[("de", 0.9), ("en", 0.1)]), 3.0);
        sum.add(&scores(&[("en", 0.99)]), 20.0);
        assert_eq!(sum.choice().map(|choice| choice.language), Some("en".into()));
    }
}
