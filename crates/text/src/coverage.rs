//! Chooses sentences that together say the most about a transcript: new words, new meaning, and several speakers.

use std::collections::{HashMap, HashSet};

use super::embedder::{Vector, similarity};
use super::sentence_score::word_score;
use super::stop_words::content;

/// How much the frequent words of the transcript count that no chosen sentence has.
const NEW_WORDS: f32 = 0.4;
/// How much the score of a sentence is lowered for its similarity to a chosen one.
const REPETITION: f32 = 0.4;
/// Bonus of a sentence by a speaker of whom no sentence is chosen yet: a conversation is what both said.
const NEW_SPEAKER: f32 = 0.25;

/// A sentence that may be chosen.
pub(super) struct Candidate<'a> {
    pub(super) passage: usize,
    pub(super) text: String,
    pub(super) speaker: Option<&'a str>,
    /// How good the sentence is by itself.
    pub(super) score: f32,
}

/// What the chosen sentences of a transcript are measured by.
pub(super) struct Coverage<'a> {
    /// The frequency of each content word of the transcript.
    pub(super) frequencies: &'a HashMap<String, f32>,
    /// The highest sum of frequencies of a sentence.
    pub(super) highest_word_score: f32,
    /// The embedding of each passage.
    pub(super) vectors: &'a [Vector],
}

impl<'a> Coverage<'a> {
    /// At most `count` sentences, the best first. Each is the best one beside those chosen before it.
    pub(super) fn choose(&self, mut open: Vec<Candidate<'a>>, count: usize) -> Vec<Candidate<'a>> {
        let mut chosen: Vec<Candidate> = Vec::new();
        let mut covered = HashSet::new();
        while chosen.len() < count {
            let gains: Vec<f32> =
                open.iter().map(|candidate| self.gain(candidate, &chosen, &covered)).collect();
            let first_best = |one: &usize, other: &usize| {
                let earlier = open[*other].passage.cmp(&open[*one].passage);
                gains[*one].total_cmp(&gains[*other]).then(earlier)
            };
            let Some(best) = (0..open.len()).max_by(first_best) else { break };
            let taken = open.swap_remove(best);
            for other in &mut open {
                let near = similarity(&self.vectors[other.passage], &self.vectors[taken.passage]);
                other.score -= REPETITION * near.max(0.0);
            }
            open.retain(|other| other.text != taken.text);
            covered.extend(content(&taken.text));
            chosen.push(taken);
        }
        chosen
    }

    fn gain(&self, candidate: &Candidate, chosen: &[Candidate], covered: &HashSet<String>) -> f32 {
        let is_new = |speaker| chosen.iter().all(|other| other.speaker != Some(speaker));
        let speaker = if candidate.speaker.is_some_and(is_new) { NEW_SPEAKER } else { 0.0 };
        let words = word_score(&candidate.text, self.frequencies, covered) / self.highest_word_score;
        candidate.score + speaker + NEW_WORDS * words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence_score::word_frequencies;

    fn chosen(said: &[(&'static str, &str)]) -> Vec<usize> {
        let frequencies = word_frequencies(said.iter().map(|(_, text)| *text));
        let apart = |nth: usize| (0..said.len()).map(|at| f32::from(u8::from(at == nth))).collect();
        let vectors: Vec<Vector> = (0..said.len()).map(apart).collect();
        let coverage = Coverage { frequencies: &frequencies, highest_word_score: 2.0, vectors: &vectors };
        let candidate = |(passage, (speaker, text)): (usize, &(&'static str, &str))| Candidate {
            passage,
            text: (*text).to_owned(),
            speaker: (!speaker.is_empty()).then_some(*speaker),
            score: 0.0,
        };
        let all = said.iter().enumerate().map(candidate).collect();
        coverage.choose(all, 2).into_iter().map(|candidate| candidate.passage).collect()
    }

    #[test]
    fn the_second_sentence_has_other_words_than_the_first() {
        let said = [("", "The invoice and the budget."), ("", "Invoice, budget."), ("", "The parrot.")];
        assert_eq!(chosen(&said), [0, 2]);
    }

    #[test]
    fn the_second_sentence_is_of_another_speaker() {
        let said = [("A", "The invoice and the budget."), ("A", "The parrot."), ("B", "The budget.")];
        assert_eq!(chosen(&said), [0, 2]);
    }

    #[test]
    fn a_text_is_chosen_once() {
        assert_eq!(chosen(&[("A", "The invoice."), ("B", "The invoice.")]), [0]);
    }
}
