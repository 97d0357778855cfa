//! Keeps out of the net's names what speech puts into them: sounds, pronouns, greetings and the titles of jobs.

use std::ops::Range;

use super::kinds::EntityKind;
use crate::gazetteer::is_first_name;
use crate::spoken::{SpokenLine, is_number_word, number, two_digits};
use crate::stop_words::is_stop_word;
use crate::words::{Kind, Token, tokens};

/// Last words of a job or an office, which is neither a person nor an organization.
const ROLES: [&str; 21] = [
    "analyst",
    "chairman",
    "chairwoman",
    "coach",
    "commissioner",
    "designer",
    "director",
    "engineer",
    "expert",
    "governor",
    "manager",
    "mayor",
    "minister",
    "moderator",
    "officer",
    "operator",
    "president",
    "professor",
    "secretary",
    "senator",
    "treasurer",
];
/// Other titles. They are last names too, so they count only by themselves.
const TITLES: [&str; 25] = [
    "captain",
    "ceo",
    "cfo",
    "chair",
    "chancellor",
    "chief executive",
    "colonel",
    "coo",
    "cto",
    "doctor",
    "general",
    "government",
    "judge",
    "king",
    "lieutenant",
    "madam",
    "madam chair",
    "madam speaker",
    "major",
    "mr. chair",
    "pope",
    "prince",
    "princess",
    "queen",
    "sir",
];
/// Words that are not names where nothing else is beside them.
const INTERJECTIONS: [&str; 38] = [
    "ah", "alright", "aye", "bye", "cheers", "eh", "er", "erm", "goodbye", "great", "hello", "hey", "hi",
    "huh", "nah", "nice", "no", "nope", "nuh", "oh", "ok", "okay", "ooh", "ouch", "please", "right", "sorry",
    "sure", "thanks", "uh", "uhm", "um", "umh", "umm", "wow", "yeah", "yep", "yes",
];
/// Words that do not end a date.
const LOOSE_ENDS: [&str; 17] = [
    "a", "an", "and", "as", "at", "by", "for", "from", "i", "in", "of", "or", "so", "that", "the", "to", "we",
];
/// Words before the last two digits of a year in words.
const BEFORE_SHORT_YEARS: [&str; 6] = ["in", "since", "of", "until", "by", "from"];
/// Characters around a name that are not part of it.
const SIGNS: &str = ",;:!?\"-";

/// The names in one text.
pub(super) struct NameFilter<'a> {
    pub(super) text: &'a str,
    /// The sentences of the text, from left to right.
    pub(super) sentences: &'a [Range<usize>],
    /// Whether the text was written with capitals, and they were not restored.
    pub(super) has_case: bool,
}

impl NameFilter<'_> {
    /// The entity without what is not part of it; `None` if nothing is left, or if it is not an entity.
    pub(super) fn cleaned(&self, range: Range<usize>, kind: EntityKind) -> Option<Range<usize>> {
        match kind {
            EntityKind::Person | EntityKind::Location | EntityKind::Organization => self.name(range),
            EntityKind::Time if is_greeting(&self.text[..range.start], &self.text[range.clone()]) => None,
            EntityKind::Date if self.is_number(range.clone()) => None,
            EntityKind::Date => self.without_loose_end(self.without_sounds(range)?),
            EntityKind::Time
            | EntityKind::Money
            | EntityKind::Percent
            | EntityKind::Number
            | EntityKind::Phone
            | EntityKind::Email
            | EntityKind::Url => self.without_sounds(range),
        }
    }

    /// Whether a date is only a small number, such as that of a slide, or a number in words, such as `ninety eight point
    /// six`. `'21` and `in ninety two` are years.
    fn is_number(&self, range: Range<usize>) -> bool {
        let before = self.text[..range.start].trim_end();
        let is_small = |letter: char| letter.is_ascii_digit() || letter.is_whitespace();
        if range.len() <= 2 {
            return self.text[range].chars().all(is_small) && !before.ends_with(['\'', '’']);
        }
        let words = self.words(range);
        let is_part = |word: &Token| {
            is_number_word(&word.lower) || word.is_one_of(&["a", "and", "half", "percent", "point", "to"])
        };
        let line = SpokenLine { tokens: &words };
        let whole = number(line, 0).filter(|numeral| numeral.tokens.end == words.len() && numeral.is_whole());
        let is_year = whole.as_ref().is_some_and(|numeral| (1900..2100).contains(&numeral.value));
        let is_short_year = whole.is_some_and(|numeral| (10..100).contains(&numeral.value))
            && before
                .split_whitespace()
                .next_back()
                .is_some_and(|word| BEFORE_SHORT_YEARS.iter().any(|known| known.eq_ignore_ascii_case(word)));
        let is_pair =
            whole_pair(line) && !words.iter().any(|word| word.is_one_of(&["point", "half", "percent"]));
        words.iter().all(is_part) && !is_year && !is_short_year && !is_pair
    }

    /// The range without words that only lead to the next ones: `the quarter` of `the quarter to a`.
    fn without_loose_end(&self, range: Range<usize>) -> Option<Range<usize>> {
        let words = self.words(range.clone());
        let last = words.iter().rposition(|word| !word.is_one_of(&LOOSE_ENDS))?;
        let end = if last + 1 == words.len() { range.end } else { words[last].range.end };
        Some(range.start..end)
    }

    fn name(&self, range: Range<usize>) -> Option<Range<usize>> {
        let range = self.without_sounds(range)?;
        let mut name = without_article(&self.text[range.clone()]);
        name = ["'s", "’s", "'S", "’S"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
        name = name.trim_matches(|letter: char| letter.is_whitespace() || SIGNS.contains(letter));
        let from = range.start + self.text[range].find(name)?;
        let range = from..from + name.len();
        let is_name =
            !(name.is_empty() || is_title(name) || self.is_no_name(range.clone()) || self.is_cut(from, name));
        is_name.then_some(range)
    }

    /// The range without sounds at its ends: `Boston` of `Boston uh`.
    fn without_sounds(&self, range: Range<usize>) -> Option<Range<usize>> {
        let words = self.words(range.clone());
        let first = words.iter().position(|word| !is_sound(word))?;
        let last = words.iter().rposition(|word| !is_sound(word))?;
        let start = if first == 0 { range.start } else { words[first].range.start };
        let end = if last + 1 == words.len() { range.end } else { words[last].range.end };
        Some(start..end)
    }

    fn words(&self, range: Range<usize>) -> Vec<Token> {
        let mut words = tokens(self.text, range);
        words.retain(|word| word.kind != Kind::Sign);
        words
    }

    /// Whether nothing in the name can be one.
    fn is_no_name(&self, range: Range<usize>) -> bool {
        let words = self.words(range.clone());
        let is_ordinary = |word: &Token| {
            !word.all_capitals && (is_stop_word(&word.lower) || word.is_one_of(&INTERJECTIONS))
        };
        let is_part = |letter: char| letter.is_uppercase() || letter.is_ascii_digit();
        let lacks_capital =
            !self.text[range.clone()].contains(is_part) && self.has_capitals_around(range.start);
        words.iter().all(is_ordinary) || lacks_capital && !self.is_name_in_lower_case(&words)
    }

    /// Whether words without a capital are a name nevertheless: several words, or a first name without an article.
    fn is_name_in_lower_case(&self, words: &[Token]) -> bool {
        let [word] = words else { return true };
        let before = self.text[..word.range.start].split_whitespace().next_back().unwrap_or_default();
        let is_noun =
            ["a", "an", "the", "this", "that", "of", "my", "your"].contains(&before.to_lowercase().as_str());
        is_first_name(&word.lower, true) && !is_noun
    }

    /// Whether the sentence of a name is written with capitals, so that a name without one is none.
    fn has_capitals_around(&self, at: usize) -> bool {
        let nth = self.sentences.partition_point(|sentence| sentence.end <= at);
        let sentence = self.sentences.get(nth).map_or("", |range| &self.text[range.clone()]);
        self.has_case
            && sentence.chars().find(|letter| letter.is_alphabetic()).is_some_and(char::is_uppercase)
    }

    /// Whether the name is the rest of a word such as `'Kay` for `Okay`.
    fn is_cut(&self, start: usize, name: &str) -> bool {
        name.eq_ignore_ascii_case("kay") && self.text[..start].ends_with(['\'', '’'])
    }
}

/// Whether the words are two numbers of two digits, as those of `twenty twenty one`.
fn whole_pair(line: SpokenLine<'_>) -> bool {
    let second = two_digits(line, 0).and_then(|(_, second)| two_digits(line, second));
    second.is_some_and(|(_, end)| end == line.tokens.len())
}

fn is_title(name: &str) -> bool {
    let lower = name.to_lowercase();
    let last = lower.split_whitespace().next_back().unwrap_or_default();
    ROLES.contains(&last) || TITLES.contains(&lower.as_str())
}

/// A sound such as `uh`, `Mm` and `mm-hmm`. Abbreviations such as `HMM` are none.
fn is_sound(word: &Token) -> bool {
    let is_hum = word.lower.len() > 1 && word.lower.chars().all(|letter| "mhn".contains(letter));
    !word.all_capitals && (is_hum || word.is_one_of(&["uh", "um", "umm", "uhm", "umh", "er", "erm", "huh"]))
}

/// Whether a time is part of a greeting: `good morning`.
fn is_greeting(before: &str, time: &str) -> bool {
    let is_good = |word: &str| word.eq_ignore_ascii_case("good");
    let after_good =
        before.ends_with(char::is_whitespace) && before.split_whitespace().next_back().is_some_and(is_good);
    let words: Vec<&str> = time.split_whitespace().collect();
    match words.as_slice() {
        [time] => after_good && is_time_of_day(time),
        [good, time] => is_good(good) && is_time_of_day(time),
        _ => false,
    }
}

fn is_time_of_day(word: &str) -> bool {
    ["morning", "afternoon", "evening", "night"].iter().any(|time| time.eq_ignore_ascii_case(word))
}

/// The name without an article before it.
fn without_article(name: &str) -> &str {
    let first = name.split_whitespace().next().unwrap_or_default();
    let is_article =
        ["the", "a", "an"].iter().any(|word| word.eq_ignore_ascii_case(first)) && first.len() < name.len();
    if is_article { name.trim_start()[first.len()..].trim_start() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EntityKind::{Date, Location, Organization, Person, Time};

    fn cleaned(text: &'static str, name: &str, kind: EntityKind) -> Option<&'static str> {
        let start = text.find(name).expect("the name is in the text");
        let sentences: Vec<Range<usize>> = std::iter::once(0..text.len()).collect();
        let filter = NameFilter { text, sentences: &sentences, has_case: true };
        filter.cleaned(start..start + name.len(), kind).map(|range| &text[range])
    }

    #[test]
    fn a_greeting_has_no_time() {
        assert_eq!(cleaned("Good morning everyone.", "morning", Time), None);
        assert_eq!(cleaned("Good evening.", "Good evening", Time), None);
        assert_eq!(cleaned("I came this morning.", "this morning", Time), Some("this morning"));
        assert_eq!(cleaned("In the morning.", "morning", Time), Some("morning"));
    }

    #[test]
    fn a_date_has_no_loose_end() {
        assert_eq!(cleaned("in the quarter to a hundred", "the quarter to a", Date), Some("the quarter"));
        assert_eq!(cleaned("for years to come", "years to come", Date), Some("years to come"));
        assert_eq!(cleaned("of the", "of the", Date), None);
        assert_eq!(cleaned("In April I start", "April I", Date), Some("April"));
        assert_eq!(cleaned("turn to slide 19", "19", Date), None);
        assert_eq!(cleaned("in '21 and", "21", Date), Some("21"));
        assert_eq!(cleaned("temperature ninety eight point six", "ninety eight point six", Date), None);
        assert_eq!(cleaned("heart rate ninety two today", "ninety two", Date), None);
        assert_eq!(cleaned("it was in ninety two", "ninety two", Date), Some("ninety two"));
        assert_eq!(cleaned("In ninety two we met", "ninety two", Date), Some("ninety two"));
        assert_eq!(cleaned("by twenty twenty one", "twenty twenty one", Date), Some("twenty twenty one"));
    }

    #[test]
    fn names_have_no_articles_and_titles_are_no_names() {
        assert_eq!(cleaned("at the Tate's door", "the Tate's", Organization), Some("Tate"));
        assert_eq!(cleaned("the Prime Minister said", "Prime Minister", Person), None);
        assert_eq!(cleaned("Yes, Chair, I do", "Chair", Person), None);
        assert_eq!(cleaned("read Stephen King", "Stephen King", Person), Some("Stephen King"));
    }

    #[test]
    fn sounds_pronouns_and_words_without_capitals_are_no_names() {
        for (text, name) in [
            ("Mm-hmm. Right.", "Mm-hmm"),
            ("Okay. 'Kay. Fine.", "Kay"),
            ("That's, it's hard.", "it's"),
            ("I'm near the mike here.", "mike"),
            ("Yeah Yeah. Fine.", "Yeah Yeah"),
        ] {
            assert_eq!(cleaned(text, name, Person), None, "{text}");
        }
        assert_eq!(cleaned("Then kevin wins.", "kevin", Person), Some("kevin"));
        assert_eq!(cleaned("It's like real madrid.", "real madrid", Organization), Some("real madrid"));
        assert_eq!(cleaned("we go to boston uh today", "boston uh", Location), Some("boston"));
        assert_eq!(cleaned("The US and Boston Uh", "US", Location), Some("US"));
        assert_eq!(cleaned("The US and Boston Uh", "Boston Uh", Location), Some("Boston"));
        assert_eq!(cleaned("It was um two weeks ago", "um two weeks ago", Date), Some("two weeks ago"));
    }
}
