//! A single word inside another speaker's sentence is moved to that speaker if the turns hardly decide between them.

use super::sentences::ends_sentence;
use super::turns::TurnIndex;
use crate::transcript::Word;

/// How far the times of words and of turns are off, in seconds. A smaller lead in a word's time does not show who said it.
const UNCERTAIN_SECONDS: f64 = 0.2;

/// Gives a word to the speaker of the words before and after it if all three are in one sentence and the other speaker
/// leads by less than the times are off.
pub(super) fn join_stray_words<'a>(index: &TurnIndex<'a>, words: &[Word], speakers: &mut [&'a str]) {
    for at in 1..words.len().min(speakers.len()).saturating_sub(1) {
        let around = speakers[at - 1];
        let is_stray = speakers[at] != around && speakers[at + 1] == around;
        let in_sentence = !ends_sentence(&words[at - 1].word) && !ends_sentence(&words[at].word);
        if is_stray && in_sentence && index.lead(&words[at], speakers[at], around) < UNCERTAIN_SECONDS {
            speakers[at] = around;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::SpeakerTurn;

    fn turn(speaker: &str, start: f64, end: f64) -> SpeakerTurn {
        SpeakerTurn { speaker: speaker.into(), start, end }
    }

    /// The speakers of words of 0.3 seconds, 0.4 seconds apart.
    fn speakers(text: &str, turns: &[SpeakerTurn]) -> String {
        let word = |(at, text): (usize, &str)| {
            let start = at as f64 * 0.4;
            Word { word: text.to_owned(), start, end: start + 0.3, confidence: 1.0 }
        };
        let words: Vec<Word> = text.split(' ').enumerate().map(word).collect();
        let index = TurnIndex::new(turns);
        let mut speakers = index.speakers_of(&words);
        join_stray_words(&index, &words, &mut speakers);
        speakers.concat()
    }

    #[test]
    fn a_word_in_a_short_turn_inside_a_sentence_stays_with_the_sentence() {
        let turns = [turn("A", 0.0, 0.85), turn("B", 0.85, 1.0), turn("A", 1.1, 3.0)];
        assert_eq!(speakers("we went to the beach", &turns), "AAAAA");
    }

    #[test]
    fn a_clear_interjection_and_a_short_answer_are_kept() {
        let interjection = [turn("A", 0.0, 0.75), turn("B", 0.75, 1.15), turn("A", 1.15, 3.0)];
        assert_eq!(speakers("we went right the beach", &interjection), "AABAA");
        let answer = [turn("A", 0.0, 0.85), turn("B", 0.85, 1.0), turn("A", 1.1, 3.0)];
        assert_eq!(speakers("You went? Yes. Good to hear", &answer), "AABAAA");
    }
}
