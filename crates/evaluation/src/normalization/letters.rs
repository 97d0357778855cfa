//! Letters in a common form.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The first of ten digits in scripts that are transcribed with their own digits.
const DIGIT_ZEROS: [char; 5] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{e50}'];

/// A word in lower case, in composed characters, with one kind of apostrophe and digit.
pub(super) fn folded(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for letter in word.nfkc().flat_map(char::to_lowercase).filter(|letter| !is_ignored(*letter)) {
        match letter {
            '’' | '‘' | 'ʼ' | '`' | '´' => text.push('\''),
            'ß' => text.push_str("ss"),
            'ё' => text.push('е'),
            letter => text.push(ascii_digit(letter).unwrap_or(letter)),
        }
    }
    text
}

/// Marks that are optional in writing (vowels of Arabic and Hebrew) and characters without a form.
fn is_ignored(letter: char) -> bool {
    matches!(letter, '\u{5b0}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

fn ascii_digit(letter: char) -> Option<char> {
    let value = DIGIT_ZEROS.iter().find_map(|zero| {
        let value = u32::from(letter).checked_sub(u32::from(*zero))?;
        (value < 10).then_some(value)
    })?;
    char::from_digit(value, 10)
}

/// Letters and digits, and the marks that belong to letters in many scripts.
pub(super) fn is_part_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || is_combining_mark(letter)
}

/// The letters without their accents.
pub(super) fn without_accents(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfd().filter(|letter| !is_combining_mark(*letter)).collect()
}
