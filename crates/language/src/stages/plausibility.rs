//! Whether an answer can be right by what the transcript shows.

use crate::lines::Line;

/// Minimum lines of a text whose chapters are checked. In a shorter one, any division can be right.
const LONG_TEXT: usize = 24;
/// Chapters that all begin in the first minute ...
const OPENING_SECONDS: f64 = 60.0;
/// ... of a text of at least this length are implausible.
const LONG_SECONDS: f64 = 300.0;
/// A part of fewer seconds is too short for a chapter: it is a greeting, a farewell or a remark.
const SHORT_SECONDS: f64 = 5.0;
/// The same for a part without times: the bytes that are spoken in about as long.
const SHORT_BYTES: usize = 60;
/// Minimum words of a text that has key phrases.
const MIN_WORDS: usize = 12;

/// What is implausible about chapters that begin at these lines; `None` if they cover the text.
pub(super) fn chapter_flaw(starts: &[usize], lines: &[Line]) -> Option<String> {
    let last = *starts.iter().max()?;
    let is_checked = starts.len() > 1 && lines.len() >= LONG_TEXT;
    if !is_checked || !(is_in_the_beginning(starts.len(), last, lines) || is_in_the_first_minute(last, lines))
    {
        return None;
    }
    Some(format!(
        "all chapters begin in the first {} of {} lines; the chapters must divide all lines up to the last one",
        last + 1,
        lines.len()
    ))
}

/// Evenly long chapters would have their last one begin at `(count - 1) / count` of the text. A quarter of that is too
/// early.
fn is_in_the_beginning(count: usize, last: usize, lines: &[Line]) -> bool {
    let length = |lines: &[Line]| lines.iter().map(|line| line.text.len()).sum::<usize>();
    4 * count * length(&lines[..last]) < (count - 1) * length(lines)
}

fn is_in_the_first_minute(last: usize, lines: &[Line]) -> bool {
    let begin = lines.first().and_then(|line| line.start);
    let since_begin = |time: Option<f64>| Some(time? - begin?);
    let seconds = since_begin(lines.last().and_then(|line| line.end));
    let last = since_begin(lines.get(last).and_then(|line| line.start));
    seconds.zip(last).is_some_and(|(seconds, last)| seconds >= LONG_SECONDS && last < OPENING_SECONDS)
}

/// What the model should correct about chapters that begin at these lines, of a text of any length. If it does not, the
/// chapters can still be used: short ones are joined with their neighbors, and the first one begins with the text.
pub(super) fn division_flaw(starts: &[usize], lines: &[Line]) -> Option<String> {
    let mut starts = starts.to_vec();
    starts.sort_unstable();
    starts.dedup();
    let first = starts.first_mut()?;
    if *first > 0 && !is_too_short(&lines[..*first]) {
        return Some("the first chapter must begin with the first line".into());
    }
    *first = 0;
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let has_short = starts.iter().zip(ends).any(|(start, end)| is_too_short(&lines[*start..end]));
    (has_short && starts.len() > 1).then(|| {
        "a chapter is only a few words long; join it with the chapter before, or at the beginning with the one after"
            .into()
    })
}

/// Whether lines are too short for a chapter.
pub(super) fn is_too_short(lines: &[Line]) -> bool {
    let start = lines.first().and_then(|line| line.start);
    let end = lines.last().and_then(|line| line.end);
    match start.zip(end) {
        Some((start, end)) => end - start < SHORT_SECONDS,
        None => lines.iter().map(|line| line.text.len()).sum::<usize>() < SHORT_BYTES,
    }
}

/// Whether the lines have enough words for key phrases.
pub(super) fn has_phrases(lines: &[Line]) -> bool {
    lines.iter().flat_map(|line| line.text.split_whitespace()).take(MIN_WORDS).count() == MIN_WORDS
}

/// Whether the lines name something of one of the types, as far as their letters show it. Types of callers are unknown.
pub(super) fn has_entities(lines: &[Line], types: &[&str]) -> bool {
    let has = |test: fn(&str) -> bool| lines.iter().any(|line| test(&line.text));
    types.iter().any(|kind| match *kind {
        "person" | "location" | "organization" => has(names_something),
        "date" | "time" | "money" | "percent" | "number" | "phone" => has(has_two_digits),
        "email" => has(|text| text.contains('@')),
        "url" => has(|text| text.contains("www.") || text.contains("://")),
        _ => false,
    })
}

/// Whether two words with capitals follow each other inside a sentence: "my name is Dana Whitfield". One such word can be
/// anything.
fn names_something(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_name = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
    };
    words.windows(3).any(|words| {
        let is_inside = words[0].ends_with(|letter: char| letter.is_lowercase() || letter == ',');
        is_inside && is_name(words[1]) && is_name(words[2])
    })
}

fn has_two_digits(text: &str) -> bool {
    let digits: Vec<bool> = text.chars().map(|letter| letter.is_ascii_digit()).collect();
    digits.windows(2).any(|pair| pair[0] && pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, start: Option<f64>) -> Line {
        let end = start.map(|start| start + 9.0);
        Line { text: text.into(), speaker: None, characters: 0..0, start, end }
    }

    /// Lines of the same length, each of ten seconds if they have times.
    fn lines(count: usize, timed: bool) -> Vec<Line> {
        (0..count).map(|nth| line("some words", timed.then_some(10.0 * nth as f64))).collect()
    }

    #[test]
    fn chapters_that_all_begin_early_in_a_long_text_are_implausible() {
        let is_flawed = |starts: &[usize], lines: &[Line]| chapter_flaw(starts, lines).is_some();
        let untimed = lines(100, false);
        assert!(is_flawed(&[0, 4, 9], &untimed) && is_flawed(&[11, 0], &untimed));
        for plausible in [&[0][..], &[0, 30], &[0, 4, 9, 60], &[]] {
            assert!(!is_flawed(plausible, &untimed), "{plausible:?}");
        }
        // Of forty timed lines, the sixth begins in the first minute but not in the first eighth of the text.
        assert!(is_flawed(&[0, 5], &lines(40, true)) && !is_flawed(&[0, 5], &lines(40, false)));
        assert!(!is_flawed(&[0, 6], &lines(40, true)) && !is_flawed(&[0, 1], &lines(20, true)));
    }

    #[test]
    fn a_chapter_of_a_few_words_and_a_late_first_one_are_corrected_in_a_text_of_any_length() {
        let is_flawed = |starts: &[usize], lines: &[Line]| division_flaw(starts, lines).is_some();
        // Ten bytes each: six lines are just long enough.
        let untimed = lines(14, false);
        assert!(is_flawed(&[0, 9], &untimed) && is_flawed(&[5, 0], &untimed) && is_flawed(&[6], &untimed));
        for plausible in [&[0][..], &[0, 8], &[6, 0], &[5], &[]] {
            assert!(!is_flawed(plausible, &untimed), "{plausible:?}");
        }
        // A line of nine seconds can be a chapter, one of two seconds cannot.
        let mut timed = lines(3, true);
        assert!(!is_flawed(&[0, 1, 2], &timed));
        timed[2].end = Some(22.0);
        assert!(is_flawed(&[0, 1, 2], &timed) && !is_flawed(&[0, 1], &timed));
        // A text that is short itself is one chapter.
        assert!(!is_flawed(&[0], &timed[2..]) && !is_flawed(&[0], &lines(1, false)));
    }

    #[test]
    fn what_the_letters_show_is_expected_of_its_types() {
        let has = |text: &str, kind: &str| has_entities(&[line(text, None)], &[kind]);
        assert!(has("my name is Dana Whitfield", "person") && !has("My Dear, i am here", "person"));
        assert!(has("it costs 45 dollars", "money") && !has("it costs 4 or so", "money"));
        assert!(has("write to a@b.example", "email") && has("see www.example.org", "url"));
        assert!(!has("my name is Dana Whitfield, 45", "sound"));
        assert!(has_phrases(&lines(6, false)) && !has_phrases(&lines(5, false)));
    }
}
