//! Time-marked words (`.ctm`): recording, channel, start, duration, word, and an optional confidence.

use super::{ReferenceError, Result, seconds, shortened};
use crate::spoken_word::SpokenWord;

/// Reads the words in the order of their starts. If some are of the recording with this name, only those.
pub fn read_ctm(text: &str, recording: &str) -> Result<Vec<SpokenWord>> {
    let mut words = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if !line.trim().is_empty() && !line.starts_with(";;") {
            words.push(word(line).ok_or_else(|| {
                let problem =
                    format!("`{}` is not a word: RECORDING CHANNEL START DURATION WORD", shortened(line));
                ReferenceError::line(index, problem)
            })?);
        }
    }
    if words.is_empty() {
        return Err(ReferenceError::Empty("words"));
    }
    if words.iter().any(|(name, _)| *name == recording) {
        words.retain(|(name, _)| *name == recording);
    }
    let mut words: Vec<SpokenWord> = words.into_iter().map(|(_, word)| word).collect();
    words.sort_by(|one, other| one.start.partial_cmp(&other.start).unwrap_or(std::cmp::Ordering::Equal));
    Ok(words)
}

fn word(line: &str) -> Option<(&str, SpokenWord)> {
    let mut fields = line.split_whitespace();
    let recording = fields.next()?;
    let _channel = fields.next()?;
    let start = seconds(fields.next()?)?;
    let duration = seconds(fields.next()?)?;
    let text = fields.next()?.to_owned();
    Some((recording, SpokenWord { text, start: Some(start), end: Some(start + duration), speaker: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_times() {
        let words = read_ctm("a 1 1.5 0.25 day 0.9\na 1 1.0 0.5 Good\n", "a").unwrap();
        assert_eq!((words[0].text.as_str(), words[0].start, words[0].end), ("Good", Some(1.0), Some(1.5)));
        assert_eq!((words[1].text.as_str(), words[1].end), ("day", Some(1.75)));
        let error = read_ctm("a 1 1.0 -3 word", "a").unwrap_err();
        assert!(error.to_string().starts_with("line 1: "), "{error}");
    }
}
