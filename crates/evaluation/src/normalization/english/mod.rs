//! English words in a common form: numbers in digits, contractions in full, American spelling, no hesitations.

mod amounts;
mod contractions;
mod lexer;
mod number_words;
mod numbers;
mod spelling;

use super::Token;
use super::letters::without_accents;

/// Sounds that transcribers write or leave out as they like.
const HESITATIONS: [&str; 13] =
    ["uh", "uhh", "um", "umm", "uhm", "erm", "hm", "hmm", "mm", "mmm", "mhm", "mmhmm", "mmhm"];

/// The tokens of words without annotations, each with its position.
pub(super) fn tokens(parts: &[(usize, String)]) -> Vec<Token> {
    let lexemes_of = |(word, text): &(usize, String)| -> Vec<Token> {
        lexer::lexemes(&without_accents(text)).into_iter().map(|text| Token::new(text, *word)).collect()
    };
    let lexemes: Vec<Token> = parts.iter().flat_map(lexemes_of).collect();
    let mut words = Vec::with_capacity(lexemes.len());
    for (nth, lexeme) in lexemes.iter().enumerate() {
        let next = lexemes.get(nth + 1).map_or("", |next| next.text.as_str());
        let expanded = contractions::expanded(&lexeme.text, next);
        words.extend(expanded.split(' ').map(|text| Token::new(text, lexeme.first)));
    }
    words.retain(|word| !HESITATIONS.contains(&word.text.as_str()) && !word.text.is_empty());
    let mut tokens = amounts::joined(numbers::in_digits(words));
    for token in &mut tokens {
        if token.text.starts_with(|letter: char| letter.is_alphabetic()) {
            token.text = spelling::american(&token.text);
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use crate::{SpokenWord, tokens};

    fn plain(text: &str) -> String {
        let tokens = tokens(&SpokenWord::list(text), "en-GB");
        tokens.into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_sounds_the_same_has_one_form() {
        for (one, other) in [
            ("Mr. Smith's 2nd colour", "mister smiths second color"),
            ("I'm sure they won't, can't and don't.", "i am sure they will not can not and do not"),
            ("It's been organised", "it has been organized"),
            ("It's a café, um, okay?", "it is a cafe ok"),
            ("The U.S. at 7:30 p.m.", "the us at seven thirty pm"),
            ("$1.5 million", "one point five million dollars"),
            ("$5.50 or 3%", "five dollars and fifty cents or three per cent"),
            ("in 1984, the 1980s", "in nineteen eighty-four the nineteen eighties"),
            ("1,234 people", "one thousand two hundred and thirty four people"),
            ("a hundred and 5 in 2005", "one hundred five in two thousand five"),
            ("the 21st of March", "the twenty first of march"),
            ("nineteen oh five", "1905"),
            ("call 555 1234", "call five five five one two three four"),
            ("two and a half hours", "2.5 hours"),
            ("travelling to the theatre centre", "traveling to the theater center"),
            ("gonna [laughs] wanna", "going to want to"),
        ] {
            assert_eq!(plain(one), plain(other), "{one}");
        }
    }

    #[test]
    fn different_words_stay_different() {
        for (one, other) in [
            ("four", "for"),
            ("two hundred", "two thousand"),
            ("thirteen", "thirty"),
            ("she said", "he said"),
            ("it is", "its"),
            ("an hour", "our"),
            ("1.5", "15"),
            ("the first", "one"),
        ] {
            assert_ne!(plain(one), plain(other), "{one}");
        }
    }

    #[test]
    fn forms_are_those_of_the_trade() {
        assert_eq!(plain("Twenty-five, or one hundred and one."), "25 or 101");
        assert_eq!(plain("No one knows"), "no 1 knows");
        assert_eq!(plain("1 2 3 4 5 6 7 8"), "1 2 3 4 5 6 7 8", "long runs of digits are counted one by one");
        assert_eq!(plain("one two three four five six seven eight"), "1 2 3 4 5 6 7 8");
        assert_eq!(plain("It cost 20 dollars, €3 and 50p"), "it cost $20 €3 and 50 p");
    }

    #[test]
    fn a_token_knows_its_words() {
        let tokens = tokens(&SpokenWord::list("in nineteen eighty four don't"), "en");
        let positions: Vec<_> =
            tokens.iter().map(|token| (token.text.as_str(), token.first, token.last)).collect();
        assert_eq!(positions, [("in", 0, 0), ("1984", 1, 3), ("do", 4, 4), ("not", 4, 4)]);
    }
}
