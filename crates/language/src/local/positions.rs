//! Rotary position encoding: pairs of the numbers of a head are rotated by an angle that grows with the position.

use super::model_config::{ModelConfig, RotaryLayout};

/// The sines and cosines of some positions.
pub(super) struct Positions {
    /// Of each pair of each position: cosine and sine.
    angles: Vec<(f32, f32)>,
    pairs: usize,
    layout: RotaryLayout,
}

impl Positions {
    /// `count` positions from `start` on.
    pub(super) fn new(config: &ModelConfig, start: usize, count: usize) -> Self {
        let positions = start..start + count;
        let angles = positions.flat_map(|position| {
            config.frequencies.iter().map(move |frequency| {
                let (sine, cosine) = (position as f32 * frequency).sin_cos();
                (cosine, sine)
            })
        });
        Self { angles: angles.collect(), pairs: config.frequencies.len(), layout: config.rotary_layout }
    }

    /// Rotates the heads of a row, which belongs to the `nth` position.
    pub(super) fn rotate(&self, row: &mut [f32], nth: usize) {
        let angles = &self.angles[nth * self.pairs..][..self.pairs];
        for head in row.chunks_exact_mut(2 * self.pairs) {
            match self.layout {
                RotaryLayout::Pairs => {
                    for (pair, angle) in head.chunks_exact_mut(2).zip(angles) {
                        (pair[0], pair[1]) = rotated(pair[0], pair[1], *angle);
                    }
                }
                RotaryLayout::Halves => {
                    let (first, second) = head.split_at_mut(self.pairs);
                    for ((one, other), angle) in first.iter_mut().zip(second).zip(angles) {
                        (*one, *other) = rotated(*one, *other, *angle);
                    }
                }
            }
        }
    }
}

fn rotated(one: f32, other: f32, (cosine, sine): (f32, f32)) -> (f32, f32) {
    (one * cosine - other * sine, other * cosine + one * sine)
}
