//! How a decoder or an encoder knows the position of a row.

/// Positions that a table of angles has: 49 seconds of Moonshine's frames. Segments are shorter.
const MAX_ROTARY: usize = 2048;

/// How positions enter a net.
pub(super) enum Positions {
    /// Queries and keys are rotated by an angle for each position.
    Rotary(Rotary),
    /// A learned row is added to the embedding of each token.
    Learned(Vec<f32>),
}

/// The angles of every position, computed once.
pub(super) struct Rotary {
    /// Each cosine twice, for the two numbers of a pair.
    cosines: Vec<f32>,
    /// Each sine twice, the first of them negative.
    sines: Vec<f32>,
    /// Dimensions of each head that are rotated; the rest of a head does not depend on the position.
    width: usize,
}

impl Positions {
    /// Adds the row of a position to an embedding. Positions after the last known one count as the last.
    pub(super) fn add_to(&self, embedding: &mut [f32], position: usize) {
        match self {
            Self::Rotary(_) => {}
            Self::Learned(table) => {
                let width = embedding.len();
                let row = position.min(table.len() / width - 1);
                auris_kernels::add(embedding, &table[row * width..(row + 1) * width]);
            }
        }
    }

    /// The angles, if positions are rotary.
    pub(super) fn rotary(&self) -> Option<&Rotary> {
        match self {
            Self::Rotary(rotary) => Some(rotary),
            Self::Learned(_) => None,
        }
    }
}

impl Rotary {
    /// The number of positions that are known.
    pub(super) const MAX: usize = MAX_ROTARY;

    /// Rotates the first `width` dimensions of each head, an even number, by angles that `base` spreads.
    pub(super) fn new(width: usize, base: f32) -> Self {
        let width = width / 2 * 2;
        let mut cosines = Vec::new();
        let mut sines = Vec::new();
        for position in 0..MAX_ROTARY {
            for pair in 0..width / 2 {
                let angle = position as f32 * base.powf(-2.0 * pair as f32 / width as f32);
                cosines.extend([angle.cos(); 2]);
                sines.extend([-angle.sin(), angle.sin()]);
            }
        }
        Self { cosines, sines, width }
    }

    /// Rotates every head of a row. Positions after the last known one count as the last.
    pub(super) fn rotate(&self, row: &mut [f32], head_width: usize, position: usize) {
        let at = position.min(MAX_ROTARY - 1) * self.width;
        let angles = at..at + self.width;
        auris_kernels::rotate(row, head_width, &self.cosines[angles.clone()], &self.sines[angles]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_depends_on_the_position_and_keeps_lengths() {
        let rotary = Rotary::new(32, 10_000.0);
        let head: Vec<f32> = (0..36).map(|at| at as f32 / 36.0).collect();
        let mut rotated = head.clone();
        rotary.rotate(&mut rotated, 36, 0);
        assert_eq!(rotated, head);
        rotary.rotate(&mut rotated, 36, 100);
        let length = |row: &[f32]| row.iter().map(|float| float * float).sum::<f32>();
        assert!((length(&rotated) - length(&head)).abs() < 1e-4);
        assert_ne!(rotated[..32], head[..32]);
        assert_eq!(rotated[32..], head[32..]);
    }

    #[test]
    fn dot_products_depend_on_the_distance_of_two_positions() {
        let rotary = Rotary::new(32, 10_000.0);
        let product = |one: usize, other: usize| {
            let (mut query, mut key) = ([0.5; 32], [0.25; 32]);
            rotary.rotate(&mut query, 32, one);
            rotary.rotate(&mut key, 32, other);
            auris_kernels::dot(&query, &key)
        };
        assert!((product(10, 3) - product(107, 100)).abs() < 1e-4);
        assert!((product(10, 3) - product(10, 9)).abs() > 1e-3);
    }

    #[test]
    fn a_position_after_the_table_counts_as_the_last() {
        let positions = Positions::Learned(vec![1.0, 2.0, 3.0, 4.0]);
        let mut embedding = [10.0, 10.0];
        positions.add_to(&mut embedding, 7);
        assert_eq!(embedding, [13.0, 14.0]);
    }
}
