//! The tokens that are not words. Their numbers follow from the size of the vocabulary.

use auris_engine_core::EngineError;

/// Vocabularies: English only, multilingual, and multilingual with Cantonese (large-v3).
const ENGLISH: usize = 51_864;
const MULTILINGUAL: usize = 51_865;
const WITH_CANTONESE: usize = 51_866;
/// Languages that a vocabulary has tokens for; the English one has them too, but its nets never saw them.
const LANGUAGES: u32 = 99;

/// The special tokens of one vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpecialTokens {
    pub(crate) end: u32,
    pub(crate) start: u32,
    pub(crate) first_language: u32,
    /// The number of languages that the net knows by a token; 0 if it knows only English.
    pub(crate) languages: u32,
    pub(crate) transcribe: u32,
    /// Before the text that precedes the audio.
    pub(crate) previous: u32,
    pub(crate) no_speech: u32,
    pub(crate) no_timestamps: u32,
    /// The token of 0.00 s; each following token is 0.02 s later.
    pub(crate) first_timestamp: u32,
}

impl SpecialTokens {
    /// Fails if this is not the size of one of Whisper's vocabularies.
    pub(crate) fn of_vocabulary(size: usize) -> Result<Self, EngineError> {
        match size {
            ENGLISH => Ok(Self { languages: 0, ..Self::after(50_256, LANGUAGES) }),
            MULTILINGUAL => Ok(Self::after(50_257, LANGUAGES)),
            WITH_CANTONESE => Ok(Self::after(50_257, LANGUAGES + 1)),
            _ => Err(EngineError::internal(format!(
                "a vocabulary of {size} tokens is not one of Whisper's ({ENGLISH}, {MULTILINGUAL} or {WITH_CANTONESE})"
            ))),
        }
    }

    /// The order: end, start, the languages, translate, transcribe, start of a language model's text, previous, no
    /// speech, no timestamps, the timestamps.
    fn after(end: u32, languages: u32) -> Self {
        let translate = end + 2 + languages;
        Self {
            end,
            start: end + 1,
            first_language: end + 2,
            languages,
            transcribe: translate + 1,
            previous: translate + 3,
            no_speech: translate + 4,
            no_timestamps: translate + 5,
            first_timestamp: translate + 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multilingual_tokens_are_the_published_ones() {
        let expected = SpecialTokens {
            end: 50_257,
            start: 50_258,
            first_language: 50_259,
            languages: 99,
            transcribe: 50_359,
            previous: 50_361,
            no_speech: 50_362,
            no_timestamps: 50_363,
            first_timestamp: 50_364,
        };
        assert_eq!(SpecialTokens::of_vocabulary(51_865).unwrap(), expected);
    }

    #[test]
    fn everything_after_the_languages_is_one_later_in_large_v3() {
        let expected = SpecialTokens {
            end: 50_257,
            start: 50_258,
            first_language: 50_259,
            languages: 100,
            transcribe: 50_360,
            previous: 50_362,
            no_speech: 50_363,
            no_timestamps: 50_364,
            first_timestamp: 50_365,
        };
        assert_eq!(SpecialTokens::of_vocabulary(51_866).unwrap(), expected);
    }

    #[test]
    fn everything_is_one_earlier_in_english_models_and_there_are_no_languages() {
        let expected = SpecialTokens {
            end: 50_256,
            start: 50_257,
            first_language: 50_258,
            languages: 0,
            transcribe: 50_358,
            previous: 50_360,
            no_speech: 50_361,
            no_timestamps: 50_362,
            first_timestamp: 50_363,
        };
        assert_eq!(SpecialTokens::of_vocabulary(51_864).unwrap(), expected);
    }

    #[test]
    fn another_vocabulary_is_an_error_with_its_size() {
        let error = SpecialTokens::of_vocabulary(32_768).unwrap_err();
        assert!(error.to_string().contains("32768"), "{error}");
    }
}
