//! The names of people in a sentence without capitals.

use super::line::{LowerLine, Names};
use super::pairs::{Pairs, may_be_surname, without_possessive};
use crate::gazetteer::is_first_name;
use crate::stop_words::is_stop_word;

/// Titles before a name.
const TITLES: [&str; 8] = ["mr", "mrs", "ms", "miss", "dr", "doctor", "professor", "prof"];
/// Titles that are nothing but titles.
const SURE_TITLES: [&str; 5] = ["mr", "mrs", "ms", "dr", "prof"];
/// Words before a first name and a surname.
const ROLES: [&str; 31] = [
    "analyst",
    "attorney",
    "author",
    "captain",
    "chairman",
    "chairwoman",
    "coach",
    "colonel",
    "congressman",
    "congresswoman",
    "correspondent",
    "detective",
    "director",
    "doctor",
    "general",
    "governor",
    "host",
    "inspector",
    "judge",
    "justice",
    "lieutenant",
    "mayor",
    "minister",
    "officer",
    "president",
    "professor",
    "reporter",
    "secretary",
    "senator",
    "sergeant",
    "sir",
];
/// Words before a name that is also a word: `thanks mark`.
const GREETINGS: [&str; 6] = ["thanks", "thank", "hi", "hello", "hey", "morning"];

impl LowerLine<'_> {
    /// Where the name of a person ends that begins at a token.
    pub(super) fn person(&self, at: usize) -> Option<usize> {
        match self.names {
            Names::Likely => self.likely_person(at),
            Names::Sure(pairs) => self.titled(at).or_else(|| self.sure_person(at, pairs)),
        }
    }

    fn likely_person(&self, at: usize) -> Option<usize> {
        let is_title = TITLES.contains(&self.word(at));
        let first = self.after_title(at, is_title);
        let greeted = self.is_greeted(at);
        let is_first = is_first_name(self.word(first), !greeted);
        if !(is_first || is_title && self.is_name(first)) {
            return None;
        }
        // `Steve noted` is a name and a verb.
        let is_verb = self.word(first + 1).ends_with("ed");
        let has_last =
            is_first && !greeted && !self.is_possessive(first) && !is_verb && self.is_name(first + 1);
        Some(first + 1 + usize::from(has_last))
    }

    /// `dr patel`, `mr. daniel craig`.
    fn titled(&self, at: usize) -> Option<usize> {
        let is_title = SURE_TITLES.contains(&self.word(at));
        let first = self.after_title(at, is_title);
        if !is_title || !self.is_name(first) {
            return None;
        }
        let has_last = is_first_name(self.word(first), true) && self.has_surname(first);
        Some(first + 1 + usize::from(has_last))
    }

    /// A first name, with a surname after an introduction or a role, or if both are said together again.
    fn sure_person(&self, at: usize, pairs: &Pairs) -> Option<usize> {
        if !is_first_name(self.word(at), !self.is_greeted(at)) {
            return None;
        }
        let is_repeated = || pairs.is_repeated(&self.tokens[at], &self.tokens[at + 1]);
        let has_last = self.has_surname(at) && (self.is_introduced(at) || is_repeated());
        Some(at + 1 + usize::from(has_last))
    }

    fn after_title(&self, at: usize, is_title: bool) -> usize {
        let has_stop = is_title && self.tokens.get(at + 1).is_some_and(|token| token.is("."));
        at + usize::from(is_title) + usize::from(has_stop)
    }

    fn is_name(&self, at: usize) -> bool {
        self.is_word(at) && !is_stop_word(self.word(at))
    }

    fn has_surname(&self, first: usize) -> bool {
        !self.is_possessive(first) && self.tokens.get(first + 1).is_some_and(may_be_surname)
    }

    fn is_possessive(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.lower != without_possessive(&token.lower))
    }

    /// Whether a greeting or thanks are before a word: `thank you mark`.
    fn is_greeted(&self, at: usize) -> bool {
        let thanked = self.before(at) == "you" && at >= 2 && self.word(at - 2) == "thank";
        GREETINGS.contains(&self.before(at)) || thanked
    }

    /// Whether somebody is introduced here: `my name is`, `this is`, `i'm`, `mayor`.
    fn is_introduced(&self, at: usize) -> bool {
        let two = (at >= 2).then(|| (self.word(at - 2), self.before(at)));
        matches!(two, Some(("name" | "this", "is") | ("i", "am")))
            || matches!(self.before(at), "i'm" | "name" | "named")
            || ROLES.contains(&self.before(at))
    }
}
