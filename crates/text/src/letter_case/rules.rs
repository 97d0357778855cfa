//! Which words of a sentence without capitals are written with them: names, abbreviations, nationalities and months.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::line::{LowerLine, Writing};
use crate::gazetteer::{organization_at, place_at};
use crate::spoken::is_calendar_word;
use crate::words::Kind;

/// Nationalities, languages, religions and holidays that are not also other words (as `polish` is), and titles.
static PROPER: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../data/proper_words.txt").split_whitespace().collect());
/// Directions, which belong to the place after them.
const DIRECTIONS: [&str; 10] =
    ["north", "south", "east", "west", "northern", "southern", "eastern", "western", "central", "upper"];
/// Parts of a country.
const REGIONS: [&str; 6] = ["northeast", "northwest", "southeast", "southwest", "midwest", "mideast"];
/// Words before `of` and a place.
const OF_PLACES: [&str; 4] = ["bank", "university", "college", "gulf"];
/// Words after the name of an organization that belong to it.
const AFTER_ORGANIZATION: [&str; 24] = [
    "airlines",
    "bank",
    "capital",
    "commission",
    "corp",
    "corporation",
    "council",
    "energy",
    "foundation",
    "group",
    "holdings",
    "inc",
    "institute",
    "insurance",
    "limited",
    "llc",
    "ltd",
    "partners",
    "plc",
    "power",
    "research",
    "securities",
    "union",
    "university",
];
/// Words before a month that is also a verb.
const BEFORE_MONTHS: [&str; 14] = [
    "in", "of", "since", "until", "by", "early", "mid", "late", "through", "during", "last", "next", "from",
    "this",
];

impl LowerLine<'_> {
    /// How each token is written.
    pub(super) fn writing(&self) -> Vec<Writing> {
        let mut all = Vec::with_capacity(self.tokens.len());
        while all.len() < self.tokens.len() {
            let at = all.len();
            match self.name_end(at).filter(|_| !self.is_in_address(at)) {
                Some(end) => all.extend((at..end).map(|nth| self.in_name(nth))),
                None => all.push(self.alone(at)),
            }
        }
        all
    }

    /// How a word inside a name is written.
    fn in_name(&self, at: usize) -> Writing {
        if !self.is_word(at) || matches!(self.word(at), "of" | "the" | "and") {
            Writing::Lower
        } else if self.is_abbreviation(at) {
            Writing::Capitals
        } else {
            Writing::Capital
        }
    }

    /// How a word outside of names is written.
    fn alone(&self, at: usize) -> Writing {
        if !self.is_word(at) || self.is_in_address(at) {
            Writing::Lower
        } else if self.is_abbreviation(at) {
            Writing::Capitals
        } else if self.is_pronoun(at) || PROPER.contains(self.word(at)) {
            Writing::Capital
        } else {
            Writing::Lower
        }
    }

    /// `i` and `i'm`, but not the letter in a word that is spelled out.
    fn is_pronoun(&self, at: usize) -> bool {
        let is_letter = |at: usize| self.word(at).len() == 1 && self.is_word(at) && self.word(at) != "i";
        let is_spelled = at > 0 && is_letter(at - 1) && is_letter(at + 1);
        self.tokens[at].lower.starts_with("i'") || self.word(at) == "i" && !is_spelled
    }

    /// Whether a word is a part of a written address: `anna@example.com`.
    fn is_in_address(&self, at: usize) -> bool {
        let joins = |sign: usize| {
            self.tokens.get(sign).is_some_and(|token| token.is_one_of(&["@", ".", "/", "_"]))
                && self.touches(sign)
                && self.touches(sign + 1)
        };
        let is_long = |at: usize| self.word(at).len() > 1;
        is_long(at) && (joins(at + 1) && is_long(at + 2) || at >= 2 && joins(at - 1) && is_long(at - 2))
    }

    /// Where the name that begins at a token ends; `None` if there is none.
    fn name_end(&self, at: usize) -> Option<usize> {
        let organization = || organization_at(self.tokens, at).map(|end| self.with_organization_words(end));
        self.place(at).or_else(organization).or_else(|| self.calendar(at)).or_else(|| self.person(at))
    }

    fn place(&self, at: usize) -> Option<usize> {
        let is_direction = DIRECTIONS.contains(&self.word(at));
        let is_region = REGIONS.contains(&self.word(at)) && self.before(at) == "the";
        let after_direction = || is_direction.then(|| place_at(self.tokens, at + 1)).flatten();
        let is_of_place = OF_PLACES.contains(&self.word(at)) && self.word(at + 1) == "of";
        let of_place = || is_of_place.then(|| place_at(self.tokens, at + 2)).flatten();
        let named = place_at(self.tokens, at).or_else(after_direction).or_else(of_place);
        named.or_else(|| is_region.then_some(at + 1))
    }

    /// The end of an organization's name with words such as `capital` after it.
    fn with_organization_words(&self, end: usize) -> usize {
        let more = (end..self.tokens.len()).take_while(|at| AFTER_ORGANIZATION.contains(&self.word(*at)));
        end + more.count()
    }

    fn calendar(&self, at: usize) -> Option<usize> {
        let is_verb = matches!(self.word(at), "may" | "march" | "august");
        let after_month =
            at >= 2 && matches!(self.before(at), "and" | "," | "or") && is_calendar_word(self.word(at - 2));
        let has_day = self.tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Digits);
        let is_month = is_verb && (BEFORE_MONTHS.contains(&self.before(at)) || after_month || has_day);
        (is_month || is_calendar_word(self.word(at))).then_some(at + 1)
    }
}
