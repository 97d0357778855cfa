//! Finds entities from left to right: at each word the best of the moves begin, inside, last, single word and outside.

use std::ops::Range;

use auris_kernels::FloatLinear;
use auris_weights::WeightsError;

use super::encoder::WIDTH;
use super::msgpack::{Reader, damaged};
use super::tensors::ModelNodes;

/// The length of the vector that the moves are chosen by.
const HIDDEN: usize = 64;
/// Pieces of which the larger one counts.
const PIECES: usize = 2;
/// Words that the choice sees: the next one, the first one of the open entity and the last one before the next.
const SEEN: usize = 3;
const SUMS: usize = HIDDEN * PIECES;

/// The labels of entities, and the net that chooses the moves.
pub(super) struct Transitions {
    labels: Vec<String>,
    narrow: FloatLinear,
    /// For each seen word its part of the sums; words that do not exist have the parts in `padding`.
    seen: FloatLinear,
    padding: Vec<f32>,
    bias: Vec<f32>,
    scores: FloatLinear,
}

/// What the chooser knows of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordPlace {
    pub(super) is_space: bool,
    /// Whether a sentence begins with the word. No entity reaches over it.
    pub(super) starts_sentence: bool,
}

/// An entity: its words and its label.
pub(super) type LabeledRange<'a> = (Range<usize>, &'a str);

/// An open entity: its first word and its label.
type Open = Option<(usize, usize)>;

impl Transitions {
    /// Reads the labels and the net.
    pub(super) fn read(nodes: &ModelNodes<'_>, moves: &[u8]) -> Result<Self, WeightsError> {
        let labels = read_labels(moves)?;
        // The moves with a label, a single word without one (never used), and outside.
        let moves = 4 * labels.len() + 2;
        let narrow = nodes.floats(("linear", 1), "W", &[HIDDEN, WIDTH])?;
        let seen = nodes.floats(("precomputable_affine", 0), "W", &[SEEN, HIDDEN, PIECES, HIDDEN])?;
        let scores = nodes.floats(("linear", 0), "W", &[moves, HIDDEN])?;
        Ok(Self {
            labels,
            narrow: FloatLinear::new(&narrow, WIDTH, &nodes.floats(("linear", 1), "b", &[HIDDEN])?),
            seen: FloatLinear::new(&seen, HIDDEN, &[]),
            padding: nodes.floats(("precomputable_affine", 0), "pad", &[1, SEEN, HIDDEN, PIECES])?,
            bias: nodes.floats(("precomputable_affine", 0), "b", &[HIDDEN, PIECES])?,
            scores: FloatLinear::new(&scores, HIDDEN, &nodes.floats(("linear", 0), "b", &[moves])?),
        })
    }

    /// The entities of a text from the vectors of its words.
    pub(super) fn entities(&self, vectors: &[f32], words: &[WordPlace]) -> Vec<LabeledRange<'_>> {
        let mut narrow = vec![0.0; words.len() * HIDDEN];
        self.narrow.run(vectors, &mut narrow);
        let mut parts = vec![0.0; words.len() * SEEN * SUMS];
        self.seen.run(&narrow, &mut parts);
        let mut entities = Vec::new();
        let mut open: Open = None;
        let mut scores = vec![0.0; self.scores.outputs()];
        for at in 0..words.len() {
            self.score(&parts, at, open, &mut scores);
            match self.best(&scores, &Allowed::new(words, at, open)) {
                Move::Begin(label) => open = Some((at, label)),
                Move::Inside | Move::Outside => {}
                Move::Single(label) => entities.push((at..at + 1, self.labels[label].as_str())),
                Move::Last => {
                    if let Some((start, label)) = open.take() {
                        entities.push((start..at + 1, self.labels[label].as_str()));
                    }
                }
            }
        }
        entities
    }

    /// Scores all moves at a word.
    fn score(&self, parts: &[f32], at: usize, open: Open, scores: &mut [f32]) {
        let seen = match open {
            Some((start, _)) => [Some(at), Some(start), at.checked_sub(1)],
            None => [Some(at), None, None],
        };
        let mut sums = [0.0; SUMS];
        for (nth, word) in seen.into_iter().enumerate() {
            let part = match word {
                Some(word) => &parts[(word * SEEN + nth) * SUMS..][..SUMS],
                None => &self.padding[nth * SUMS..][..SUMS],
            };
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        sums.iter_mut().zip(&self.bias).for_each(|(sum, bias)| *sum += bias);
        let mut hidden = [0.0; HIDDEN];
        for (value, pieces) in hidden.iter_mut().zip(sums.chunks_exact(PIECES)) {
            *value = pieces[0].max(pieces[1]);
        }
        self.scores.run(&hidden, scores);
    }

    /// The allowed move with the highest score; of equal ones the first.
    fn best(&self, scores: &[f32], allowed: &Allowed) -> Move {
        let labels = self.labels.len();
        let mut best = (f32::NEG_INFINITY, Move::Outside);
        let mut offer = |class: usize, offered: Move| {
            if scores[class] > best.0 {
                best = (scores[class], offered);
            }
        };
        if let Some(label) = allowed.open {
            if allowed.can_continue {
                offer(labels + label, Move::Inside);
            }
            offer(2 * labels + label, Move::Last);
        } else {
            if allowed.can_continue && !allowed.is_space {
                (0..labels).for_each(|label| offer(label, Move::Begin(label)));
            }
            if !allowed.is_space {
                (0..labels).for_each(|label| offer(3 * labels + label, Move::Single(label)));
            }
            offer(4 * labels + 1, Move::Outside);
        }
        // A text that ends inside an entity closes it; without finite scores nothing is found.
        match (best.1, allowed.open) {
            (Move::Outside, Some(_)) => Move::Last,
            (best, _) => best,
        }
    }
}

/// The moves, in the order of the classes; inside and last keep the label of the open entity.
#[derive(Debug, Clone, Copy)]
enum Move {
    Begin(usize),
    Inside,
    Last,
    Single(usize),
    Outside,
}

/// What decides the allowed moves.
struct Allowed {
    open: Option<usize>,
    /// Whether the next word exists and belongs to the same sentence.
    can_continue: bool,
    is_space: bool,
}

impl Allowed {
    fn new(words: &[WordPlace], at: usize, open: Open) -> Self {
        let next = words.get(at + 1);
        Self {
            open: open.map(|(_, label)| label),
            can_continue: next.is_some_and(|next| !next.starts_sentence),
            is_space: words[at].is_space,
        }
    }
}

/// The labels in the order of the classes: the most frequent first.
fn read_labels(moves: &[u8]) -> Result<Vec<String>, WeightsError> {
    let mut reader = Reader::new(moves);
    for _ in 0..reader.map()? {
        if reader.text()? == "moves" {
            return labels_of(reader.text()?);
        }
        reader.skip()?;
    }
    Err(damaged("the file of the moves has no moves"))
}

fn labels_of(json: &str) -> Result<Vec<String>, WeightsError> {
    type Moves = std::collections::BTreeMap<String, std::collections::BTreeMap<String, i64>>;
    let moves: Moves = serde_json::from_str(json).map_err(|error| damaged(format!("the moves: {error}")))?;
    let begins = moves.get("1").ok_or_else(|| damaged("there are no moves that begin an entity"))?;
    let mut labels: Vec<(i64, &String)> = begins.iter().map(|(label, count)| (*count, label)).collect();
    labels.sort_unstable();
    Ok(labels.into_iter().rev().map(|(_, label)| label.clone()).collect())
}
