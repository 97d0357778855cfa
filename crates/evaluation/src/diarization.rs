//! The diarization error rate: with overlap, without a collar, as `pyannote.metrics` computes it.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::assignment::{best_assignment, gain};

/// One speaker turn, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub speaker: String,
    pub start: f64,
    pub end: f64,
}

impl Turn {
    pub fn new(speaker: &str, start: f64, end: f64) -> Self {
        Self { speaker: speaker.to_owned(), start, end }
    }
}

/// Seconds of each kind of error, and of speech in the reference. Overlapping speech counts once per speaker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct DiarizationErrors {
    pub missed: f64,
    pub false_alarm: f64,
    pub confusion: f64,
    pub total: f64,
}

impl DiarizationErrors {
    /// The share of the speech in the reference that is wrong. Not a number if there is no speech.
    pub fn rate(&self) -> f64 {
        (self.missed + self.false_alarm + self.confusion) / self.total
    }

    pub fn add(&mut self, other: &Self) {
        self.missed += other.missed;
        self.false_alarm += other.false_alarm;
        self.confusion += other.confusion;
        self.total += other.total;
    }
}

/// The number of different speakers.
pub fn speaker_count(turns: &[Turn]) -> usize {
    names(turns).len()
}

/// The errors under the assignment of speakers with the fewest errors.
pub fn diarization_errors(reference: &[Turn], found: &[Turn]) -> DiarizationErrors {
    let mut expected = Speaking::new(reference);
    let mut heard = Speaking::new(found);
    let mut overlap = vec![vec![0.0; heard.turns.len()]; expected.turns.len()];
    let mut errors = DiarizationErrors::default();
    let mut shared = 0.0;
    for (start, end) in spans(reference, found) {
        let expected = expected.at(start);
        let heard = heard.at(start);
        let seconds = end - start;
        errors.total += expected.len() as f64 * seconds;
        errors.missed += expected.len().saturating_sub(heard.len()) as f64 * seconds;
        errors.false_alarm += heard.len().saturating_sub(expected.len()) as f64 * seconds;
        shared += expected.len().min(heard.len()) as f64 * seconds;
        for speaker in expected {
            heard.iter().for_each(|other| overlap[*speaker][*other] += seconds);
        }
    }
    errors.confusion = (shared - gain(&overlap, &best_assignment(&overlap))).max(0.0);
    errors
}

/// The time spans between two consecutive starts or ends of turns.
fn spans(reference: &[Turn], found: &[Turn]) -> Vec<(f64, f64)> {
    let turns = reference.iter().chain(found);
    let mut edges: Vec<f64> = turns.flat_map(|turn| [turn.start, turn.end]).collect();
    edges.sort_by(f64::total_cmp);
    edges.windows(2).map(|pair| (pair[0], pair[1])).filter(|(start, end)| end > start).collect()
}

fn names(turns: &[Turn]) -> BTreeSet<&str> {
    turns.iter().map(|turn| turn.speaker.as_str()).collect()
}

/// Who speaks, at times that only increase.
struct Speaking {
    /// For each speaker, the turns without overlap, last one first.
    turns: Vec<Vec<(f64, f64)>>,
    now: Vec<usize>,
}

impl Speaking {
    fn new(turns: &[Turn]) -> Self {
        let of = |name: &str| {
            let own = turns.iter().filter(|turn| turn.speaker == name);
            let mut own: Vec<(f64, f64)> = own.map(|turn| (turn.start, turn.end)).collect();
            own.sort_by(|one, other| one.0.total_cmp(&other.0));
            joined(&own)
        };
        Self { turns: names(turns).into_iter().map(of).collect(), now: Vec::new() }
    }

    /// The speakers who speak in the span that begins here.
    fn at(&mut self, start: f64) -> &[usize] {
        self.now.clear();
        for (speaker, turns) in self.turns.iter_mut().enumerate() {
            while turns.last().is_some_and(|turn| turn.1 <= start) {
                turns.pop();
            }
            if turns.last().is_some_and(|turn| turn.0 <= start) {
                self.now.push(speaker);
            }
        }
        &self.now
    }
}

/// Turns of one speaker in order become stretches without overlap, last one first.
fn joined(turns: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut stretches: Vec<(f64, f64)> = Vec::new();
    for (start, end) in turns {
        match stretches.last_mut() {
            Some(last) if *start <= last.1 => last.1 = last.1.max(*end),
            _ => stretches.push((*start, *end)),
        }
    }
    stretches.reverse();
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9
    }

    #[test]
    fn each_kind_of_error_is_measured() {
        // Anna 0 to 10, Ben 10 to 20, both until 22; found: X 1 to 12, Y 12 to 20, Z 24 to 25.
        let reference =
            [Turn::new("anna", 0.0, 10.0), Turn::new("ben", 10.0, 22.0), Turn::new("anna", 20.0, 22.0)];
        let found = [Turn::new("X", 1.0, 12.0), Turn::new("Y", 12.0, 20.0), Turn::new("Z", 24.0, 25.0)];
        let errors = diarization_errors(&reference, &found);
        assert!(close(errors.total, 24.0), "{errors:?}");
        assert!(close(errors.missed, 1.0 + 2.0 * 2.0), "{errors:?}");
        assert!(close(errors.false_alarm, 1.0), "{errors:?}");
        assert!(close(errors.confusion, 2.0), "{errors:?}");
        assert!(close(errors.rate(), 8.0 / 24.0));
        assert_eq!((speaker_count(&reference), speaker_count(&found)), (2, 3));
    }

    #[test]
    fn a_speaker_counts_once_where_own_turns_overlap() {
        let reference = [Turn::new("a", 0.0, 4.0), Turn::new("a", 2.0, 6.0), Turn::new("a", 3.0, 3.5)];
        let errors = diarization_errors(&reference, &[Turn::new("x", 0.0, 6.0)]);
        assert!(close(errors.total, 6.0) && errors.rate() == 0.0, "{errors:?}");
    }

    #[test]
    fn no_speech_on_either_side_is_no_error() {
        assert_eq!(diarization_errors(&[], &[]), DiarizationErrors::default());
        let errors = diarization_errors(&[], &[Turn::new("x", 1.0, 3.0)]);
        assert!(close(errors.false_alarm, 2.0) && errors.total == 0.0);
    }
}
