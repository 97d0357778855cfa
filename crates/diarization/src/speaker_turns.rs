//! Turns from spans: closes short pauses, removes fragments, and names the speakers A, B, … by their first turn.

use auris_audio::SAMPLE_RATE;
use auris_domain::step::output::{Diarization, Speaker, SpeakerTurn};
use auris_domain::transcript::speaker_name;
use auris_engine_core::round_to_thousandths;

use super::segmentation::{FIRST, SHIFT};
use super::speech_span::SpeechSpan;

/// A pause shorter than this is part of the turn.
const PAUSE_SECONDS: f64 = 0.2;
/// A shorter turn is dropped.
const FRAGMENT_SECONDS: f64 = 0.1;
/// A shorter turn in the middle of another person's speech is given to that person.
const SHORT_SECONDS: f64 = 0.3;
/// Turns with a smaller gap than this have no pause between them.
const TOUCHING_SECONDS: f64 = 0.1;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    person: usize,
    start: f64,
    end: f64,
}

impl Piece {
    fn seconds(&self) -> f64 {
        self.end - self.start
    }
}

/// The turns by start, and the speakers by first turn.
pub(super) fn diarization(spoken: &[SpeechSpan], duration_seconds: f64) -> Diarization {
    let pieces = spoken.iter().map(|spoken| piece(spoken, duration_seconds));
    let without_short_pauses = joined(pieces.filter(|piece| piece.seconds() > 0.0).collect());
    let mut turns = joined(resegmented(without_short_pauses));
    turns.retain(|turn| turn.seconds() >= FRAGMENT_SECONDS);
    turns.sort_by(|one, other| one.start.total_cmp(&other.start).then(one.person.cmp(&other.person)));
    named(&turns)
}

fn piece(spoken: &SpeechSpan, duration_seconds: f64) -> Piece {
    // A frame covers the time around its middle; the first one also the time before it.
    let edge = |frame: usize| {
        let samples = if frame == 0 { 0 } else { frame * SHIFT + FIRST - SHIFT / 2 };
        (samples as f64 / f64::from(SAMPLE_RATE)).min(duration_seconds)
    };
    Piece { person: spoken.person, start: edge(spoken.begin), end: edge(spoken.end) }
}

/// Joins pieces of one person without a real pause between them.
fn joined(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_by(|one, other| one.person.cmp(&other.person).then(one.start.total_cmp(&other.start)));
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.person == piece.person && piece.start - last.end < PAUSE_SECONDS => {
                last.end = last.end.max(piece.end);
            }
            Some(_) | None => joined.push(piece),
        }
    }
    joined
}

/// Gives short pieces that interrupt another person without a pause to that person.
fn resegmented(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_by(|one, other| one.start.total_cmp(&other.start));
    for at in 1..pieces.len().saturating_sub(1) {
        let before = pieces[at - 1];
        let here = pieces[at];
        let after = pieces[at + 1];
        let inside = before.person == after.person && before.person != here.person;
        let touching = (here.start - before.end).abs() < TOUCHING_SECONDS
            && (after.start - here.end).abs() < TOUCHING_SECONDS;
        if inside && touching && here.seconds() < SHORT_SECONDS {
            pieces[at].person = before.person;
        }
    }
    pieces
}

fn named(pieces: &[Piece]) -> Diarization {
    let mut persons: Vec<usize> = Vec::new();
    let mut speakers: Vec<Speaker> = Vec::new();
    let mut turns = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let index = persons.iter().position(|person| *person == piece.person).unwrap_or(persons.len());
        if index == persons.len() {
            persons.push(piece.person);
            speakers.push(Speaker { id: speaker_name(index), seconds: 0.0 });
        }
        let start = round_to_thousandths(piece.start);
        let end = round_to_thousandths(piece.end);
        speakers[index].seconds = round_to_thousandths(speakers[index].seconds + end - start);
        turns.push(SpeakerTurn { speaker: speakers[index].id.clone(), start, end });
    }
    Diarization { speakers, turns }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(person: usize, start: f64, end: f64) -> SpeechSpan {
        let frame = |seconds: f64| ((seconds * 16_000.0 - 360.0) / 270.0).round() as usize;
        SpeechSpan { person, begin: frame(start), end: frame(end) }
    }

    fn rounded_turns(spoken: &[SpeechSpan]) -> Vec<(String, f64, f64)> {
        let tenths = |seconds: f64| (seconds * 10.0).round() / 10.0;
        let found = diarization(spoken, 60.0);
        found.turns.into_iter().map(|turn| (turn.speaker, tenths(turn.start), tenths(turn.end))).collect()
    }

    #[test]
    fn speakers_are_named_by_their_first_turn_and_counted() {
        let Diarization { speakers, turns } =
            diarization(&[spoken(0, 5.0, 6.0), spoken(0, 9.0, 10.0), spoken(1, 1.0, 4.0)], 60.0);
        assert_eq!(speakers.iter().map(|speaker| speaker.id.as_str()).collect::<Vec<_>>(), ["A", "B"]);
        assert!((speakers[1].seconds - 2.0).abs() < 0.05, "{speakers:?}");
        assert_eq!(turns.iter().map(|turn| turn.speaker.as_str()).collect::<Vec<_>>(), ["A", "B", "B"]);
    }

    #[test]
    fn short_pauses_are_closed_and_fragments_dropped() {
        let found = rounded_turns(&[
            spoken(0, 1.0, 2.0),
            spoken(0, 2.15, 3.0),
            spoken(0, 4.0, 5.0),
            spoken(1, 7.0, 7.05),
        ]);
        assert_eq!(found, [("A".to_owned(), 1.0, 3.0), ("A".to_owned(), 4.0, 5.0)]);
    }

    #[test]
    fn a_short_turn_inside_another_persons_speech_goes_to_that_person() {
        let found = rounded_turns(&[spoken(0, 1.0, 2.0), spoken(1, 2.0, 2.25), spoken(0, 2.25, 4.0)]);
        assert_eq!(found, [("A".to_owned(), 1.0, 4.0)]);
        let answer = rounded_turns(&[spoken(0, 1.0, 2.0), spoken(1, 2.3, 2.55), spoken(0, 3.0, 4.0)]);
        assert_eq!(answer.len(), 3, "an answer between pauses is a turn");
    }

    #[test]
    fn no_turn_ends_after_the_recording() {
        let Diarization { turns, .. } = diarization(&[spoken(0, 59.0, 64.0), spoken(1, 61.0, 63.0)], 60.0);
        assert_eq!((turns.len(), turns[0].end), (1, 60.0));
    }
}
