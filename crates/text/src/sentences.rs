//! Splits a text into sentences, both written text and speech-recognition output.

use std::ops::Range;

/// Maximum bytes of a sentence. A longer one is split, because some recognizers write no full stops.
const MAX_BYTES: usize = 360;
/// A sentence that is too long is split at a comma only after this many bytes.
const EARLIEST_CUT: usize = MAX_BYTES / 2;
/// A sentence that is too long and has no comma is split before a clause only after this many bytes.
const EARLIEST_CLAUSE: usize = 120;
/// The first words of clauses.
const CLAUSES: [&str; 9] = [
    " so ",
    " but ",
    " because ",
    " and then ",
    " and i ",
    " and we ",
    " and they ",
    " and he ",
    " and she ",
];
/// A longer word is not an abbreviation.
const ABBREVIATION_BYTES: usize = 8;

/// Words whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 17] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e", "dept", "fig", "approx", "gen", "sgt", "capt",
    "rev", "mt",
];
/// Abbreviations that may also end a sentence: then an upper-case letter follows.
const MAYBE_AT_END: [&str; 11] = ["etc", "inc", "ltd", "corp", "sr", "jr", "u.s", "u.k", "a.m", "p.m", "est"];

/// The sentences of a part of the text, trimmed, in order. Only white space is between them. After the first `most`
/// sentences, the text is only divided by length.
pub(super) fn split(text: &str, within: Range<usize>, most: usize) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = within.start;
    // The last letter of the current sentence that is not white space.
    let mut last = None;
    let mut letters = text[within.clone()].char_indices().peekable();
    while let Some((at, letter)) = letters.next().filter(|_| sentences.len() < most) {
        let at = within.start + at;
        let end = at + letter.len_utf8();
        let ended = if letter == '\n' {
            last.is_some_and(is_stop) || is_before_empty_line(&text[end..])
        } else {
            is_stop(letter)
                && letters.peek().is_none_or(|(_, next)| !is_stop(*next) && !is_closing(*next))
                && ends_sentence(text, start..end, within.end)
                || is_closing(letter)
                    && text[start..at].ends_with(is_stop)
                    && ends_sentence(text, start..end, within.end)
        };
        if ended {
            push(text, start..end, &mut sentences);
            start = end;
            last = None;
        } else if !letter.is_whitespace() {
            last = Some(letter);
        }
    }
    push(text, start..within.end, &mut sentences);
    sentences
}

fn is_stop(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

fn is_closing(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '”' | '’' | ')' | ']' | '»')
}

/// Whether the line after a line break is empty. Then the line break ends a sentence, as it does after a full stop. Other
/// line breaks only wrap the text.
fn is_before_empty_line(rest: &str) -> bool {
    rest.chars().find(|letter| !matches!(letter, ' ' | '\t' | '\r')) == Some('\n')
}

fn ends_sentence(text: &str, sentence: Range<usize>, limit: usize) -> bool {
    let rest = &text[sentence.end..limit];
    let Some(next) = rest.chars().next() else { return true };
    if !next.is_whitespace() {
        return false;
    }
    let text_so_far = text[sentence].trim_end_matches(is_closing);
    if !text_so_far.ends_with('.') || text_so_far.ends_with("..") {
        return true;
    }
    let following = rest.trim_start().chars().next();
    following != Some(',') && !is_abbreviation(text_so_far.trim_end_matches('.'), following)
}

/// Whether the full stop after this text belongs to an abbreviation.
fn is_abbreviation(text_so_far: &str, following: Option<char>) -> bool {
    let word = text_so_far
        .rsplit(|letter: char| letter.is_whitespace() || letter == '(')
        .next()
        .unwrap_or(text_so_far);
    if word.len() > ABBREVIATION_BYTES {
        return false;
    }
    let initial =
        word.chars().count() == 1 && word.chars().all(|letter| letter.is_uppercase() && letter != 'I');
    let word = word.to_lowercase();
    let continues = following.is_some_and(char::is_lowercase);
    initial || ABBREVIATIONS.contains(&word.as_str()) || continues && MAYBE_AT_END.contains(&word.as_str())
}

fn push(text: &str, range: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    let mut range = trimmed(text, range);
    while range.len() > MAX_BYTES {
        let cut = cut(text, &range);
        sentences.push(trimmed(text, range.start..cut));
        range = trimmed(text, cut..range.end);
    }
    if !range.is_empty() {
        sentences.push(range);
    }
}

/// Where to split a sentence that is too long: after a comma, else before a clause, else at a space, else anywhere.
fn cut(text: &str, range: &Range<usize>) -> usize {
    let limit = floor(text, range.start + MAX_BYTES);
    let piece = &text[range.start..limit];
    let comma = piece.rfind([',', ';', ':']).filter(|at| *at >= EARLIEST_CUT).map(|at| at + 1);
    let space = || piece.rfind(char::is_whitespace).filter(|at| *at > 0);
    range.start + comma.or_else(|| last_clause(piece)).or_else(space).unwrap_or(piece.len())
}

/// Where the last clause of a piece begins.
fn last_clause(piece: &str) -> Option<usize> {
    let is_at = |at: &usize| {
        let here = &piece.as_bytes()[*at..];
        CLAUSES.iter().any(|clause| {
            here.get(..clause.len()).is_some_and(|start| start.eq_ignore_ascii_case(clause.as_bytes()))
        })
    };
    let spaces = piece.bytes().enumerate().filter(|(_, byte)| *byte == b' ').map(|(at, _)| at);
    spaces.rev().take_while(|at| *at >= EARLIEST_CLAUSE).find(is_at)
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = range.end - (piece.len() - piece.trim_end().len());
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<&str> {
        split(text, 0..text.len(), usize::MAX).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_full_stop_ends_a_sentence_but_an_abbreviation_does_not() {
        assert_eq!(
            sentences("Hello? Oh, hello. Dr. Smith paid $3.50 at 5 p.m. today. I did \"not.\" Really!"),
            ["Hello?", "Oh, hello.", "Dr. Smith paid $3.50 at 5 p.m. today.", "I did \"not.\"", "Really!"]
        );
    }

    #[test]
    fn wrapped_lines_are_one_sentence_and_an_empty_line_parts_them() {
        assert_eq!(sentences("one line\nand another\n\nthen more"), ["one line\nand another", "then more"]);
    }

    #[test]
    fn text_without_stops_is_cut_between_words() {
        let text = "word ".repeat(1_000);
        let found = sentences(&text);
        assert!(found.iter().all(|sentence| sentence.len() <= MAX_BYTES && sentence.starts_with("word")));
        assert_eq!(found.iter().map(|sentence| sentence.split(' ').count()).sum::<usize>(), 1_000);
        assert!(sentences(&"ж".repeat(5_000)).iter().all(|sentence| sentence.len() <= MAX_BYTES));
    }

    #[test]
    fn text_without_stops_is_cut_before_a_clause() {
        let clause = "the manager of the shop told everybody that the form was missing on her desk";
        let text = format!("{clause} and {clause} so {clause} and {clause} because {clause}");
        for text in [text.to_uppercase(), text] {
            let starts = |sentence: &&str| sentence.get(..3).unwrap_or_default().to_lowercase();
            let firsts: Vec<String> = sentences(&text).iter().map(starts).collect();
            assert_eq!(firsts, ["the", "bec"]);
        }
        let unbroken = "word ".repeat(80);
        assert_eq!(sentences(&unbroken)[0].len(), 359);
    }

    #[test]
    fn after_the_most_sentences_the_rest_is_divided_by_length() {
        let text = "One. Two. Three. Four.";
        let found: Vec<&str> = split(text, 0..text.len(), 2).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["One.", "Two.", "Three. Four."]);
        let stops = "? ".repeat(100_000);
        let pieces = split(&stops, 0..stops.len(), 1_000);
        assert!(pieces.len() <= 1_000 + stops.len() / EARLIEST_CUT, "{} pieces", pieces.len());
        assert_eq!(pieces.last().map(|piece| piece.end), Some(stops.trim_end().len()));
    }

    /// Two million letters: this would take many minutes if the time grew with the square of the length.
    #[test]
    fn the_time_grows_with_the_length_of_the_text() {
        for piece in ["\n\t\u{b}", "a\n", ".\u{b}", ").", "a.)", "(a. ,", "\n", "a"] {
            let text = format!("a{}", piece.repeat(2_000_000 / piece.len()));
            assert!(!sentences(&text).is_empty());
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(sentences("").is_empty() && sentences(" \n ").is_empty());
    }
}
