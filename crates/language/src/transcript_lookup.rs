//! Finds the texts of a model's answer in the transcript. Only texts that occur in it are used.

use std::ops::Range;

/// A transcript prepared for case-insensitive lookups. Positions are Unicode scalar values.
pub(crate) struct TranscriptLookup {
    characters: Vec<char>,
    folded: Vec<char>,
}

impl TranscriptLookup {
    pub(crate) fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let folded = characters.iter().map(|character| fold(*character)).collect();
        Self { characters, folded }
    }

    pub(crate) fn len(&self) -> usize {
        self.characters.len()
    }

    pub(crate) fn text(&self, range: &Range<usize>) -> String {
        self.characters[range.clone()].iter().collect()
    }

    /// All ranges inside `within` where the quote occurs as whole words, ignoring case.
    pub(crate) fn find(&self, quote: &str, within: Range<usize>) -> Vec<Range<usize>> {
        let quote: Vec<char> = quote.trim().chars().map(fold).collect();
        let within = within.start..within.end.min(self.len());
        if quote.is_empty() || quote.len() > within.len() {
            return vec![];
        }
        let mut found = Vec::new();
        let mut at = within.start;
        while at + quote.len() <= within.end {
            if self.folded[at..at + quote.len()] == quote[..] && self.is_whole(at, at + quote.len()) {
                found.push(at..at + quote.len());
                at += quote.len();
            } else {
                at += 1;
            }
        }
        found
    }

    /// Whether the range begins and ends at word boundaries.
    fn is_whole(&self, start: usize, end: usize) -> bool {
        let word =
            |place: usize| self.characters.get(place).is_some_and(|character| character.is_alphanumeric());
        let cut_before = start > 0 && word(start - 1) && word(start);
        let cut_after = word(end - 1) && word(end);
        !cut_before && !cut_after
    }
}

/// Maps one character to one character, so that positions stay valid: lower case, plain quotes, spaces for white space.
fn fold(character: char) -> char {
    match character {
        '’' | '‘' => '\'',
        '“' | '”' => '"',
        _ if character.is_whitespace() => ' ',
        _ => {
            let mut lower = character.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(lower), None) => lower,
                _ => character,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_found_as_whole_words_in_any_case() {
        let source = TranscriptLookup::new("Ana saw Anatol. ANA’s late, ana\nknows");
        let places = source.find("Ana", 0..source.len());
        assert_eq!(places.len(), 3);
        assert_eq!(source.text(&places[1]), "ANA");
        assert_eq!(source.find("ana knows", 0..source.len()).len(), 1);
        assert_eq!(source.find("Ana's", 0..source.len()).len(), 1);
    }

    #[test]
    fn texts_that_do_not_occur_are_not_found() {
        let source = TranscriptLookup::new("the cat sat");
        for quote in ["dog", "", " ", "ca", "the cat sat on", "at"] {
            assert!(source.find(quote, 0..source.len()).is_empty(), "{quote}");
        }
        assert!(source.find("cat", 8..11).is_empty());
    }
}
