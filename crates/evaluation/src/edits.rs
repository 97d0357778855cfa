//! Counts of edit operations.

use std::iter::Sum;
use std::ops::Add;

use serde::Serialize;

use crate::alignment::Step;

/// Words (or characters) of the reference, and how a transcript differs from them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct EditCounts {
    /// Words of the reference.
    pub words: usize,
    pub inserted: usize,
    pub deleted: usize,
    pub substituted: usize,
}

impl EditCounts {
    pub fn of(steps: &[Step]) -> Self {
        let mut counts = Self::default();
        for step in steps {
            match step {
                Step::Same(..) => counts.words += 1,
                Step::Substituted(..) => {
                    counts.words += 1;
                    counts.substituted += 1;
                }
                Step::Deleted(_) => {
                    counts.words += 1;
                    counts.deleted += 1;
                }
                Step::Inserted(_) => counts.inserted += 1,
            }
        }
        counts
    }

    pub fn errors(&self) -> usize {
        self.inserted + self.deleted + self.substituted
    }

    /// Errors per hundred words. Every error counts as a whole if the reference has no words.
    pub fn percent(&self) -> f64 {
        100.0 * self.errors() as f64 / self.words.max(1) as f64
    }
}

impl Add for EditCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            words: self.words + other.words,
            inserted: self.inserted + other.inserted,
            deleted: self.deleted + other.deleted,
            substituted: self.substituted + other.substituted,
        }
    }
}

impl Sum for EditCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}
