//! The features of a word that the net embeds: its normal form, its first letter, its last three letters, its shape.

use std::collections::HashMap;

use auris_weights::WeightsError;

use super::msgpack::{Reader, damaged};
use super::string_ids::string_id;

/// Characters from which on a word has the shape `LONG`.
const LONG_WORD: usize = 100;
/// Maximum equal characters in a row in a shape.
const SHAPE_RUN: usize = 4;
/// Signs with another normal form than themselves, for all languages.
const SIGN_NORMS: [(&str, &str); 45] = [
    ("'s", "'s"),
    ("'S", "'s"),
    ("’s", "'s"),
    ("’S", "'s"),
    ("’", "'"),
    ("‘", "'"),
    ("´", "'"),
    ("`", "'"),
    ("”", "\""),
    ("“", "\""),
    ("''", "\""),
    ("``", "\""),
    ("´´", "\""),
    ("„", "\""),
    ("»", "\""),
    ("«", "\""),
    ("‘‘", "\""),
    ("’’", "\""),
    ("？", "?"),
    ("！", "!"),
    ("，", ","),
    ("；", ";"),
    ("：", ":"),
    ("。", "."),
    ("।", "."),
    ("…", "..."),
    ("—", "-"),
    ("–", "-"),
    ("--", "-"),
    ("---", "-"),
    ("——", "-"),
    ("€", "$"),
    ("£", "$"),
    ("¥", "$"),
    ("฿", "$"),
    ("US$", "$"),
    ("C$", "$"),
    ("A$", "$"),
    ("₺", "$"),
    ("₹", "$"),
    ("৳", "$"),
    ("₩", "$"),
    ("Mex$", "$"),
    ("₣", "$"),
    ("E£", "$"),
];

/// The numbers of a word's features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct WordFeatures {
    /// Normal form, prefix, suffix and shape.
    pub(super) ids: [u64; 4],
    /// The word itself, for its vector.
    pub(super) word: u64,
}

/// Words with another normal form than their lower case, such as `colour`.
#[derive(Debug)]
pub(super) struct Norms(HashMap<u64, u64>);

impl Norms {
    /// Reads the table `lexeme_norm` of the vocabulary's tables.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let mut reader = Reader::new(bytes);
        for _ in 0..reader.map()? {
            if reader.text()? != "lexeme_norm" {
                reader.skip()?;
                continue;
            }
            let mut norms = HashMap::new();
            for _ in 0..reader.map()? {
                norms.insert(reader.unsigned()?, string_id(reader.text()?));
            }
            return Ok(Self(norms));
        }
        Err(damaged("the tables of the vocabulary have no normal forms"))
    }

    /// The features of a word. `norm` is the normal form that the tokenizer has set.
    pub(super) fn features(&self, word: &str, norm: Option<u64>) -> WordFeatures {
        let id = string_id(word);
        let first = word.chars().next().map_or(0, char::len_utf8);
        let last = word.char_indices().rev().nth(2).map_or(0, |(at, _)| at);
        let norm = norm.or_else(|| self.0.get(&id).copied()).unwrap_or_else(|| default_norm(word));
        let ids = [norm, string_id(&word[..first]), string_id(&word[last..]), string_id(&shape(word))];
        WordFeatures { ids, word: id }
    }
}

fn default_norm(word: &str) -> u64 {
    match SIGN_NORMS.iter().find(|(sign, _)| *sign == word) {
        Some((_, norm)) => string_id(norm),
        None => string_id(&word.to_lowercase()),
    }
}

/// `Xxxxx` for `Paris`, `dd/d` for `12/3`.
fn shape(word: &str) -> String {
    if word.chars().count() >= LONG_WORD {
        return "LONG".to_owned();
    }
    let mut shape = String::with_capacity(word.len());
    let mut last = None;
    let mut run = 0;
    for letter in word.chars() {
        let class = class_of(letter);
        run = if last == Some(class) { run + 1 } else { 1 };
        last = Some(class);
        if run <= SHAPE_RUN {
            shape.push(class);
        }
    }
    shape
}

fn class_of(letter: char) -> char {
    if letter.is_numeric() {
        if is_digit(letter) { 'd' } else { letter }
    } else if letter.is_uppercase() {
        'X'
    } else if letter.is_alphabetic() {
        'x'
    } else {
        letter
    }
}

/// Digits, also raised and lowered ones, but not fractions or Roman numerals.
fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit() || "²³¹⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_those_of_spacy() {
        let long = "a".repeat(100);
        for (word, wanted) in [
            ("Paris", "Xxxxx"),
            ("international", "xxxx"),
            ("12/345", "dd/ddd"),
            ("--", "--"),
            (&long, "LONG"),
        ] {
            assert_eq!(shape(word), wanted);
        }
    }

    #[test]
    fn features_are_numbers_of_parts_of_the_word() {
        let norms = Norms(HashMap::from([(string_id("cos"), string_id("because"))]));
        let features = norms.features("Zürich", None);
        assert_eq!(features.ids, ["zürich", "Z", "ich", "Xxxxx"].map(string_id));
        assert_eq!(norms.features("cos", None).ids[0], string_id("because"));
        assert_eq!(norms.features("€", None).ids[0], string_id("$"));
        assert_eq!(norms.features("n't", Some(7)).ids[0], 7);
    }
}
