//! Finds the speaker at the time of a word.

use crate::transcript::{SpeakerTurn, Word};

/// Two speakers whose shares of a word differ by less than this, in seconds, have equal shares.
const EQUAL_SECONDS: f64 = 0.05;

/// Turns sorted by their start.
pub(super) struct TurnIndex<'a> {
    turns: Vec<&'a SpeakerTurn>,
    /// For each turn, the index of the turn up to it that ends last.
    last_to_end: Vec<usize>,
}

impl<'a> TurnIndex<'a> {
    pub(super) fn new(turns: &'a [SpeakerTurn]) -> Self {
        let mut turns: Vec<&'a SpeakerTurn> = turns.iter().collect();
        turns.sort_by(|one, other| one.start.total_cmp(&other.start));
        let mut last_to_end: Vec<usize> = Vec::with_capacity(turns.len());
        for (at, turn) in turns.iter().enumerate() {
            let before = last_to_end.last().copied().unwrap_or(at);
            last_to_end.push(if turns[before].end > turn.end { before } else { at });
        }
        Self { turns, last_to_end }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// The speakers in the order of their turns.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &'a str> {
        self.turns.iter().map(|turn| turn.speaker.as_str())
    }

    /// The speaker of each word.
    pub(super) fn speakers_of(&self, words: &[Word]) -> Vec<&'a str> {
        let mut speakers: Vec<&'a str> = Vec::with_capacity(words.len());
        for word in words {
            let before = speakers.last().copied();
            speakers.extend(self.speaker_of(word, before));
        }
        speakers
    }

    /// By how many seconds of the word the first speaker's share is larger than the second's.
    pub(super) fn lead(&self, word: &Word, one: &str, other: &str) -> f64 {
        let shares = self.shares(word);
        let share =
            |name: &str| shares.iter().find(|(speaker, _)| *speaker == name).map_or(0.0, |(_, share)| *share);
        share(one) - share(other)
    }

    /// The speaker with the largest share of the word. With equal shares, the one who spoke before; without any share,
    /// the nearest one.
    fn speaker_of(&self, word: &Word, before: Option<&'a str>) -> Option<&'a str> {
        let shares = self.shares(word);
        let most = shares.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        if most == 0.0 {
            return self.nearest(word);
        }
        let mut best =
            shares.iter().filter(|(_, share)| *share > most - EQUAL_SECONDS).map(|(speaker, _)| *speaker);
        let first = best.clone().next();
        best.find(|speaker| Some(*speaker) == before).or(first)
    }

    /// The seconds of the word that each speaker has, in the order of their turns.
    fn shares(&self, word: &Word) -> Vec<(&'a str, f64)> {
        let end = self.turns.partition_point(|turn| turn.start < word.end);
        let open = |at: &usize| self.turns[self.last_to_end[*at]].end > word.start;
        let mut shares: Vec<(&'a str, f64)> = Vec::new();
        for turn in (0..end).rev().take_while(open).map(|at| self.turns[at]) {
            let share = turn.end.min(word.end) - turn.start.max(word.start);
            match shares.iter_mut().find(|(speaker, _)| *speaker == turn.speaker.as_str()) {
                Some((_, sum)) if share > 0.0 => *sum += share,
                None if share > 0.0 => shares.push((&turn.speaker, share)),
                Some(_) | None => {}
            }
        }
        shares.reverse();
        shares
    }

    fn nearest(&self, word: &Word) -> Option<&'a str> {
        let after = self.turns.partition_point(|turn| turn.start < word.end);
        let before = after.checked_sub(1).map(|at| self.turns[self.last_to_end[at]]);
        match (before, self.turns.get(after).copied()) {
            (Some(before), Some(after)) => {
                let nearer = word.start - before.end <= after.start - word.end;
                Some(if nearer { &before.speaker } else { &after.speaker })
            }
            (Some(turn), None) | (None, Some(turn)) => Some(&turn.speaker),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speakers(turns: &[(&str, f64, f64)], words: &[(f64, f64)]) -> String {
        let turns: Vec<SpeakerTurn> = turns
            .iter()
            .map(|(speaker, start, end)| SpeakerTurn { speaker: (*speaker).into(), start: *start, end: *end })
            .collect();
        let words: Vec<Word> = words
            .iter()
            .map(|(start, end)| Word { word: "word".into(), start: *start, end: *end, confidence: 1.0 })
            .collect();
        TurnIndex::new(&turns).speakers_of(&words).concat()
    }

    #[test]
    fn a_word_belongs_to_the_speaker_with_the_largest_share() {
        let turns = [("A", 0.0, 1.0), ("B", 1.0, 3.0)];
        assert_eq!(speakers(&turns, &[(0.5, 0.9), (0.8, 1.1), (0.9, 1.4)]), "AAB");
    }

    #[test]
    fn with_equal_shares_the_previous_speaker_continues() {
        let turns = [("A", 0.0, 2.0), ("B", 1.0, 3.0)];
        assert_eq!(speakers(&turns, &[(0.2, 0.6), (1.2, 1.8), (2.1, 2.5)]), "AAB");
        let inside = [("A", 0.0, 9.0), ("B", 4.0, 4.5)];
        assert_eq!(speakers(&inside, &[(3.0, 3.5), (4.0, 4.5), (8.0, 8.5)]), "AAA");
    }

    #[test]
    fn a_word_in_a_pause_belongs_to_the_nearest_turn() {
        let turns = [("A", 1.0, 2.0), ("B", 5.0, 6.0)];
        assert_eq!(speakers(&turns, &[(0.0, 0.5), (2.2, 2.6), (4.2, 4.8), (7.0, 8.0)]), "AABB");
        assert_eq!(speakers(&[], &[(0.0, 0.5)]), "");
    }
}
