//! The alignment of two lists with the fewest edits, in memory that grows with their length (Hirschberg's algorithm).

use std::collections::HashMap;

/// Maximum product of the lengths of two lists: 20 seconds of work. Six hours of speech are 60,000 words.
pub const MAX_CELLS: u64 = 4_000_000_000;

/// Parts with at most this many cells are aligned with a table of all cells.
const TABLE_CELLS: usize = 1 << 16;

/// The cost of a word that is only in one list. The lower half counts substitutions, so that of alignments with as few
/// edits the one with the most equal words is chosen.
const EDIT: u64 = 1 << 32;

/// The cost of a word that is replaced by another one.
const SUBSTITUTION: u64 = EDIT + 1;

/// One step of an alignment, with the positions in the reference and in the other list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Same(usize, usize),
    Substituted(usize, usize),
    Deleted(usize),
    Inserted(usize),
}

/// The steps that turn the reference into the other list, in order. Takes time in proportion to the product of the
/// lengths of what differs.
pub fn align<'a>(
    reference: impl Iterator<Item = &'a str>,
    other: impl Iterator<Item = &'a str>,
) -> Vec<Step> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let reference: Vec<u32> = reference.map(|word| number(&mut numbers, word)).collect();
    let other: Vec<u32> = other.map(|word| number(&mut numbers, word)).collect();
    let mut steps = Vec::with_capacity(reference.len().max(other.len()));
    Part { reference: &reference, other: &other, from: (0, 0) }.align(&mut steps);
    steps
}

/// The same number for the same word.
fn number<'a>(numbers: &mut HashMap<&'a str, u32>, word: &'a str) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(word).or_insert(next)
}

/// A part of both lists.
#[derive(Clone, Copy)]
struct Part<'a> {
    reference: &'a [u32],
    other: &'a [u32],
    /// Where the part begins in both lists.
    from: (usize, usize),
}

impl Part<'_> {
    fn align(self, steps: &mut Vec<Step>) {
        let head = common(self.reference.iter().zip(self.other));
        let (middle, tail) = self.split_at(head, head).1.without_tail();
        let (row, column) = self.from;
        steps.extend((0..head).map(|at| Step::Same(row + at, column + at)));
        middle.align_different(steps);
        let row = middle.from.0 + middle.reference.len();
        let column = middle.from.1 + middle.other.len();
        steps.extend((0..tail).map(|at| Step::Same(row + at, column + at)));
    }

    /// The part before and after a position in both lists.
    fn split_at(self, row: usize, column: usize) -> (Self, Self) {
        let (upper, lower) = self.reference.split_at(row);
        let (left, right) = self.other.split_at(column);
        let after = (self.from.0 + row, self.from.1 + column);
        (
            Self { reference: upper, other: left, from: self.from },
            Self { reference: lower, other: right, from: after },
        )
    }

    /// The part without the words that both lists end with, and how many they are.
    fn without_tail(self) -> (Self, usize) {
        let tail = common(self.reference.iter().rev().zip(self.other.iter().rev()));
        (self.split_at(self.reference.len() - tail, self.other.len() - tail).0, tail)
    }

    fn align_different(self, steps: &mut Vec<Step>) {
        let rows = self.reference.len();
        let columns = self.other.len();
        if rows.saturating_mul(columns) <= TABLE_CELLS || rows < 2 {
            return self.align_by_table(steps);
        }
        let (upper, lower) = self.reference.split_at(rows / 2);
        let forward = last_row(upper.iter(), self.other.iter());
        let backward = last_row(lower.iter().rev(), self.other.iter().rev());
        let cost = |column: &usize| forward[*column] + backward[columns - column];
        let middle = (0..=columns).min_by_key(cost).unwrap_or(0);
        let (before, after) = self.split_at(rows / 2, middle);
        before.align(steps);
        after.align(steps);
    }

    /// Keeps the cost of every cell, and follows the cheapest path back from the end.
    fn align_by_table(self, steps: &mut Vec<Step>) {
        let rows = self.reference.len();
        let columns = self.other.len();
        let mut table = vec![first_row(columns)];
        for (nth, word) in self.reference.iter().enumerate() {
            table.push(next_row(&table[nth], *word, self.other.iter()));
        }
        let mut row = rows;
        let mut column = columns;
        let from = steps.len();
        while row > 0 || column > 0 {
            let here = table[row][column];
            let r = self.from.0 + row;
            let c = self.from.1 + column;
            if row > 0 && column > 0 && here == table[row - 1][column - 1] + self.differs(row - 1, column - 1)
            {
                let same = self.differs(row - 1, column - 1) == 0;
                steps.push(if same { Step::Same(r - 1, c - 1) } else { Step::Substituted(r - 1, c - 1) });
                row -= 1;
                column -= 1;
            } else if row > 0 && here == table[row - 1][column] + EDIT {
                steps.push(Step::Deleted(r - 1));
                row -= 1;
            } else {
                steps.push(Step::Inserted(c - 1));
                column -= 1;
            }
        }
        steps[from..].reverse();
    }

    fn differs(self, row: usize, column: usize) -> u64 {
        cost(self.reference[row], self.other[column])
    }
}

fn common<'a>(pairs: impl Iterator<Item = (&'a u32, &'a u32)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

fn cost(one: u32, other: u32) -> u64 {
    if one == other { 0 } else { SUBSTITUTION }
}

/// The costs of aligning nothing with each beginning of the other list.
fn first_row(columns: usize) -> Vec<u64> {
    (0..=columns as u64).map(|column| column * EDIT).collect()
}

/// The costs of aligning the whole reference with each beginning of the other list.
fn last_row<'a>(
    reference: impl Iterator<Item = &'a u32>,
    other: impl ExactSizeIterator<Item = &'a u32> + Clone,
) -> Vec<u64> {
    let mut row = first_row(other.len());
    for word in reference {
        row = next_row(&row, *word, other.clone());
    }
    row
}

fn next_row<'a>(row: &[u64], word: u32, other: impl Iterator<Item = &'a u32>) -> Vec<u64> {
    let mut next = Vec::with_capacity(row.len());
    let mut left = row[0] + EDIT;
    next.push(left);
    for (pair, found) in row.windows(2).zip(other) {
        left = (pair[0] + cost(*found, word)).min(pair[1] + EDIT).min(left + EDIT);
        next.push(left);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::EditCounts;

    fn counts(reference: &str, other: &str) -> EditCounts {
        EditCounts::of(&align(reference.split_whitespace(), other.split_whitespace()))
    }

    #[test]
    fn steps_are_in_order_and_have_positions() {
        let steps = align("the cat sat here".split(' '), "the hat sat down now".split(' '));
        let expected = [
            Step::Same(0, 0),
            Step::Substituted(1, 1),
            Step::Same(2, 2),
            Step::Inserted(3),
            Step::Substituted(3, 4),
        ];
        assert_eq!(steps, expected);
    }

    #[test]
    fn each_kind_of_error_is_counted() {
        let expected = EditCounts { words: 4, inserted: 1, deleted: 0, substituted: 1 };
        assert_eq!(counts("a b c d", "a x c d e"), expected);
        assert_eq!(counts("a b", ""), EditCounts { words: 2, deleted: 2, ..Default::default() });
        assert_eq!(counts("", "a b c"), EditCounts { inserted: 3, ..Default::default() });
        assert_eq!(counts("", ""), EditCounts::default());
        assert!((counts("a b c d", "a x c d e").percent() - 50.0).abs() < 1e-9);
        assert!((counts("", "a b").percent() - 200.0).abs() < 1e-9);
    }

    #[test]
    fn of_equally_short_alignments_the_one_with_more_equal_words_is_chosen() {
        let expected = EditCounts { words: 2, inserted: 1, deleted: 1, substituted: 0 };
        assert_eq!(counts("not he", "he now"), expected);
    }

    /// Long enough that the lists are divided several times.
    #[test]
    fn long_lists_have_the_fewest_edits() {
        let mut state = 7u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let reference: Vec<String> = (0..1500).map(|_| random(40).to_string()).collect();
        let mut other = reference.clone();
        for _ in 0..300 {
            let at = random(other.len() as u32) as usize;
            match random(3) {
                0 => other[at] = random(40).to_string(),
                1 => drop(other.remove(at)),
                _ => other.insert(at, random(40).to_string()),
            }
        }
        let steps = align(reference.iter().map(String::as_str), other.iter().map(String::as_str));
        let counted = EditCounts::of(&steps);
        let numbers = |list: &[String]| list.iter().map(|word| word.parse().unwrap()).collect::<Vec<u32>>();
        let fewest = last_row(numbers(&reference).iter(), numbers(&other).iter());
        assert_eq!(counted.errors() as u64, fewest[other.len()] / EDIT);
        assert_eq!(counted.substituted as u64, fewest[other.len()] % EDIT);
        assert_eq!(counted.words, reference.len());
        for step in steps {
            if let Step::Same(row, column) = step {
                assert_eq!(reference[row], other[column]);
            }
        }
    }
}
