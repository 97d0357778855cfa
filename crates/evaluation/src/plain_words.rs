//! Words in lower case without punctuation, for tests and figures that allow no other spelling.

use crate::alignment::align;
use crate::edits::EditCounts;

/// The words of a text, in lower case and without punctuation.
pub fn plain_words(text: &str) -> Vec<String> {
    let plain = |letter: char| if letter.is_alphanumeric() || letter == '\'' { letter } else { ' ' };
    text.to_lowercase().chars().map(plain).collect::<String>().split_whitespace().map(str::to_owned).collect()
}

/// The number of inserted, deleted and substituted plain words.
pub fn plain_word_errors(reference: &str, text: &str) -> usize {
    let reference = plain_words(reference);
    let text = plain_words(text);
    let steps = align(reference.iter().map(String::as_str), text.iter().map(String::as_str));
    EditCounts::of(&steps).errors()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_punctuation_are_not_errors() {
        assert_eq!(plain_words("Don't -- STOP, me!"), ["don't", "stop", "me"]);
        assert_eq!(plain_word_errors("Ask not what.", "ask knot what now"), 2);
    }
}
