//! Utterances from words and their speakers, with the transcript's own text in them.

use auris_domain::transcript::{Utterance, Word};

use super::sentences::ends_sentence;

/// A pause of this length ends an utterance.
const PAUSE_SECONDS: f64 = 1.5;
/// From this length on, the end of a sentence ends an utterance too.
const LONG_SECONDS: f64 = 30.0;
/// How far ahead a word is looked for in the text, in bytes; one that is not there must not take the rest with it.
const LOOK_AHEAD: usize = 200;

/// An utterance for each stretch of words of one speaker. There is a speaker for each word.
pub(super) fn made(text: &str, words: Vec<Word>, speakers: &[&str]) -> Vec<Utterance> {
    let begins = begins(&words, speakers);
    let places = places(text, &words);
    let mut words = words.into_iter();
    let mut utterances = Vec::with_capacity(begins.len());
    for (at, begin) in begins.iter().enumerate() {
        let end = begins.get(at + 1).copied().unwrap_or(speakers.len());
        let said: Vec<Word> = words.by_ref().take(end - begin).collect();
        let (Some(first), Some(last)) = (said.first(), said.last()) else { continue };
        let text = match &places {
            Some(places) => {
                text[places[*begin]..places.get(end).copied().unwrap_or(text.len())].trim().to_owned()
            }
            None => said.iter().map(|word| word.word.trim()).collect::<Vec<_>>().join(" "),
        };
        let (start, end) = (first.start, last.end);
        utterances.push(Utterance {
            speaker: Some(speakers[*begin].to_owned()),
            start,
            end,
            text,
            words: said,
        });
    }
    utterances
}

/// The words at which an utterance begins.
fn begins(words: &[Word], speakers: &[&str]) -> Vec<usize> {
    let mut begins: Vec<usize> = Vec::new();
    for at in 0..words.len() {
        let begin = begins.last().copied();
        let goes_on = begin.is_some_and(|begin| {
            let (before, pause) = (&words[at - 1], words[at].start - words[at - 1].end);
            let long = before.end - words[begin].start >= LONG_SECONDS && ends_sentence(&before.word);
            speakers[at] == speakers[at - 1] && pause < PAUSE_SECONDS && !long
        });
        if !goes_on {
            begins.push(at);
        }
    }
    begins
}

/// Where in the text each word can be cut off from the one before; `None` where the words are not the text's.
fn places(text: &str, words: &[Word]) -> Option<Vec<usize>> {
    let mut places = Vec::with_capacity(words.len());
    let mut from = 0;
    for word in words {
        let word = word.word.trim();
        let at = from + text[from..].find(word).filter(|ahead| *ahead <= LOOK_AHEAD)?;
        // An opening quotation mark belongs to the word after it.
        let space = text[from..at].rfind(char::is_whitespace);
        places.push(if places.is_empty() { 0 } else { space.map_or(at, |space| from + space) });
        from = at + word.len();
    }
    Some(places)
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
    fn the_texts_joined_are_the_transcript() {
        let text = "He said  “yes”, then\nleft — “why?” — nobody knew.";
        let spoken = words("He said yes then left why? nobody knew", 0.5);
        let made = made(text, spoken, &["A", "A", "B", "B", "B", "C", "A", "A"]);
        assert_eq!(texts(&made), ["He said", "“yes”, then\nleft —", "“why?” —", "nobody knew."]);
        assert_eq!(made[1].words.len(), 3);
    }

    #[test]
    fn a_language_without_spaces_is_cut_between_words() {
        let made = made("你好世界。", words("你好 世界", 0.5), &["A", "B"]);
        assert_eq!(texts(&made), ["你好", "世界。"]);
    }

    #[test]
    fn words_that_are_not_in_the_text_are_joined() {
        let made = made("something else", words("Hello there", 0.5), &["A", "A"]);
        assert_eq!(texts(&made), ["Hello there"]);
    }

    #[test]
    fn a_long_pause_and_the_end_of_a_long_sentence_end_an_utterance() {
        let text = "One two. Three";
        assert_eq!(made(text, words(text, 2.0), &["A"; 3]).len(), 3);
        let long: String = "word word. ".repeat(60);
        let made = made(long.trim(), words(long.trim(), 0.5), &["A"; 120]);
        assert_eq!(made.len(), 2);
        assert!(made[0].text.ends_with("word.") && made[0].end - made[0].start < 32.0);
    }
}
