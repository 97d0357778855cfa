//! Which words of a sentence without capitals are written with them: names, abbreviations and first words.

use crate::gazetteer::{is_first_name, organization_at, place_at};
use crate::spoken::is_calendar_word;
use crate::stop_words::is_stop_word;
use crate::words::{Kind, Token};

/// Titles before a name.
const TITLES: [&str; 8] = ["mr", "mrs", "ms", "miss", "dr", "doctor", "professor", "prof"];
/// Abbreviations that look like words.
const ABBREVIATIONS: [&str; 48] = [
    "ai", "aids", "amd", "asap", "atm", "bbc", "ceo", "cfo", "cia", "coo", "covid", "cto", "ebit", "ebitda",
    "epa", "eps", "esg", "eu", "faq", "fda", "fed", "gaap", "ge", "iata", "ibm", "imf", "ipo", "irs", "kpi",
    "nafta", "nasa", "nato", "nhs", "nyse", "oem", "opec", "roe", "roi", "sec", "sme", "ubs", "uk", "un",
    "unesco", "unicef", "url", "usa", "usb",
];
/// Words without a vowel that are not abbreviations.
const WITHOUT_VOWEL: [&str; 18] = [
    "brr", "dr", "ft", "hm", "hmm", "kg", "km", "lb", "mhm", "mm", "mr", "mrs", "ms", "nth", "pm", "psst",
    "st", "vs",
];
/// Directions, which belong to the place after them.
const DIRECTIONS: [&str; 10] =
    ["north", "south", "east", "west", "northern", "southern", "eastern", "western", "central", "upper"];
/// Parts of a country.
const REGIONS: [&str; 6] = ["northeast", "northwest", "southeast", "southwest", "midwest", "mideast"];
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
const BEFORE_MONTHS: [&str; 13] =
    ["in", "of", "since", "until", "by", "early", "mid", "late", "through", "during", "last", "next", "from"];
/// Words before a name that is also a word: `thanks mark`.
const BEFORE_NAMES: [&str; 6] = ["thanks", "thank", "hi", "hello", "hey", "morning"];

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    Lower,
    Capital,
    Capitals,
}

/// How each token of a sentence in lower case is written.
pub(super) fn writing(tokens: &[Token]) -> Vec<Writing> {
    let sentence = Sentence(tokens);
    let mut all = Vec::with_capacity(tokens.len());
    while all.len() < tokens.len() {
        let at = all.len();
        match sentence.name_end(at) {
            Some(end) => all.extend((at..end).map(|nth| sentence.in_name(nth))),
            None => all.push(sentence.alone(at)),
        }
    }
    all
}

struct Sentence<'a>(&'a [Token]);

impl Sentence<'_> {
    fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| plain(&token.lower))
    }

    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    fn is_word(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|token| token.kind == Kind::Word)
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
        let is_i = self.word(at) == "i" || self.0[at].lower.starts_with("i'");
        if !self.is_word(at) {
            Writing::Lower
        } else if self.is_abbreviation(at) {
            Writing::Capitals
        } else if at == 0 || is_i {
            Writing::Capital
        } else {
            Writing::Lower
        }
    }

    /// Whether a word is an abbreviation: `ceo`, `ubs`, the letters of `u.s.`, and `us` in `the us`.
    fn is_abbreviation(&self, at: usize) -> bool {
        let word = self.word(at);
        let has_stop = |at: usize| self.0.get(at).is_some_and(|token| token.is("."));
        let is_letter = |at: usize| self.is_word(at) && self.word(at).len() == 1;
        let is_dotted = is_letter(at)
            && (has_stop(at + 1) && is_letter(at + 2) || at >= 2 && has_stop(at - 1) && is_letter(at - 2));
        let is_vowel = |letter: u8| b"aeiouy".contains(&letter);
        let has_no_vowel = (2..=4).contains(&word.len())
            && word.bytes().all(|letter| letter.is_ascii_lowercase() && !is_vowel(letter))
            && !WITHOUT_VOWEL.contains(&word);
        ABBREVIATIONS.contains(&word)
            || is_dotted
            || has_no_vowel && !is_stop_word(word)
            || word == "us" && self.before(at) == "the"
    }

    /// Where the name that begins at a token ends; `None` if there is none.
    fn name_end(&self, at: usize) -> Option<usize> {
        self.place(at)
            .or_else(|| organization_at(self.0, at).map(|end| self.with_organization_words(end)))
            .or_else(|| self.calendar(at))
            .or_else(|| self.person(at))
    }

    fn place(&self, at: usize) -> Option<usize> {
        let is_direction = DIRECTIONS.contains(&self.word(at));
        let is_region = REGIONS.contains(&self.word(at)) && self.before(at) == "the";
        let after_direction = || is_direction.then(|| place_at(self.0, at + 1)).flatten();
        place_at(self.0, at).or_else(after_direction).or_else(|| is_region.then_some(at + 1))
    }

    /// The end of an organization's name with words such as `capital` after it.
    fn with_organization_words(&self, end: usize) -> usize {
        let more = (end..self.0.len()).take_while(|at| AFTER_ORGANIZATION.contains(&self.word(*at)));
        end + more.count()
    }

    fn calendar(&self, at: usize) -> Option<usize> {
        let is_verb = matches!(self.word(at), "may" | "march" | "august");
        let after_month =
            at >= 2 && matches!(self.before(at), "and" | "," | "or") && is_calendar_word(self.word(at - 2));
        let has_day = self.0.get(at + 1).is_some_and(|next| next.kind == Kind::Digits);
        let is_month = is_verb && (BEFORE_MONTHS.contains(&self.before(at)) || after_month || has_day);
        (is_month || is_calendar_word(self.word(at))).then_some(at + 1)
    }

    fn person(&self, at: usize) -> Option<usize> {
        let is_title = TITLES.contains(&self.word(at));
        let has_stop = is_title && self.0.get(at + 1).is_some_and(|token| token.is("."));
        let first = at + usize::from(is_title) + usize::from(has_stop);
        let is_name = |at: usize| self.is_word(at) && !is_stop_word(self.word(at));
        let greeted = BEFORE_NAMES.contains(&self.before(at))
            || self.before(at) == "you" && at >= 2 && self.word(at - 2) == "thank";
        let is_first = is_first_name(self.word(first), !greeted);
        if !(is_first || is_title && is_name(first)) {
            return None;
        }
        let is_possessive = self.0.get(first).is_some_and(|token| token.lower != plain(&token.lower));
        // `Steve noted` is a name and a verb.
        let is_verb = self.word(first + 1).ends_with("ed");
        let has_last = is_first && !greeted && !is_possessive && !is_verb && is_name(first + 1);
        Some(first + 1 + usize::from(has_last))
    }
}

fn plain(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn written(text: &str) -> String {
        let tokens = tokens(text, 0..text.len());
        let mut bytes = text.as_bytes().to_vec();
        for (token, written) in tokens.iter().zip(writing(&tokens)) {
            match written {
                Writing::Lower => {}
                Writing::Capital => bytes[token.range.start].make_ascii_uppercase(),
                Writing::Capitals => bytes[token.range.clone()].make_ascii_uppercase(),
            }
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn abbreviations_are_in_capitals() {
        assert_eq!(
            written("the ceo of ubs told us about covid-19."),
            "The CEO of UBS told us about COVID-19."
        );
        assert_eq!(
            written("sales in the us and the u.s. grew, mr. vega."),
            "Sales in the US and the U.S. grew, Mr. Vega."
        );
        assert_eq!(written("hmm, that is 3 km, dr smith."), "Hmm, that is 3 km, Dr Smith.");
    }

    #[test]
    fn directions_and_words_of_organizations_belong_to_names() {
        assert_eq!(written("go west to southern spain."), "Go west to Southern Spain.");
        assert_eq!(
            written("he left barclays capital in the northeast."),
            "He left Barclays Capital in the Northeast."
        );
    }

    #[test]
    fn months_and_names_that_are_words_need_their_context() {
        assert_eq!(written("it may snow in may or march 3."), "It may snow in May or March 3.");
        assert_eq!(written("thank you mark, you hit the mark."), "Thank you Mark, you hit the mark.");
        assert_eq!(written("then steve noted it."), "Then Steve noted it.");
    }
}
