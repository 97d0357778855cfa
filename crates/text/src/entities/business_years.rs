//! The number of a year: by the words around it.

use super::date_line::Line;
use crate::stop_words::is_stop_word;
use crate::words::Kind;

/// Words before the number of a year.
const BEFORE_YEARS: [&str; 27] = [
    "after", "at", "before", "between", "beyond", "by", "due", "during", "early", "entering", "exiting",
    "for", "from", "hit", "in", "into", "late", "mid", "of", "over", "say", "since", "than", "through", "to",
    "until", "versus",
];

impl Line<'_> {
    /// `2021` in `until 2021` and in `in 2020, 2021 and 2022`, but not in `of 2000 people`.
    pub(super) fn year(&self, at: usize) -> Option<usize> {
        let ends = self.0.get(at + 1).is_none_or(|next| next.kind == Kind::Sign && !next.is("$"))
            || is_stop_word(self.word(at + 1));
        let is_date = ends && self.follows_preposition(at) || self.follows_determiner(at);
        (is_year(self.word(at)) && is_date).then_some(at + 1)
    }

    /// Whether a year of our time belongs to the noun after it, as in `our 2021 budget`. `The 2000 people` has a number.
    fn follows_determiner(&self, at: usize) -> bool {
        let has_noun = self.0.get(at + 1).is_some_and(|next| next.kind == Kind::Word);
        let is_near = self.word(at).parse().is_ok_and(|year: u16| (2001..2050).contains(&year));
        let determiner = at.checked_sub(1).map_or("", |before| self.word(before));
        has_noun && is_near && matches!(determiner, "our" | "the" | "that" | "its" | "their" | "your")
    }

    /// Whether a year follows a preposition, perhaps with other years in between.
    fn follows_preposition(&self, at: usize) -> bool {
        let mut first = at;
        while first >= 2 && self.is_list_link(first - 1) {
            let before_link = first - 2;
            let has_comma = before_link >= 1 && self.word(before_link) == ",";
            let other = before_link - usize::from(has_comma);
            if !is_year(self.word(other)) {
                break;
            }
            first = other;
        }
        first.checked_sub(1).is_some_and(|before| BEFORE_YEARS.contains(&self.word(before)))
    }

    fn is_list_link(&self, at: usize) -> bool {
        matches!(self.word(at), "and" | "or" | ",")
    }
}

pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u16| (1900..2100).contains(&year))
}
