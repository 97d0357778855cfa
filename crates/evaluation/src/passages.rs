//! Passages of a recording: a few sentences each, with what differs between the reference and the transcript.

use serde::Serialize;

use crate::alignment::Step;
use crate::edits::EditCounts;
use crate::normalization::Token;
use crate::spoken_word::SpokenWord;
use crate::word_times::AlignedTexts;

/// Fewest tokens of a passage that ends with a sentence or a subtitle.
const ENOUGH: usize = 12;

/// Most tokens of a passage.
const LONGEST: usize = 40;

/// Passes over the steps until the words that differ are known. Each pass follows a word to the words beside it.
const PASSES: usize = 8;

/// A passage. The passages of a recording are the same for every transcript of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Passage {
    #[serde(flatten)]
    pub counts: EditCounts,
    /// Where it is in the recording, in seconds, if the transcript or the reference has times.
    pub start: Option<f64>,
    pub end: Option<f64>,
    pub changes: Vec<Change>,
}

/// A stretch of both texts that is the same or that differs. One of them is empty where words were left out or added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub same: bool,
    pub reference: String,
    pub found: String,
}

/// The positions of words after which a passage ends.
pub(crate) fn cuts(words: &[SpokenWord], tokens: &[Token]) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut length = 0;
    for (nth, token) in tokens.iter().enumerate() {
        length += 1;
        let next = tokens.get(nth + 1).map_or(words.len(), |next| next.first);
        if next <= token.last {
            continue;
        }
        let mut ended = words[token.last..next.max(token.last + 1)].iter();
        if length >= LONGEST || (length >= ENOUGH && ended.any(ends_sentence)) {
            cuts.push(next);
            length = 0;
        }
    }
    cuts
}

fn ends_sentence(word: &SpokenWord) -> bool {
    word.end.is_some()
        || word.text.trim_end_matches(['"', '\'', ')', '”', '»']).ends_with(['.', '?', '!', '。', '？', '！'])
}

/// The passages between the cuts.
pub(crate) fn passages(texts: &AlignedTexts, cuts: &[usize], joiner: &'static str) -> Vec<Passage> {
    let same = unchanged(texts);
    let mut writer = Writer { texts, joiner, next: (0, 0), passage: Passage::default() };
    let mut passages = Vec::new();
    let mut from = 0;
    for cut in cuts.iter().chain([&usize::MAX]) {
        let is_beyond =
            |step: &Step| expected(step).is_some_and(|row| texts.reference_tokens[row].first >= *cut);
        let to =
            texts.steps[from..].iter().position(is_beyond).map_or(texts.steps.len(), |length| from + length);
        if to > from {
            let blocks = texts.steps[from..to].iter().zip(&same[from..to]).collect::<Vec<_>>();
            blocks.chunk_by(|one, other| one.1 == other.1).for_each(|block| writer.write(block));
            passages.push(writer.finish(&texts.steps[from..to]));
        }
        from = to;
    }
    passages
}

/// The position in the reference.
fn expected(step: &Step) -> Option<usize> {
    match step {
        Step::Same(row, _) | Step::Substituted(row, _) | Step::Deleted(row) => Some(*row),
        Step::Inserted(_) => None,
    }
}

/// The position in the transcript.
fn found(step: &Step) -> Option<usize> {
    match step {
        Step::Same(_, column) | Step::Substituted(_, column) | Step::Inserted(column) => Some(*column),
        Step::Deleted(_) => None,
    }
}

/// For each step, whether the whole words of it are the same: `don't` and `do` are not, although both have `do`.
fn unchanged(texts: &AlignedTexts) -> Vec<bool> {
    let mut same: Vec<bool> = texts.steps.iter().map(|step| matches!(step, Step::Same(..))).collect();
    let mut wrong = (vec![false; texts.reference.len()], vec![false; texts.found.len()]);
    for _ in 0..PASSES {
        for (step, _) in texts.steps.iter().zip(&same).filter(|(_, same)| !**same) {
            words(texts, step).0.for_each(|word| wrong.0[word] = true);
            words(texts, step).1.for_each(|word| wrong.1[word] = true);
        }
        let mut changed = false;
        for (step, same) in texts.steps.iter().zip(&mut same).filter(|(_, same)| **same) {
            let (mut reference, mut found) = words(texts, step);
            *same = !reference.any(|word| wrong.0[word]) && !found.any(|word| wrong.1[word]);
            changed |= !*same;
        }
        if !changed {
            break;
        }
    }
    same
}

/// The words of a step in both texts.
fn words(texts: &AlignedTexts, step: &Step) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let range =
        |tokens: &[Token], at: Option<usize>| at.map_or(0..0, |at| tokens[at].first..tokens[at].last + 1);
    (range(texts.reference_tokens, expected(step)), range(texts.found_tokens, found(step)))
}

/// Writes the words of both texts into passages, each word once.
struct Writer<'a> {
    texts: &'a AlignedTexts<'a>,
    joiner: &'static str,
    /// The next words of both texts.
    next: (usize, usize),
    passage: Passage,
}

impl Writer<'_> {
    /// Adds a stretch of steps that are all the same or all different.
    fn write(&mut self, block: &[(&Step, &bool)]) {
        let ends = block.iter().map(|(step, _)| words(self.texts, step));
        let (reference, found) = ends
            .fold(self.next, |ends, (reference, found)| (ends.0.max(reference.end), ends.1.max(found.end)));
        let change = Change {
            same: block.iter().all(|(_, same)| **same),
            reference: self.text(&self.texts.reference[self.next.0..reference]),
            found: self.text(&self.texts.found[self.next.1..found]),
        };
        let spoken = &self.texts.found[self.next.1..found];
        let expected = &self.texts.reference[self.next.0..reference];
        let start = |words: &[SpokenWord]| words.iter().find_map(|word| word.start);
        let end = |words: &[SpokenWord]| words.iter().rev().find_map(|word| word.end);
        self.passage.start = self.passage.start.or_else(|| start(spoken)).or_else(|| start(expected));
        self.passage.end = end(spoken).or_else(|| end(expected)).or(self.passage.end);
        self.next = (reference, found);
        self.passage.changes.push(change);
    }

    fn text(&self, words: &[SpokenWord]) -> String {
        words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(self.joiner)
    }

    fn finish(&mut self, steps: &[Step]) -> Passage {
        Passage { counts: EditCounts::of(steps), ..std::mem::take(&mut self.passage) }
    }
}
