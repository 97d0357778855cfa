//! What all tasks of one Whisper model share: its vocabulary and which of its tokens mean something special.

use auris_engine_core::{EngineError, language_code};
use auris_models::BeamSearch;

use crate::language_scores::LanguageScores;
use crate::nets::SpecialTokens;
use crate::tokenizer::Tokenizer;

/// Symbols that nobody speaks: brackets, notes, quotation marks of captions. Those of several tokens share them with
/// words, so they are allowed.
const UNSPOKEN: &str = "\" # ( ) * + / : ; < = > @ [ \\ ] ^ _ ` { | } ~ 「 」 『 』 << >> <<< >>> -- --- -( -[ (' (\" \
                        (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪";
/// Symbols of music, of which not even the first token is spoken.
const MUSIC: &str = "♩ ♪ ♫ ♬ ♭ ♮ ♯";

/// The rules of one model.
pub(crate) struct WhisperRules {
    pub(crate) tokens: SpecialTokens,
    pub(crate) tokenizer: Tokenizer,
    /// Tokens that are never chosen.
    pub(super) unspoken: Vec<u32>,
    /// The token of a space, which does not begin a text.
    pub(super) blank: u32,
    /// How a window is decoded if the model is unsure of it.
    pub(super) beam: BeamSearch,
}

impl WhisperRules {
    pub(crate) fn new(tokens: SpecialTokens, tokenizer: Tokenizer) -> Result<Self, EngineError> {
        let unspoken = unspoken(&tokenizer)?;
        let blank = tokenizer.encode(" ")?.first().copied().unwrap_or_default();
        Ok(Self { tokens, tokenizer, unspoken, blank, beam: BeamSearch::default() })
    }

    /// The same rules with this beam.
    pub(crate) fn with_beam(self, beam: BeamSearch) -> Self {
        Self { beam, ..self }
    }

    /// Whether the model knows only English and has no tokens for languages and tasks.
    pub(crate) fn is_english_only(&self) -> bool {
        self.tokens.languages == 0
    }

    pub(super) fn is_timestamp(&self, token: u32) -> bool {
        token >= self.tokens.first_timestamp
    }

    /// The time of a timestamp from the beginning of its window, in seconds.
    pub(super) fn seconds(&self, timestamp: u32) -> f64 {
        f64::from(timestamp.saturating_sub(self.tokens.first_timestamp)) * 0.02
    }

    pub(super) fn words_only(&self, tokens: &[u32]) -> Vec<u32> {
        tokens.iter().copied().filter(|token| !self.is_timestamp(*token)).collect()
    }

    /// The token of a language, or of English if the model does not know the language.
    pub(super) fn language_token(&self, language: Option<&str>) -> u32 {
        let known = language_code::WHISPER.iter().position(|code| Some(*code) == language);
        self.tokens.first_language + known.unwrap_or(0) as u32
    }

    /// How probable each language is by the scores after the start token.
    pub(super) fn language_scores(&self, scores: &[f32]) -> LanguageScores {
        let first = self.tokens.first_language as usize;
        let languages = scores.get(first..first + language_code::WHISPER.len());
        languages.map(LanguageScores::from_scores).unwrap_or_default()
    }
}

/// The tokens that nobody speaks.
fn unspoken(tokenizer: &Tokenizer) -> Result<Vec<u32>, EngineError> {
    let mut tokens = Vec::new();
    // Dashes and apostrophes inside words are spoken; those that begin one are not.
    for begin in [" -", " '"] {
        tokens.extend(tokenizer.encode(begin)?.first());
    }
    for (symbols, max_tokens) in [(UNSPOKEN, 1), (MUSIC, usize::MAX)] {
        for symbol in symbols.split(' ') {
            for text in [symbol.to_owned(), format!(" {symbol}")] {
                let encoded = tokenizer.encode(&text)?;
                tokens.extend(encoded.first().filter(|_| encoded.len() <= max_tokens));
            }
        }
    }
    tokens.sort_unstable();
    tokens.dedup();
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use auris_engine_testing::asset;

    use super::*;

    /// The tokenizer of the multilingual models.
    const TOKENIZER: &str = "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566";

    /// As published with the multilingual models.
    const PUBLISHED: [u32; 82] = [
        1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29, 31, 58, 59, 60, 61, 62, 63, 90, 91, 92, 93, 359, 503, 522,
        542, 873, 893, 902, 918, 922, 931, 1350, 1853, 1982, 2460, 2627, 3246, 3253, 3268, 3536, 3846, 3961,
        4183, 4667, 6585, 6647, 7273, 9061, 9383, 10428, 10929, 11938, 12033, 12331, 12562, 13793, 14157,
        14635, 15265, 15618, 16553, 16604, 18362, 18956, 20075, 21675, 22520, 26130, 26161, 26435, 28279,
        29464, 31650, 32302, 32470, 36865, 42863, 47425, 49870, 50254,
    ];

    #[test]
    fn the_unspoken_tokens_are_the_published_ones() {
        let tokenizer = Tokenizer::load(&asset(TOKENIZER)).unwrap();
        let rules = WhisperRules::new(SpecialTokens::of_vocabulary(51_865).unwrap(), tokenizer).unwrap();
        assert_eq!((rules.unspoken.as_slice(), rules.blank), (&PUBLISHED[..], 220));
    }
}
