//! Brings words to a common form before they are compared, so that a spelling is not counted as an error.

mod annotations;
mod english;
mod letters;

use crate::language::{counts_characters, primary};
use crate::spoken_word::SpokenWord;

/// A word (or character) in its common form, and the words that it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// The first of the words.
    pub first: usize,
    /// The last of the words. Several words can become one token: `nineteen eighty four`.
    pub last: usize,
}

impl Token {
    fn new(text: impl Into<String>, word: usize) -> Self {
        Self { text: text.into(), first: word, last: word }
    }
}

/// The tokens of words in a language. Case, punctuation and annotations in brackets are removed. In English, numbers,
/// contractions, abbreviations and British spellings have one form, and hesitations are removed.
pub fn tokens(words: &[SpokenWord], language: &str) -> Vec<Token> {
    let folded: Vec<String> = words.iter().map(|word| letters::folded(&word.text)).collect();
    let parts = annotations::removed(&folded);
    if primary(language) == "en" {
        return english::tokens(&parts);
    }
    let split = |(word, text): &(usize, String)| -> Vec<Token> {
        let tokens = text.split(|letter| !letters::is_part_of_word(letter)).filter(|token| !token.is_empty());
        tokens.map(|token| Token::new(token, *word)).collect()
    };
    let tokens = parts.iter().flat_map(split);
    if !counts_characters(language) {
        return tokens.collect();
    }
    let characters = |token: Token| -> Vec<Token> {
        token.text.chars().map(|letter| Token::new(letter, token.first)).collect()
    };
    tokens.flat_map(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, language: &str) -> String {
        let tokens = tokens(&SpokenWord::list(text), language);
        tokens.into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn case_punctuation_and_annotations_are_removed() {
        assert_eq!(
            plain("Guten Tag, [lacht laut] Herr Groß! (unverständlich)", "de"),
            "guten tag herr gross"
        );
        assert_eq!(plain("L’homme — l'été", "fr"), "l homme l été");
        // The same letter in two codings.
        assert_eq!(plain("e\u{301}te\u{301}", "fr"), "été");
        assert_eq!(plain("Ещё раз", "ru"), plain("еще раз", "ru"));
        assert_eq!(plain("किंतु ٣٤ مُحَمَّد", "hi"), "किंतु 34 محمد");
    }

    #[test]
    fn chinese_japanese_and_thai_have_characters() {
        assert_eq!(plain("今天，天气 很好。", "zh"), "今 天 天 气 很 好");
        assert_eq!(plain("５ページ", "ja"), "5 ペ ー ジ");
        assert_eq!(plain("ครับ", "th").split(' ').count(), 4);
    }

    #[test]
    fn an_open_bracket_removes_nothing() {
        assert_eq!(plain("eins (zwei drei", "de"), "eins zwei drei");
        assert_eq!(plain("eins) zwei] drei>", "de"), "eins zwei drei");
    }
}
