//! Names of people, places and organisations: by known names, by the words around them, by their capitals.

use std::collections::HashMap;
use std::ops::Range;

use super::super::gazetteer::{is_first_name, organization_at, place_at};
use super::super::spoken::is_calendar_word;
use super::super::stop_words::is_stop_word;
use super::{EntityKind, Found, Kind, Token, span};

/// Names remembered of one transcript at most.
const MOST_KNOWN: usize = 20_000;

const TITLES: [&str; 11] =
    ["mr", "mrs", "ms", "miss", "dr", "doctor", "professor", "prof", "sir", "captain", "officer"];
/// Last words of the names of organisations.
const COMPANY_WORDS: [&str; 46] = [
    "inc",
    "corp",
    "corporation",
    "ltd",
    "llc",
    "gmbh",
    "company",
    "group",
    "bank",
    "university",
    "college",
    "school",
    "hospital",
    "institute",
    "foundation",
    "association",
    "airlines",
    "airways",
    "insurance",
    "logistics",
    "systems",
    "solutions",
    "technologies",
    "software",
    "labs",
    "motors",
    "pharmacy",
    "clinic",
    "church",
    "agency",
    "department",
    "ministry",
    "council",
    "committee",
    "partners",
    "capital",
    "media",
    "studios",
    "energy",
    "foods",
    "broadband",
    "telecom",
    "networks",
    "consulting",
    "services",
    "industries",
];
/// Last words of the names of places.
const PLACE_WORDS: [&str; 22] = [
    "street",
    "avenue",
    "road",
    "boulevard",
    "lane",
    "drive",
    "square",
    "county",
    "city",
    "island",
    "islands",
    "river",
    "lake",
    "mountain",
    "mountains",
    "valley",
    "beach",
    "park",
    "airport",
    "bridge",
    "bay",
    "heights",
];
/// Words with capitals that name none of the three.
const OTHER_CAPITALS: [&str; 62] = [
    "i",
    "ok",
    "tv",
    "pc",
    "pdf",
    "ceo",
    "cfo",
    "cto",
    "hr",
    "it",
    "id",
    "faq",
    "api",
    "usb",
    "gps",
    "dvd",
    "cd",
    "atm",
    "pin",
    "sms",
    "url",
    "am",
    "pm",
    "english",
    "american",
    "british",
    "french",
    "german",
    "spanish",
    "italian",
    "chinese",
    "japanese",
    "russian",
    "dutch",
    "european",
    "african",
    "asian",
    "canadian",
    "australian",
    "indian",
    "mexican",
    "irish",
    "scottish",
    "christmas",
    "easter",
    "thanksgiving",
    "halloween",
    "internet",
    "wifi",
    "bluetooth",
    "god",
    "lord",
    "yankee",
    "catholic",
    "christian",
    "jewish",
    "muslim",
    "covid",
    "asap",
    "vip",
    "diy",
    "sim",
];
/// Words after which a person is named, with the sign-off words of a call among them.
const BEFORE_PERSONS: [&[&str]; 22] = [
    &["my", "name", "is"],
    &["my", "name's"],
    &["the", "name", "is"],
    &["the", "name's"],
    &["name", "is"],
    &["this", "is"],
    &["i'm"],
    &["i", "am"],
    &["speaking", "with"],
    &["speaking", "to"],
    &["speak", "to"],
    &["speak", "with"],
    &["talk", "to"],
    &["talked", "to"],
    &["talking", "to"],
    &["spoke", "to"],
    &["spoke", "with"],
    &["ask", "for"],
    &["asked"],
    &["told"],
    &["call", "me"],
    &["named"],
];
const GREETINGS: [&str; 8] = ["hi", "hello", "hey", "thanks", "bye", "goodbye", "dear", "you"];
const BEFORE_PLACES: [&str; 4] = ["in", "from", "near", "visiting"];
const BEFORE_COMPANIES: [&[&str]; 8] = [
    &["work", "for"],
    &["works", "for"],
    &["work", "at"],
    &["works", "at"],
    &["working", "at"],
    &["working", "for"],
    &["company", "called"],
    &["joined"],
];

/// What a name seems to be, somewhere in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guess {
    pub(super) name: String,
    pub(super) kind: EntityKind,
    pub(super) weight: f64,
}

/// What the names of a transcript are, by all that is said of them.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<String, [f64; 3]>);

const NAMED: [EntityKind; 3] = [EntityKind::Person, EntityKind::Location, EntityKind::Organization];

impl Known {
    pub(super) fn hear(&mut self, guess: Guess) {
        let place = NAMED.iter().position(|kind| *kind == guess.kind).unwrap_or(0);
        if self.0.len() < MOST_KNOWN || self.0.contains_key(&guess.name) {
            self.0.entry(guess.name).or_default()[place] += guess.weight;
        }
    }

    fn kind_of(&self, name: &str) -> Option<(EntityKind, f64)> {
        let weights = self.0.get(name)?;
        let best = weights.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1))?;
        (*best.1 >= 0.5).then(|| (NAMED[best.0], (0.55 + best.1 * 0.1).min(0.9)))
    }
}

/// Names whose kind can be told from their own sentence.
pub(super) fn guesses(text: &str, tokens: &[Token]) -> Vec<Guess> {
    let mut guesses = Vec::new();
    for run in runs(tokens) {
        let Some((kind, weight)) = judge(tokens, &run) else { continue };
        let name = text[possessed(text, tokens, &run)].to_lowercase();
        // The parts of a person's name stand for the person later on.
        if kind == EntityKind::Person && run.len() > 1 {
            for part in run
                .clone()
                .filter(|at| tokens[*at].kind == Kind::Word && !TITLES.contains(&tokens[*at].lower.as_str()))
            {
                guesses.push(Guess { name: tokens[part].lower.clone(), kind, weight });
            }
        }
        guesses.push(Guess { name, kind, weight });
    }
    guesses
}

/// The names of a sentence, with what the whole text knows.
pub(super) fn find(text: &str, tokens: &[Token], known: &Known) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let name = |run: &Range<usize>| text[possessed(text, tokens, run)].to_lowercase();
    for run in runs(tokens) {
        let told = judge(tokens, &run).map(|(kind, weight)| (kind, (0.5 + weight * 0.45).min(0.97)));
        if let Some((kind, confidence)) = told.or_else(|| known.kind_of(&name(&run))) {
            found.push(Found {
                range: possessed(text, tokens, &run),
                kind,
                confidence: hundredths(confidence),
            });
        }
    }
    found
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The place of a run in the text, without the `'s` of a possessive.
fn possessed(text: &str, tokens: &[Token], run: &Range<usize>) -> Range<usize> {
    let range = span(tokens, run);
    // `McDonald's` has it in its name.
    if tokens[run.end - 1].is("mcdonald's") {
        return range;
    }
    let name = &text[range.clone()];
    let tails = ["'s", "’s", "'S", "’S"];
    let bare = tails.iter().find_map(|tail| name.strip_suffix(tail)).unwrap_or(name);
    range.start..range.start + bare.len()
}

/// Runs of tokens that may be one name.
fn runs(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match run_at(tokens, at) {
            Some(end) => {
                runs.push(at..end);
                at = end;
            }
            None => at += 1,
        }
    }
    runs
}

fn run_at(tokens: &[Token], at: usize) -> Option<usize> {
    let place = place_at(tokens, at);
    if let Some(end) = place.or_else(|| organization_at(tokens, at)) {
        // `Chicago Bank` is a bank, `Washington Irving` nobody knows.
        let longer =
            tokens.get(end).is_some_and(|next| next.capital && COMPANY_WORDS.contains(&next.lower.as_str()));
        return Some(if longer { end + 1 } else { end });
    }
    let titled = TITLES.contains(&tokens[at].lower.as_str()) && tokens[at].capital;
    let mut end = at;
    if titled {
        end = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|token| token.is(".")));
    }
    let start = end;
    while let Some(token) = tokens.get(end) {
        if is_name_word(tokens, end)
            && (end == start || place_at(tokens, end).is_none() || is_first_name(&token.lower, true))
        {
            end += 1;
        } else if end > start && (token.is("of") || token.is("&")) && is_name_word_at(tokens, end + 1) {
            end += 2;
        } else {
            break;
        }
        // A possessive ends a name.
        if tokens[end - 1].lower.ends_with("'s") {
            break;
        }
    }
    if end > start {
        return Some(end);
    }
    // In small letters only a known first name after words that announce one, or a full name.
    let lone = !titled && is_first_name(&tokens[at].lower, true) && !tokens[at].capital;
    (lone && announced(tokens, at)).then_some(at + 1)
}

fn is_name_word_at(tokens: &[Token], at: usize) -> bool {
    at < tokens.len() && is_name_word(tokens, at)
}

/// A word with a capital that may be part of a name.
fn is_name_word(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if token.kind != Kind::Word || !token.capital {
        return false;
    }
    let plain = token.lower.strip_suffix("'s").unwrap_or(&token.lower);
    let stop = is_stop_word(plain) || plain.contains('\'') || plain.chars().count() < 2;
    let other = OTHER_CAPITALS.contains(&plain) || is_calendar_word(plain);
    let first = starts_sentence(tokens, at);
    // The first word has its capital anyway, so it must be known, or be followed by another name word.
    let known = is_first_name(plain, false)
        || organization_word(tokens, at + 1)
        || is_first_name_before(tokens, at + 1);
    !other && (!stop || is_first_name(plain, true)) && (!first || known)
}

fn organization_word(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.capital && COMPANY_WORDS.contains(&token.lower.as_str()))
}

fn is_first_name_before(tokens: &[Token], at: usize) -> bool {
    // `Quillon is here`: told by the whole text, not here.
    tokens.get(at).is_none_or(|token| token.kind == Kind::Sign && token.is("'")) || lone_first(tokens, at)
}

/// A sentence that begins with a word in capitals which a verb follows: it may be a name that the text knows.
fn lone_first(tokens: &[Token], at: usize) -> bool {
    at == 1
        && tokens.get(at).is_some_and(|token| {
            token.is_one_of(&["is", "was", "said", "says", "has", "will", "called", "and"])
        })
}

fn starts_sentence(tokens: &[Token], at: usize) -> bool {
    tokens[..at].iter().all(|token| token.kind == Kind::Sign)
}

fn announced(tokens: &[Token], at: usize) -> bool {
    let follows = |words: &&[&str]| {
        at.checked_sub(words.len())
            .is_some_and(|from| words.iter().enumerate().all(|(nth, word)| tokens[from + nth].is(word)))
    };
    BEFORE_PERSONS.iter().any(follows) || tokens.get(at + 1).is_some_and(|next| next.is("speaking"))
}

fn employs(tokens: &[Token], at: usize) -> bool {
    BEFORE_COMPANIES.iter().any(|words| {
        at.checked_sub(words.len())
            .is_some_and(|from| words.iter().enumerate().all(|(nth, word)| tokens[from + nth].is(word)))
    })
}

/// What a run is, as far as its own sentence tells, and how sure that is.
fn judge(tokens: &[Token], run: &Range<usize>) -> Option<(EntityKind, f64)> {
    let first = tokens[run.start].lower.trim_end_matches("'s").to_owned();
    let last = tokens[run.end - 1].lower.trim_end_matches("'s").to_owned();
    let before = run.start.checked_sub(1).map_or("", |at| tokens[at].lower.as_str());
    if COMPANY_WORDS.contains(&last.as_str()) && run.len() > 1 || last == "inc" {
        return Some((EntityKind::Organization, 0.9));
    }
    if TITLES.contains(&first.as_str()) && run.len() > 1 {
        return Some((EntityKind::Person, 1.0));
    }
    if organization_at(tokens, run.start) == Some(run.end) && place_at(tokens, run.start).is_none() {
        return Some((EntityKind::Organization, 0.9));
    }
    let person = is_first_name(&first, false) && tokens[run.start].capital || is_first_name(&first, true);
    if let Some(end) = place_at(tokens, run.start).filter(|end| *end == run.end) {
        // `Austin`, `Charlotte`, `Florence` may be either.
        let somebody =
            person && (announced(tokens, run.start) || GREETINGS.contains(&before)) && end == run.start + 1;
        return Some(if somebody { (EntityKind::Person, 0.8) } else { (EntityKind::Location, 0.95) });
    }
    if PLACE_WORDS.contains(&last.as_str()) && run.len() > 1 {
        return Some((EntityKind::Location, 0.8));
    }
    if employs(tokens, run.start) {
        return Some((EntityKind::Organization, 0.7));
    }
    if announced(tokens, run.start) {
        return Some((EntityKind::Person, if person { 1.0 } else { 0.8 }));
    }
    if person {
        return Some((EntityKind::Person, 0.9));
    }
    if starts_sentence(tokens, run.start) {
        return None;
    }
    let acronym = run.len() == 1 && tokens[run.start].all_capitals;
    if acronym {
        return Some((EntityKind::Organization, 0.3));
    }
    if GREETINGS.contains(&before)
        || before == "," && run.start >= 2 && GREETINGS.contains(&tokens[run.start - 2].lower.as_str())
    {
        return Some((EntityKind::Person, 0.6));
    }
    if BEFORE_PLACES.contains(&before) {
        return Some((EntityKind::Location, 0.4));
    }
    (run.len() == 2).then_some((EntityKind::Person, 0.4))
}
