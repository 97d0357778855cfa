//! Builds utterances from words and their speakers. Their text is taken from the transcript.

use crate::transcript::{Utterance, Word};

use super::sentences::ends_sentence;

/// A pause of this length after a sentence ends an utterance.
const PAUSE_SECONDS: f64 = 1.5;
/// A pause of this length ends an utterance even if no sentence ends before it: people pause to think, but not this
/// long, and some texts have no punctuation.
const LONG_PAUSE_SECONDS: f64 = 4.0;
/// An utterance longer than this also ends at the end of a sentence.
const LONG_SECONDS: f64 = 30.0;
/// How far ahead a word is searched for in the text, in bytes. A limit, so that a missing word does not match far away.
const LOOK_AHEAD: usize = 200;

/// One utterance for each run of words of one speaker. `speakers` has one entry for each word.
pub(super) fn split(text: &str, words: Vec<Word>, speakers: &[&str]) -> Vec<Utterance> {
    let begins = first_words(&words, speakers);
    let cuts = cut_positions(text, &words);
    let mut words = words.into_iter();
    let mut utterances = Vec::with_capacity(begins.len());
    for (at, begin) in begins.iter().enumerate() {
        let end = begins.get(at + 1).copied().unwrap_or(speakers.len());
        let said: Vec<Word> = words.by_ref().take(end - begin).collect();
        let (Some(first), Some(last)) = (said.first(), said.last()) else { continue };
        let text = match &cuts {
            Some(cuts) => text[cuts[*begin]..cuts.get(end).copied().unwrap_or(text.len())].trim().to_owned(),
            None => said.iter().map(|word| word.word.trim()).collect::<Vec<_>>().join(" "),
        };
        utterances.push(Utterance {
            speaker: Some(speakers[*begin].to_owned()),
            start: first.start,
            end: last.end,
            text,
            words: said,
        });
    }
    utterances
}

/// The indices of the words at which an utterance begins.
fn first_words(words: &[Word], speakers: &[&str]) -> Vec<usize> {
    let mut begins: Vec<usize> = Vec::new();
    for at in 0..words.len() {
        let begin = begins.last().copied();
        let goes_on = begin.is_some_and(|begin| {
            let before = &words[at - 1];
            let sentence_ends = ends_sentence(&before.word);
            let pause = if sentence_ends { PAUSE_SECONDS } else { LONG_PAUSE_SECONDS };
            let long = sentence_ends && before.end - words[begin].start >= LONG_SECONDS;
            speakers[at] == speakers[at - 1] && words[at].start - before.end < pause && !long
        });
        if !goes_on {
            begins.push(at);
        }
    }
    begins
}

/// The positions at which the text can be divided before each word. `None` if a word is not in the text.
fn cut_positions(text: &str, words: &[Word]) -> Option<Vec<usize>> {
    let mut cuts = Vec::with_capacity(words.len());
    let mut from = 0;
    for word in words {
        let word = word.word.trim();
        let at = from + text[from..].find(word).filter(|ahead| *ahead <= LOOK_AHEAD)?;
        // An opening quotation mark belongs to the word after it.
        let space = text[from..at].rfind(char::is_whitespace);
        cuts.push(if cuts.is_empty() { 0 } else { space.map_or(at, |space| from + space) });
        from = at + word.len();
    }
    Some(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, seconds: f64) -> Vec<Word> {
        let words = text.split(' ').enumerate();
        words
            .map(|(at, word)| {
                let start = at as f64 * seconds;
                Word { word: word.into(), start, end: start + 0.4, confidence: 1.0 }
            })
            .collect()
    }

    fn texts(utterances: &[Utterance]) -> Vec<&str> {
        utterances.iter().map(|utterance| utterance.text.as_str()).collect()
    }

    #[test]
    fn the_texts_of_the_utterances_together_are_the_transcript() {
        let text = "He said  “yes”, then\nleft — “why?” — nobody knew.";
        let spoken = words("He said yes then left why? nobody knew", 0.5);
        let made = split(text, spoken, &["A", "A", "B", "B", "B", "C", "A", "A"]);
        assert_eq!(texts(&made), ["He said", "“yes”, then\nleft —", "“why?” —", "nobody knew."]);
        assert_eq!(made[1].words.len(), 3);
    }

    #[test]
    fn a_language_without_spaces_is_divided_between_words() {
        let made = split("你好世界。", words("你好 世界", 0.5), &["A", "B"]);
        assert_eq!(texts(&made), ["你好", "世界。"]);
    }

    #[test]
    fn words_that_are_not_in_the_text_are_joined() {
        let made = split("something else", words("Hello there", 0.5), &["A", "A"]);
        assert_eq!(texts(&made), ["Hello there"]);
    }

    #[test]
    fn a_long_pause_and_the_end_of_a_long_sentence_end_an_utterance() {
        let text = "One two. Three";
        assert_eq!(texts(&split(text, words(text, 2.0), &["A"; 3])), ["One two.", "Three"]);
        assert_eq!(split(text, words(text, 5.0), &["A"; 3]).len(), 3);
        let long: String = "word word. ".repeat(60);
        let made = split(long.trim(), words(long.trim(), 0.5), &["A"; 120]);
        assert_eq!(made.len(), 2);
        assert!(made[0].text.ends_with("word.") && made[0].end - made[0].start < 32.0);
    }
}
