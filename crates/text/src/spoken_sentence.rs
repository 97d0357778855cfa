//! Sentences of spoken language: joined where the recognizer cut them, without fillers and repeated words.

use std::ops::Range;

use super::parsed_transcript::ParsedTranscript;
use super::spoken::is_number_word;

/// Maximum sentences of the recognizer that are joined to one spoken sentence.
const MAX_PIECES: usize = 3;
/// Maximum words of another speaker's interjection inside a sentence, such as `mm-hmm` or `oh I see`.
const INTERJECTION_WORDS: usize = 3;
/// A transcript in which fewer than one in this many sentences ends with a stop has no punctuation.
const PUNCTUATED: usize = 4;
/// Sentences from which it is judged whether a transcript has punctuation.
const JUDGED_SENTENCES: usize = 2_000;
/// If fewer words than this would remain, the fillers are kept.
const MIN_WORDS: usize = 3;

/// Sounds that are not words anywhere in a sentence.
const SOUNDS: [&str; 16] = [
    "um", "umm", "uh", "uhm", "er", "erm", "hm", "hmm", "mm", "mmm", "mhm", "mm-hmm", "uh-huh", "ah", "eh",
    "huh",
];
/// Fillers at the start of a sentence.
const OPENERS: [&str; 8] = ["oh", "yeah", "yep", "okay", "ok", "and", "alright", "hey"];
/// Words that are fillers at the start of a sentence if a comma follows.
const OPENERS_WITH_COMMA: [&str; 29] = [
    "well",
    "so",
    "now",
    "right",
    "like",
    "no",
    "yes",
    "actually",
    "anyway",
    "but",
    "you know",
    "i mean",
    "sure",
    "hi",
    "hello",
    "hi everyone",
    "hello everyone",
    "good morning",
    "good afternoon",
    "good evening",
    "good morning everyone",
    "good afternoon everyone",
    "good",
    "of course",
    "excuse me",
    "let's see",
    "let me see",
    "by the way",
    "you see",
];
/// Fillers between commas inside a sentence.
const INSERTED: [&str; 5] = [", you know,", ", i mean,", ", like,", ", sort of,", ", kind of,"];
/// Words that no finished sentence ends with.
const UNFINISHED: [&str; 26] = [
    "a", "an", "and", "as", "at", "because", "but", "for", "from", "if", "into", "my", "of", "or", "our",
    "so", "than", "the", "their", "to", "we're", "we", "which", "with", "your", "i",
];

/// Joins and cleans the sentences of one transcript.
pub(super) struct SpokenSentences<'a> {
    parsed: &'a ParsedTranscript,
    is_punctuated: bool,
}

impl<'a> SpokenSentences<'a> {
    pub(super) fn new(parsed: &'a ParsedTranscript) -> Self {
        let judged = parsed.sentences.len().min(JUDGED_SENTENCES);
        let stops = (0..judged).filter(|nth| has_stop(parsed.sentence(*nth))).count();
        Self { parsed, is_punctuated: stops * PUNCTUATED > judged }
    }

    /// The whole sentence that a piece belongs to, cleaned; `None` if its end was not said.
    pub(super) fn whole(&self, piece: usize) -> Option<String> {
        let first = self.first_piece(piece);
        let mut text = self.parsed.sentence(first).to_owned();
        let mut last = first;
        for _ in 1..MAX_PIECES {
            if self.is_finished(last) {
                break;
            }
            let Some(next) = self.continuation(last) else { break };
            text = format!("{} {}", text.trim_end_matches(['-', '—', '…', ' ']), self.parsed.sentence(next));
            last = next;
        }
        (self.is_finished(last) && last >= piece).then(|| with_stop(tidy(&text)))
    }

    /// A piece that starts in lower case continues the unfinished sentence before it.
    fn first_piece(&self, piece: usize) -> usize {
        let mut first = piece;
        for _ in 1..MAX_PIECES {
            let Some(before) = first.checked_sub(1) else { break };
            let before = if self.is_interjection(before, first) { before.saturating_sub(1) } else { before };
            let joined = self.continuation(before) == Some(first) && !self.is_finished(before);
            if !joined {
                break;
            }
            first = before;
        }
        first
    }

    /// The next sentence of the same speaker if it goes on in lower case, over an interjection of somebody else.
    fn continuation(&self, sentence: usize) -> Option<usize> {
        let after = sentence + 1;
        let next = if self.is_interjection(after, sentence) { after + 1 } else { after };
        let text = (next < self.parsed.sentences.len()).then(|| self.parsed.sentence(next))?;
        let goes_on = text.trim_start_matches(['-', '—', '…', '.', ' ']).starts_with(char::is_lowercase);
        (goes_on && self.parsed.speaker(next) == self.parsed.speaker(sentence)).then_some(next)
    }

    fn is_interjection(&self, sentence: usize, beside: usize) -> bool {
        sentence < self.parsed.sentences.len()
            && self.parsed.speaker(sentence) != self.parsed.speaker(beside)
            && self.parsed.sentence(sentence).split_whitespace().count() <= INTERJECTION_WORDS
    }

    /// Whether a sentence was said to its end.
    fn is_finished(&self, sentence: usize) -> bool {
        let text = self.parsed.sentence(sentence);
        let last = text.rsplit(char::is_whitespace).next().unwrap_or(text);
        let word = last.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        let is_question = text.ends_with('?');
        if !is_question && UNFINISHED.contains(&word.as_str())
            || text.ends_with(['-', '—', '…', ','])
            || text.ends_with("..")
        {
            return false;
        }
        has_stop(text) || !self.is_punctuated
    }
}

fn has_stop(sentence: &str) -> bool {
    sentence
        .trim_end_matches(['"', '\'', '”', '’', ')', ']', '»'])
        .ends_with(['.', '!', '?', '。', '！', '？'])
}

/// A sentence with a full stop if it has no other end.
pub(super) fn with_stop(sentence: String) -> String {
    let stop = sentence.ends_with(char::is_alphanumeric) || sentence.ends_with(['%', '°', '€']);
    if stop { sentence + "." } else { sentence }
}

/// A sentence without fillers, false starts and repeated words, with a capital at its start.
pub(super) fn tidy(sentence: &str) -> String {
    let joined = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    // A word may be said again after a sound: `we're, uh, we're`.
    let mut rest = without_repetition(&without_repetition(&without_inserted(&joined)));
    while let Some(shorter) = without_opener(&rest) {
        rest = shorter;
    }
    let mut letters = rest.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Removes sounds such as `um`, and words that are said twice or begun and said again (`the the`, `a pro- product`, `h
/// hour`, `this is this is`).
fn without_repetition(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split(' ').collect();
    let plain: Vec<String> = words
        .iter()
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut nth = 0;
    while nth < words.len() {
        if is_pair_again(&words, &plain, nth) {
            nth += 2;
            continue;
        }
        if !is_begun_again(&words, &plain, nth) {
            kept.push(words[nth]);
        }
        nth += 1;
    }
    if kept.len() < MIN_WORDS { sentence.to_owned() } else { kept.join(" ") }
}

/// Whether two words are said again right after them.
fn is_pair_again(words: &[&str], plain: &[String], nth: usize) -> bool {
    let ends = |word: &str| word.ends_with(['.', '!', '?', ',']);
    nth + 3 < words.len()
        && plain[nth..nth + 2] == plain[nth + 2..nth + 4]
        && plain[nth] != plain[nth + 1]
        && !is_figure(&plain[nth])
        && !is_figure(&plain[nth + 1])
        && !ends(words[nth])
        && !ends(words[nth + 1])
}

/// Whether a word is a sound or a mark, or the next word repeats or completes it.
fn is_begun_again(words: &[&str], plain: &[String], nth: usize) -> bool {
    let word = words[nth];
    let own = plain[nth].as_str();
    let Some(next) = plain.get(nth + 1) else { return false };
    let is_letter =
        word.len() == 1 && word.starts_with(|letter: char| letter.is_ascii_lowercase()) && own != "a";
    let is_emphasis = matches!(own, "very" | "really" | "that" | "had" | "no" | "so" | "");
    SOUNDS.contains(&own)
        || is_mark(word)
        || word.len() > 1 && word.trim_end_matches(',').ends_with('-')
        || is_letter && next.starts_with(own)
        || next == own && !word.ends_with(['.', '!', '?']) && !is_emphasis && !is_figure(own)
}

/// Whether a word is a number or a spoken digit. `four four seven` is no repetition.
fn is_figure(word: &str) -> bool {
    is_number_word(word)
        || matches!(word, "oh" | "o")
        || word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether a word is a mark of the transcriber, such as `<inaudible>` or `[laughter]`.
fn is_mark(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ';']);
    word.starts_with('<') && word.ends_with('>') || word.starts_with('[') && word.ends_with(']')
}

fn without_inserted(sentence: &str) -> String {
    let mut text = sentence.to_owned();
    for filler in INSERTED {
        while let Some(at) = find_ascii(&text, filler) {
            text.replace_range(at, "");
        }
    }
    text
}

/// Where an ASCII phrase occurs, in upper or lower case.
fn find_ascii(text: &str, phrase: &str) -> Option<Range<usize>> {
    let found = text
        .as_bytes()
        .windows(phrase.len())
        .position(|bytes| bytes.eq_ignore_ascii_case(phrase.as_bytes()))?;
    Some(found..found + phrase.len())
}

fn without_opener(sentence: &str) -> Option<String> {
    let starts =
        |opener: &&str| sentence.get(..opener.len()).is_some_and(|start| start.eq_ignore_ascii_case(opener));
    let after = |opener: &str, marks: &[&str]| {
        marks.iter().find_map(|mark| sentence[opener.len()..].strip_prefix(mark)).map(str::to_owned)
    };
    let bare = OPENERS.iter().filter(|opener| starts(opener)).find_map(|opener| after(opener, &[", ", " "]));
    let with_comma = || {
        OPENERS_WITH_COMMA.iter().filter(|opener| starts(opener)).find_map(|opener| after(opener, &[", "]))
    };
    bare.or_else(with_comma).filter(|rest| rest.split(' ').count() >= MIN_WORDS)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use auris_engine_core::text::{TextTranscript, TextUtterance};

    fn conversation(said: &[(&str, &str)]) -> ParsedTranscript {
        let utterance = |(speaker, text): &(&str, &str)| TextUtterance {
            speaker: Some((*speaker).to_owned()),
            text: (*text).to_owned(),
            ..TextUtterance::default()
        };
        let text = said.iter().map(|(_, text)| *text).collect::<Vec<_>>().join(" ");
        let utterances = said.iter().map(utterance).collect();
        ParsedTranscript::new(Arc::new(TextTranscript { text, utterances, ..TextTranscript::default() }))
    }

    #[test]
    fn only_fillers_are_removed() {
        assert_eq!(tidy("Oh, well, I'm originally from Chicago also."), "I'm originally from Chicago also.");
        assert_eq!(tidy("Now I live in Texas."), "Now I live in Texas.");
        assert_eq!(tidy("Yeah, right."), "Yeah, right.");
        assert_eq!(
            tidy("So, um, the the budget is, you know, a pro- product cost."),
            "The budget is a product cost."
        );
        assert_eq!(tidy("It is very very late."), "It is very very late.");
        assert_eq!(tidy("This is this is this is in half an h hour."), "This is in half an hour.");
        assert_eq!(tidy("Good morning everyone, the budget is late."), "The budget is late.");
        assert_eq!(tidy("Excuse me, where is the visa office?"), "Where is the visa office?");
        assert_eq!(tidy("We’re we're at a <inaudible> ratio of ten."), "We're at a ratio of ten.");
        assert_eq!(tidy("Next year we're, uh, we're here."), "Next year we're here.");
        assert_eq!(tidy("Let's see, the code is here."), "The code is here.");
        assert_eq!(tidy("It's four four seven one two one two."), "It's four four seven one two one two.");
        assert_eq!(tidy("Okayé is a word here."), "Okayé is a word here.");
    }

    #[test]
    fn a_sentence_is_joined_over_an_interjection() {
        let parsed = conversation(&[
            ("A", "We decided that the"),
            ("B", "Mm-hmm."),
            ("A", "remote gets a new case."),
            ("B", "And then I"),
            ("A", "Good point."),
        ]);
        let sentences = SpokenSentences::new(&parsed);
        let wanted = Some("We decided that the remote gets a new case.".to_owned());
        assert_eq!((sentences.whole(0), sentences.whole(2)), (wanted.clone(), wanted));
        assert_eq!(sentences.whole(3), None);
    }

    #[test]
    fn without_punctuation_every_utterance_is_a_sentence() {
        let parsed =
            conversation(&[("A", "we meet on monday"), ("B", "that is fine with me"), ("A", "so it is the")]);
        let sentences = SpokenSentences::new(&parsed);
        assert_eq!(sentences.whole(1), Some("That is fine with me.".to_owned()));
        assert_eq!(sentences.whole(2), None);
    }
}
