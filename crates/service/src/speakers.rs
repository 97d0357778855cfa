//! Words are given to speakers by time, utterances are made anew of them, and speakers are named by their first word.

mod sentences;
mod turns;
mod utterances;

use auris_domain::transcript::{Word, speaker_name};
use serde_json::{Value, json};

use turns::Turns;

/// The utterances of a transcript under the given turns. Without timed words, the utterances stay as they are.
pub fn utterances(transcript: &Value, turns: &Value) -> Value {
    let words = timed_words(transcript);
    let turns = Turns::read(turns);
    if words.is_empty() || turns.is_empty() {
        return transcript["utterances"].clone();
    }
    let speakers = speakers_of(&turns, &words);
    let text = transcript["text"].as_str().unwrap_or_default();
    json!(utterances::made(text, words, &speakers))
}

/// Renames the speakers of a diarization A, B, … in order of their first word; those without a word come after them.
pub fn name_by_first_word(transcript: &Value, diarization: &mut Value) {
    let heard = Turns::read(&diarization["turns"]);
    let mut order = speakers_of(&heard, &timed_words(transcript));
    order.extend(heard.in_order());
    let mut names: Vec<&str> = Vec::new();
    for speaker in order {
        if !names.contains(&speaker) {
            names.push(speaker);
        }
    }
    let name = |old: &Value| {
        let place = names.iter().position(|known| old == known);
        place.map_or_else(|| old.clone(), |place| speaker_name(place).into())
    };
    let renamed = renamed(diarization, &name);
    *diarization = renamed;
}

fn speakers_of<'a>(turns: &Turns<'a>, words: &[Word]) -> Vec<&'a str> {
    let mut speakers = turns.speakers_of(words);
    sentences::settle(words, &mut speakers);
    speakers
}

fn renamed(diarization: &Value, name: &dyn Fn(&Value) -> Value) -> Value {
    let mut renamed = diarization.clone();
    for turn in renamed["turns"].as_array_mut().into_iter().flatten() {
        turn["speaker"] = name(&turn["speaker"]);
    }
    if let Some(speakers) = renamed["speakers"].as_array_mut() {
        for speaker in speakers.iter_mut() {
            speaker["id"] = name(&speaker["id"]);
        }
        // A before B, Z before AA.
        speakers.sort_by_key(|speaker| {
            let id = speaker["id"].as_str().unwrap_or_default().to_owned();
            (id.len(), id)
        });
    }
    renamed
}

fn timed_words(transcript: &Value) -> Vec<Word> {
    let segments = transcript["segments"].as_array().into_iter().flatten();
    let words = segments.flat_map(|segment| segment["words"].as_array().into_iter().flatten());
    words.filter_map(|word| serde_json::from_value(word.clone()).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, start: f64) -> Value {
        json!({"word": text, "start": start, "end": start + 0.5, "confidence": 1.0})
    }

    fn transcript() -> Value {
        let words = [word("Good", 0.0), word("day.", 0.6), word("Hello!", 1.2)];
        json!({"text": "Good day. Hello!", "segments": [{"words": words}]})
    }

    #[test]
    fn words_go_to_the_speaker_of_their_time() {
        let turns =
            json!([{"speaker": "A", "start": 0.0, "end": 1.1}, {"speaker": "B", "start": 1.1, "end": 2.0}]);
        let made = utterances(&transcript(), &turns);
        assert_eq!((&made[0]["speaker"], &made[0]["text"]), (&json!("A"), &json!("Good day.")));
        assert_eq!((&made[1]["speaker"], &made[1]["text"]), (&json!("B"), &json!("Hello!")));
        assert_eq!((&made[1]["start"], &made[1]["end"]), (&json!(1.2), &json!(1.7)));
    }

    #[test]
    fn a_transcript_without_times_keeps_its_utterances() {
        let transcript = json!({"segments": [], "utterances": [{"text": "kept"}]});
        let turns = json!([{"speaker": "A", "start": 0, "end": 1}]);
        assert_eq!(utterances(&transcript, &turns)[0]["text"], "kept");
        assert_eq!(utterances(&self::transcript(), &json!([])), Value::Null);
    }

    #[test]
    fn names_follow_the_first_word_and_all_parts_agree() {
        let mut diarization = json!({
            "speakers": [{"id": "A", "seconds": 0.2}, {"id": "B", "seconds": 1.1}, {"id": "C", "seconds": 0.8}],
            "turns": [
                {"speaker": "A", "start": -5.0, "end": -4.8},
                {"speaker": "C", "start": 0.0, "end": 1.1},
                {"speaker": "B", "start": 1.1, "end": 2.0},
            ],
        });
        name_by_first_word(&transcript(), &mut diarization);
        let names: Vec<&Value> =
            diarization["turns"].as_array().unwrap().iter().map(|turn| &turn["speaker"]).collect();
        assert_eq!(names, ["C", "A", "B"]);
        let speakers =
            json!([{"id": "A", "seconds": 0.8}, {"id": "B", "seconds": 1.1}, {"id": "C", "seconds": 0.2}]);
        assert_eq!(diarization["speakers"], speakers);
        assert_eq!(utterances(&transcript(), &diarization["turns"])[0]["speaker"], "A");
    }
}
