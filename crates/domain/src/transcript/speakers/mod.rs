//! Assigns words to speakers by time, builds utterances from them and names the speakers.

mod sentences;
mod stray_words;
mod turns;
mod utterances;

use super::{Diarization, SpeakerTurn, Utterance, Word, speaker_name};

use turns::TurnIndex;

/// The utterances of a text, by the turns of its speakers. `None` if there are no timed words or no turns.
pub fn utterances(text: &str, words: Vec<Word>, turns: &[SpeakerTurn]) -> Option<Vec<Utterance>> {
    let index = TurnIndex::new(turns);
    if words.is_empty() || index.is_empty() {
        return None;
    }
    let speakers = speakers_of(&index, &words);
    Some(utterances::split(text, words, &speakers))
}

/// Renames the speakers A, B, … in the order of their first word. Speakers without a word come last.
pub fn name_by_first_word(words: &[Word], diarization: &mut Diarization) {
    let old_turns = diarization.turns.clone();
    let index = TurnIndex::new(&old_turns);
    let mut order: Vec<&str> = Vec::new();
    for speaker in speakers_of(&index, words).into_iter().chain(index.in_order()) {
        if !order.contains(&speaker) {
            order.push(speaker);
        }
    }
    let rename = |name: &mut String| {
        if let Some(position) = order.iter().position(|known| known == name) {
            *name = speaker_name(position);
        }
    };
    diarization.turns.iter_mut().for_each(|turn| rename(&mut turn.speaker));
    diarization.speakers.iter_mut().for_each(|speaker| rename(&mut speaker.id));
    // A before B, Z before AA.
    diarization.speakers.sort_by(|one, other| (one.id.len(), &one.id).cmp(&(other.id.len(), &other.id)));
}

fn speakers_of<'a>(index: &TurnIndex<'a>, words: &[Word]) -> Vec<&'a str> {
    let mut speakers = index.speakers_of(words);
    stray_words::join_stray_words(index, words, &mut speakers);
    sentences::move_changes_to_sentence_ends(words, &mut speakers);
    speakers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Speaker;

    const TEXT: &str = "Good day. Hello!";

    fn words() -> Vec<Word> {
        let word =
            |text: &str, start: f64| Word { word: text.into(), start, end: start + 0.5, confidence: 1.0 };
        vec![word("Good", 0.0), word("day.", 0.6), word("Hello!", 1.2)]
    }

    fn turn(speaker: &str, start: f64, end: f64) -> SpeakerTurn {
        SpeakerTurn { speaker: speaker.into(), start, end }
    }

    #[test]
    fn words_are_assigned_to_the_speaker_at_their_time() {
        let made = utterances(TEXT, words(), &[turn("A", 0.0, 1.1), turn("B", 1.1, 2.0)]).unwrap();
        assert_eq!((made[0].speaker.as_deref(), made[0].text.as_str()), (Some("A"), "Good day."));
        assert_eq!((made[1].speaker.as_deref(), made[1].text.as_str()), (Some("B"), "Hello!"));
        assert_eq!((made[1].start, made[1].end), (1.2, 1.7));
    }

    /// Words and turns of a dialogue: a word takes 0.3 seconds, the next speaker begins 0.1 seconds after the last one, and
    /// the times of the words are off by up to 0.12 seconds.
    fn spoken(lines: &[(&str, &str)]) -> (Vec<Word>, Vec<SpeakerTurn>) {
        let (mut words, mut turns, mut now): (Vec<Word>, Vec<SpeakerTurn>, f64) = (vec![], vec![], 0.5);
        for (speaker, line) in lines {
            let start = now;
            for text in line.split(' ') {
                let off = [0.12, -0.08, 0.0, 0.1, -0.12][words.len() % 5];
                let start = now + off;
                words.push(Word { word: text.into(), start, end: start + 0.28, confidence: 1.0 });
                now += 0.3;
            }
            turns.push(turn(speaker, start, now));
            now += 0.1;
        }
        (words, turns)
    }

    #[test]
    fn a_dialogue_with_quick_exchanges_reads_line_by_line() {
        let lines = [
            ("A", "Did you call him?"),
            ("B", "Yes."),
            ("A", "And what did he say?"),
            ("B", "No."),
            ("A", "No?"),
            ("B", "He has no time this week, but"),
            ("A", "He never has."),
            ("B", "next week he has."),
        ];
        let (words, turns) = spoken(&lines);
        let text = lines.map(|(_, line)| line).join(" ");
        let made = utterances(&text, words, &turns).unwrap();
        let read: Vec<(&str, &str)> =
            made.iter().map(|line| (line.speaker.as_deref().unwrap(), line.text.as_str())).collect();
        assert_eq!(read, lines);
    }

    #[test]
    fn without_timed_words_or_turns_there_are_no_new_utterances() {
        assert_eq!(utterances(TEXT, vec![], &[turn("A", 0.0, 1.0)]), None);
        assert_eq!(utterances(TEXT, words(), &[]), None);
    }

    #[test]
    fn names_follow_the_first_word_and_all_parts_agree() {
        let speaker = |id: &str, seconds: f64| Speaker { id: id.into(), seconds };
        let mut diarization = Diarization {
            speakers: vec![speaker("A", 0.2), speaker("B", 1.1), speaker("C", 0.8)],
            turns: vec![turn("A", -5.0, -4.8), turn("C", 0.0, 1.1), turn("B", 1.1, 2.0)],
        };
        name_by_first_word(&words(), &mut diarization);
        let names: Vec<&str> = diarization.turns.iter().map(|turn| turn.speaker.as_str()).collect();
        assert_eq!(names, ["C", "A", "B"]);
        assert_eq!(diarization.speakers, [speaker("A", 0.8), speaker("B", 1.1), speaker("C", 0.2)]);
        let made = utterances(TEXT, words(), &diarization.turns).unwrap();
        assert_eq!(made[0].speaker.as_deref(), Some("A"));
    }
}
