//! From words to vectors in context: hash embeddings and word vectors, mixed, then four convolutions over three words.

use std::collections::HashMap;

use auris_kernels::{FloatLinear, LayerNorm, add, layer_norm};
use auris_weights::WeightsError;

use super::string_ids::table_rows;
use super::tensors::ModelNodes;
use super::word_features::WordFeatures;
use super::word_vectors::WordVectors;

/// The length of the vector of a word.
pub(super) const WIDTH: usize = 96;
/// The length of a word vector in the file.
const VECTOR_WIDTH: usize = 300;
/// Pieces of which the largest one counts.
const PIECES: usize = 3;
/// Rows of the tables of normal forms, prefixes, suffixes and shapes, and the seeds of their hashes.
const TABLES: [(usize, u64); 4] = [(5000, 8), (1000, 9), (2500, 10), (2500, 11)];
/// Number of convolutions, and of empty words before and after a text, which the convolutions reach.
const LAYERS: usize = 4;
/// Rows that go through a product at once, so that they stay in the cache of the processor.
const ROWS: usize = 128;
const EPSILON: f32 = 1e-8;

/// The loaded encoder.
pub(super) struct Encoder {
    tables: Vec<Vec<f32>>,
    vectors: WordVectors,
    mix: Maxout,
    layers: Vec<Maxout>,
}

/// A product whose largest piece counts, with a norm.
struct Maxout {
    /// Piece by piece, so that the pieces of a row are next to each other.
    product: FloatLinear,
    gain: Vec<f32>,
    bias: Vec<f32>,
}

impl Encoder {
    /// Reads the encoder from the model, the vectors and the rows of words.
    pub(super) fn read(
        nodes: &ModelNodes<'_>,
        vectors: &[u8],
        key_rows: &[u8],
    ) -> Result<Self, WeightsError> {
        let tables = TABLES.iter().enumerate();
        let tables = tables.map(|(nth, (rows, _))| nodes.floats(("hashembed", nth), "E", &[*rows, WIDTH]));
        let projection = nodes.floats(("static_vectors", 0), "W", &[WIDTH, VECTOR_WIDTH])?;
        let projection = FloatLinear::new(&projection, VECTOR_WIDTH, &[]);
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
            vectors: WordVectors::read(vectors, key_rows, &projection)?,
            mix: Maxout::read(nodes, 0, (TABLES.len() + 1) * WIDTH)?,
            layers: (1..=LAYERS).map(|nth| Maxout::read(nodes, nth, 3 * WIDTH)).collect::<Result<_, _>>()?,
        })
    }

    /// A row for each word of a text, in its context.
    pub(super) fn encode(&self, words: &[WordFeatures]) -> Vec<f32> {
        // One row more at each end, which stays empty.
        let edge = LAYERS + 1;
        let mut rows = vec![0.0; (words.len() + 2 * edge) * WIDTH];
        self.embed(words, &mut rows[edge * WIDTH..(edge + words.len()) * WIDTH]);
        let mut next = vec![0.0; rows.len()];
        for layer in &self.layers {
            let inner = WIDTH..rows.len() - WIDTH;
            layer.run(&rows, WIDTH, &mut next[inner.clone()]);
            add(&mut next[inner.clone()], &rows[inner]);
            std::mem::swap(&mut rows, &mut next);
        }
        rows.truncate((edge + words.len()) * WIDTH);
        rows.drain(..edge * WIDTH);
        rows
    }

    /// Writes the vector of each word by itself. Equal words are computed once.
    fn embed(&self, words: &[WordFeatures], out: &mut [f32]) {
        let mut places: HashMap<WordFeatures, usize> = HashMap::new();
        let mut inputs = Vec::new();
        for word in words {
            let next = places.len();
            places.entry(*word).or_insert_with(|| {
                self.inputs(word, &mut inputs);
                next
            });
        }
        let mut distinct = vec![0.0; places.len() * WIDTH];
        self.mix.run(&inputs, (TABLES.len() + 1) * WIDTH, &mut distinct);
        for (word, row) in words.iter().zip(out.chunks_exact_mut(WIDTH)) {
            let at = places.get(word).copied().unwrap_or_default() * WIDTH;
            row.copy_from_slice(&distinct[at..at + WIDTH]);
        }
    }

    /// Appends what is mixed for a word: a row of each table, and its vector.
    fn inputs(&self, word: &WordFeatures, inputs: &mut Vec<f32>) {
        for ((table, (rows, seed)), id) in self.tables.iter().zip(TABLES).zip(word.ids) {
            let mut sum = [0.0; WIDTH];
            for row in table_rows(id, seed, rows) {
                add(&mut sum, &table[row * WIDTH..(row + 1) * WIDTH]);
            }
            inputs.extend(sum);
        }
        inputs.extend_from_slice(self.vectors.row(word.word).unwrap_or(&[0.0; WIDTH]));
    }
}

impl Maxout {
    /// Reads the `nth` product with `inputs` inputs.
    fn read(nodes: &ModelNodes<'_>, nth: usize, inputs: usize) -> Result<Self, WeightsError> {
        let weights = nodes.floats(("maxout", nth), "W", &[WIDTH, PIECES, inputs])?;
        let bias = nodes.floats(("maxout", nth), "b", &[WIDTH, PIECES])?;
        let rows = (0..PIECES).flat_map(|piece| (0..WIDTH).map(move |output| output * PIECES + piece));
        let sorted: Vec<f32> =
            rows.clone().flat_map(|row| weights[row * inputs..(row + 1) * inputs].iter().copied()).collect();
        let bias: Vec<f32> = rows.map(|row| bias[row]).collect();
        Ok(Self {
            product: FloatLinear::new(&sorted, inputs, &bias),
            gain: nodes.floats(("layernorm", nth), "G", &[WIDTH])?,
            bias: nodes.floats(("layernorm", nth), "b", &[WIDTH])?,
        })
    }

    /// The normalized largest pieces of each window of `x`; windows begin every `step` floats.
    fn run(&self, x: &[f32], step: usize, out: &mut [f32]) {
        let norm = LayerNorm { gain: &self.gain, bias: &self.bias, epsilon: EPSILON };
        let mut pieces = vec![0.0; ROWS * PIECES * WIDTH];
        let mut largest = vec![0.0; ROWS * WIDTH];
        for (nth, out) in out.chunks_mut(ROWS * WIDTH).enumerate() {
            let rows = out.len() / WIDTH;
            let pieces = &mut pieces[..rows * PIECES * WIDTH];
            let largest = &mut largest[..out.len()];
            self.product.run_windows(&x[nth * ROWS * step..], step, pieces);
            for (row, pieces) in largest.chunks_exact_mut(WIDTH).zip(pieces.chunks_exact(PIECES * WIDTH)) {
                largest_pieces(pieces, row);
            }
            layer_norm(largest, norm, out);
        }
    }
}

fn largest_pieces(pieces: &[f32], row: &mut [f32]) {
    let (first, rest) = pieces.split_at(WIDTH);
    row.copy_from_slice(first);
    for piece in rest.chunks_exact(WIDTH) {
        for (largest, value) in row.iter_mut().zip(piece) {
            *largest = largest.max(*value);
        }
    }
}
