//! Agglomerative merging of groups, the most similar first.

use super::group::{Conflict, Group};

/// Subtracted from the score of two groups that speak as different people in many windows and in at least half of theirs.
const CONFLICT: f32 = 0.5;
/// The number of conflicting windows that count for about half. The segmentation sometimes splits one voice in a single
/// window.
const DOUBT: f32 = 0.8;

/// One merge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merge {
    pub(super) into: usize,
    pub(super) from: usize,
    pub(super) similarity: f32,
}

/// The groups that are not merged yet.
pub(super) struct Agglomeration {
    groups: Vec<Option<Group>>,
    left: usize,
    /// Similarity and conflicting windows of each pair of groups, row by row.
    similarity: Vec<f32>,
    conflicts: Vec<f32>,
    /// For each group the most similar other group.
    nearest: Vec<Option<(usize, f32)>>,
}

impl Agglomeration {
    pub(super) fn new(groups: &[Group], conflicts: &[Conflict]) -> Self {
        let size = groups.len();
        let mut matrix = vec![0.0; size * size];
        for conflict in conflicts {
            let (one, other) = conflict.groups;
            matrix[one * size + other] += conflict.windows;
            matrix[other * size + one] += conflict.windows;
        }
        let pairs = groups.iter().flat_map(|one| groups.iter().map(|other| one.similarity(other)));
        let mut merging = Self {
            similarity: pairs.collect(),
            conflicts: matrix,
            groups: groups.iter().cloned().map(Some).collect(),
            left: size,
            nearest: vec![None; size],
        };
        (0..size).for_each(|row| merging.find_nearest(row));
        merging
    }

    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The next merge; `None` if only one group is left.
    pub(super) fn best(&self) -> Option<Merge> {
        let rows = self.nearest.iter().enumerate();
        let found =
            rows.filter_map(|(row, nearest)| nearest.map(|(other, similarity)| (row, other, similarity)));
        let (row, other, similarity) = found.max_by(|one, other| one.2.total_cmp(&other.2))?;
        Some(Merge { into: row.min(other), from: row.max(other), similarity })
    }

    pub(super) fn merge(&mut self, step: Merge) {
        let Some(from) = self.groups[step.from].take() else { return };
        let Some(mut into) = self.groups[step.into].take() else { return };
        self.join_rows(step, into.seconds, from.seconds);
        into.absorb(&from);
        self.groups[step.into] = Some(into);
        self.nearest[step.from] = None;
        self.left -= 1;
        self.find_nearest(step.into);
        self.update_nearest(step);
    }

    /// The groups that are left and the conflicts between them.
    pub(super) fn finish(self) -> (Vec<Group>, Vec<Conflict>) {
        let size = self.groups.len();
        let mut numbers = vec![None; size];
        let mut groups = Vec::new();
        for (row, group) in self.groups.into_iter().enumerate() {
            if let Some(group) = group {
                numbers[row] = Some(groups.len());
                groups.push(group);
            }
        }
        let mut conflicts = Vec::new();
        for (row, number) in numbers.iter().enumerate() {
            for (column, other) in numbers.iter().enumerate().skip(row + 1) {
                let windows = self.conflicts[row * size + column];
                if let (Some(one), Some(other), true) = (number, other, windows > 0.0) {
                    conflicts.push(Conflict { groups: (*one, *other), windows });
                }
            }
        }
        (groups, conflicts)
    }

    /// The mean similarity to each other group, and the conflicts of both.
    fn join_rows(&mut self, step: Merge, into_seconds: f32, from_seconds: f32) {
        let size = self.groups.len();
        for column in 0..size {
            let into = step.into * size + column;
            let from = step.from * size + column;
            let sum = self.similarity[into] * into_seconds + self.similarity[from] * from_seconds;
            self.similarity[into] = sum / (into_seconds + from_seconds);
            self.similarity[column * size + step.into] = self.similarity[into];
            self.conflicts[into] += self.conflicts[from];
            self.conflicts[column * size + step.into] = self.conflicts[into];
        }
    }

    /// Updates the nearest group of the others: their nearest may be gone, or the merged group may be nearer.
    fn update_nearest(&mut self, step: Merge) {
        for row in 0..self.groups.len() {
            if row == step.into || self.groups[row].is_none() {
                continue;
            }
            match self.nearest[row] {
                Some((other, _)) if other == step.into || other == step.from => self.find_nearest(row),
                Some((_, similarity)) => {
                    let score = self.score(row, step.into);
                    if score > similarity {
                        self.nearest[row] = Some((step.into, score));
                    }
                }
                None => self.find_nearest(row),
            }
        }
    }

    fn find_nearest(&mut self, row: usize) {
        let others = (0..self.groups.len()).filter(|other| *other != row && self.groups[*other].is_some());
        let scored = others.map(|other| (other, self.score(row, other)));
        self.nearest[row] = scored.max_by(|one, other| one.1.total_cmp(&other.1));
    }

    fn score(&self, one: usize, other: usize) -> f32 {
        let at = one * self.groups.len() + other;
        let stretches = |group: usize| self.groups[group].as_ref().map_or(1.0, |group| group.stretches);
        // A conflict in half of the windows is as much evidence for two people as a conflict in all of them.
        let met = 2.0 * self.conflicts[at] / stretches(one).min(stretches(other));
        let sure = self.conflicts[at] / (self.conflicts[at] + DOUBT);
        self.similarity[at] - CONFLICT * sure * met.min(1.0)
    }
}
