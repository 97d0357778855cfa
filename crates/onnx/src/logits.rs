//! The score of every token: the product of the decoder's hidden state with the token embeddings.
//!
//! The embeddings stay in bytes, because reading them takes most of the time. The hidden state stays in floats, because bytes
//! were too coarse: a few large values take the precision of the others, and wrong words were chosen.

use rten_simd::ops::{BitOps, Extend, NumOps, ToFloat};
use rten_simd::{Isa, SimdOp};

/// Rows multiplied at once.
const ROWS: usize = 4;
/// The length of rows is padded to a multiple of this, the bytes of the widest vector registers.
const LANES: usize = 64;

/// Quantized token embeddings: a row of bytes per token.
pub(crate) struct Embeddings {
    pub(crate) table: Vec<i8>,
    pub(crate) width: usize,
    /// A number is `(byte - zero) · scale`.
    pub(crate) scale: f32,
    pub(crate) zero: i8,
}

/// The product with the token embeddings.
pub struct Projection {
    /// Rows and columns padded with zeros.
    table: Vec<i8>,
    tokens: usize,
    width: usize,
    padded: usize,
    scale: f32,
    zero: f32,
}

impl Projection {
    /// `None` if the table does not consist of whole rows.
    pub(crate) fn new(embeddings: Embeddings) -> Option<Self> {
        let width = embeddings.width;
        if width == 0 || embeddings.table.is_empty() || !embeddings.table.len().is_multiple_of(width) {
            return None;
        }
        let tokens = embeddings.table.len() / width;
        let padded = width.next_multiple_of(LANES);
        let mut table = vec![0; tokens.next_multiple_of(ROWS) * padded];
        for (row, bytes) in table.chunks_exact_mut(padded).zip(embeddings.table.chunks_exact(width)) {
            row[..width].copy_from_slice(bytes);
        }
        Some(Self { table, tokens, width, padded, scale: embeddings.scale, zero: f32::from(embeddings.zero) })
    }

    /// The score of each token.
    pub fn scores(&self, hidden: &[f32]) -> Vec<f32> {
        let mut filled = vec![0.0; self.padded];
        let used = hidden.len().min(self.width);
        filled[..used].copy_from_slice(&hidden[..used]);
        let mut scores = vec![0.0; self.table.len() / self.padded];
        ScoreProduct { table: &self.table, hidden: &filled, scores: &mut scores }.dispatch();
        let of_zero = self.zero * filled.iter().sum::<f32>();
        scores.truncate(self.tokens);
        scores.iter_mut().for_each(|score| *score = (*score - of_zero) * self.scale);
        scores
    }
}

/// The products of `hidden` with each row.
struct ScoreProduct<'a> {
    table: &'a [i8],
    hidden: &'a [f32],
    scores: &'a mut [f32],
}

impl SimdOp for ScoreProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let (bytes, shorts, integers, floats) = (isa.i8(), isa.i16(), isa.i32(), isa.f32());
        let width = self.hidden.len();
        let blocks = self.table.chunks_exact(ROWS * width).zip(self.scores.chunks_exact_mut(ROWS));
        for (rows, scores) in blocks {
            let mut sums = [floats.zero(); ROWS];
            for at in (0..width).step_by(bytes.len()) {
                let hidden = floats.load_many::<4>(&self.hidden[at..]);
                for (row, sum) in sums.iter_mut().enumerate() {
                    let weights = bytes.load(&rows[row * width + at..]);
                    let (low, high) = (bytes.extend_low(weights), bytes.extend_high(weights));
                    let quarters = [
                        shorts.extend_low(low),
                        shorts.extend_high(low),
                        shorts.extend_low(high),
                        shorts.extend_high(high),
                    ];
                    for (quarter, hidden) in quarters.into_iter().zip(hidden) {
                        *sum = floats.mul_add(integers.to_float(quarter), hidden, *sum);
                    }
                }
            }
            for (score, sum) in scores.iter_mut().zip(sums) {
                *score = floats.sum(sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_equal_those_of_the_plain_product() {
        for (tokens, width) in [(1, 1), (7, 64), (10, 288), (5, 416)] {
            let table: Vec<i8> = (0..tokens * width).map(|at| (at * 37 % 251) as u8 as i8).collect();
            let hidden: Vec<f32> = (0..width).map(|at| ((at * 13) as f32).sin() * 3.0).collect();
            let number = |byte: &i8| (f32::from(*byte) + 5.0) * 0.25;
            let plain = table.chunks(width).map(|row| {
                let products = row.iter().zip(&hidden).map(|(byte, hidden)| number(byte) * hidden);
                products.sum::<f32>()
            });
            let plain: Vec<f32> = plain.collect();
            let projection = Projection::new(Embeddings { table, width, scale: 0.25, zero: -5 }).unwrap();
            let scores = projection.scores(&hidden);
            assert_eq!(scores.len(), tokens);
            assert!(
                scores.iter().zip(&plain).all(|(one, other)| (one - other).abs() < 0.05),
                "{tokens} {width}"
            );
        }
    }

    #[test]
    fn a_table_with_an_incomplete_row_is_refused() {
        let embeddings = |table: Vec<i8>, width| Embeddings { table, width, scale: 1.0, zero: 0 };
        assert!(Projection::new(embeddings(vec![1, 2, 3], 2)).is_none());
        assert!(Projection::new(embeddings(vec![], 2)).is_none());
        assert!(Projection::new(embeddings(vec![1], 0)).is_none());
    }
}
