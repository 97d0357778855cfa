//! The BERT encoder of MiniLM on integer products. Sentences need no padding: the rows of all of them go through each
//! product together, and attention is computed for each sentence by itself.

use auris_kernels::{
    Epilogue, KeyValues, LayerNorm, Linear, QuantizedRows, Queries, Scratch, add, attend, layer_norm,
};
use auris_weights::{OnnxFile, WeightsError, linear};

use super::adapter::{Adapter, LayerChanges, Product};

const HEADS: usize = 12;
const EPSILON: f32 = 1e-12;
/// Rows that go through both products of the feed-forward part before the next ones, so that what is between the
/// products stays in the cache of the processor.
const FEED_FORWARD_ROWS: usize = 128;
/// The largest changed weight as an integer, as in the published file. With 127, the products take a quarter longer on
/// processors that have no dot product of bytes.
const LARGEST_WEIGHT: f32 = 64.0;

/// The loaded network.
pub(super) struct Encoder {
    /// A row for each token.
    words: Linear,
    /// A row for each position, with the embedding of the first sentence type added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    /// The first layers with the changes of the adapter.
    adapted: Vec<Layer>,
}

/// Which layers read the sentences.
#[derive(Debug, Clone, Copy)]
pub(super) enum Layers {
    All,
    /// The first ones, with the changes for sentiment.
    Adapted,
}

struct Layer {
    /// Queries, keys and values in one product.
    joined: Linear,
    out: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    output_norm: Norm,
}

struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

/// Buffers of one thread, kept from batch to batch.
#[derive(Default)]
pub(super) struct Workspace {
    quantized: QuantizedRows,
    scratch: Scratch,
    memory: KeyValues,
    /// A row for each token of the batch.
    hidden: Vec<f32>,
    joined: Vec<f32>,
    mixed: Vec<f32>,
    inner: Vec<f32>,
    normalized: Vec<f32>,
}

impl Encoder {
    /// Reads the network for sentences of up to `max_tokens` tokens, and a second time with the adapter. Fails if the
    /// parts are missing or do not fit together.
    pub(super) fn new(file: &OnnxFile, max_tokens: usize, adapter: &Adapter) -> Result<Self, WeightsError> {
        let norm = Norm::new(file, "embeddings.LayerNorm")?;
        let width = norm.gain.len();
        let layers = (0..).take_while(|layer| file.contains(&Layer::name(*layer, "output.dense.bias")));
        let changes = adapter.layers.iter().enumerate();
        let adapted = changes.map(|(layer, changes)| Layer::new(file, layer, Some(changes)));
        let encoder = Self {
            words: linear(file, &["embeddings.word_embeddings.weight"], &[])?,
            positions: positions(file, max_tokens, width)?,
            norm,
            layers: layers.map(|layer| Layer::new(file, layer, None)).collect::<Result<_, _>>()?,
            adapted: adapted.collect::<Result<_, _>>()?,
        };
        if encoder.fits_together() { Ok(encoder) } else { Err(wrong_sizes()) }
    }

    fn fits_together(&self) -> bool {
        let width = self.width();
        width.is_multiple_of(HEADS)
            && self.words.inputs() == width
            && self.norm.fits(width)
            && !self.layers.is_empty()
            && self.layers.iter().chain(&self.adapted).all(|layer| layer.fits(width))
    }

    /// The length of an embedding.
    pub(super) fn width(&self) -> usize {
        self.norm.gain.len()
    }

    /// The number of different tokens.
    pub(super) fn vocabulary(&self) -> usize {
        self.words.outputs()
    }

    /// The hidden state after these layers: a row for each token, sentence by sentence.
    pub(super) fn run<'a>(
        &self,
        sentences: &[Vec<u32>],
        layers: Layers,
        work: &'a mut Workspace,
    ) -> &'a [f32] {
        self.look_up(sentences, work);
        if work.memory.width() != self.width() / HEADS {
            work.memory = KeyValues::new(self.width() / HEADS);
        }
        let layers = match layers {
            Layers::All => &self.layers,
            Layers::Adapted => &self.adapted,
        };
        for layer in layers {
            layer.attend(sentences, work);
            layer.feed_forward(work);
        }
        &work.hidden
    }

    fn look_up(&self, sentences: &[Vec<u32>], work: &mut Workspace) {
        let width = self.width();
        let rows: usize = sentences.iter().map(Vec::len).sum();
        work.hidden.resize(rows * width, 0.0);
        let mut hidden = work.hidden.chunks_exact_mut(width);
        for tokens in sentences {
            let positions = tokens.iter().zip(self.positions.chunks_exact(width));
            for ((token, position), row) in positions.zip(hidden.by_ref()) {
                self.words.row(*token as usize, row);
                add(row, position);
            }
        }
        self.norm.apply(work);
    }
}

impl Layer {
    fn name(layer: usize, part: &str) -> String {
        format!("encoder.layer.{layer}.{part}")
    }

    fn new(file: &OnnxFile, layer: usize, changes: Option<&LayerChanges>) -> Result<Self, WeightsError> {
        let product = |products: &[Product]| match changes {
            Some(changes) => Self::changed(file, layer, products, changes),
            None => Self::unchanged(file, layer, products),
        };
        Ok(Self {
            joined: product(&[Product::Query, Product::Key, Product::Value])?,
            out: product(&[Product::AttentionOutput])?,
            attention_norm: Norm::new(file, &Self::name(layer, "attention.output.LayerNorm"))?,
            up: product(&[Product::Up])?,
            down: product(&[Product::Down])?,
            output_norm: Norm::new(file, &Self::name(layer, "output.LayerNorm"))?,
        })
    }

    /// Products of the same input as one.
    fn unchanged(file: &OnnxFile, layer: usize, products: &[Product]) -> Result<Linear, WeightsError> {
        let named = |kind: &str| -> Vec<String> {
            products.iter().map(|product| Self::name(layer, &format!("{}.{kind}", product.name()))).collect()
        };
        let weights = named("weight");
        let biases = named("bias");
        let weights: Vec<&str> = weights.iter().map(String::as_str).collect();
        let biases: Vec<Option<&str>> = biases.iter().map(|name| Some(name.as_str())).collect();
        linear(file, &weights, &biases)
    }

    /// Products of the same input as one, with the changes.
    fn changed(
        file: &OnnxFile,
        layer: usize,
        products: &[Product],
        changes: &LayerChanges,
    ) -> Result<Linear, WeightsError> {
        let mut weights = Vec::new();
        let mut bias = Vec::new();
        let mut inputs = 0;
        for product in products {
            let name = Self::name(layer, product.name());
            let matrix = file.matrix(&format!("{name}.weight"))?;
            let mut rows = matrix.floats();
            inputs = matrix.inputs();
            if !changes.of(*product).add_to(&mut rows, inputs) {
                return Err(wrong_sizes());
            }
            weights.extend(rows);
            bias.extend(file.floats(&format!("{name}.bias"))?);
        }
        let is_finite = weights.iter().chain(&bias).all(|number| number.is_finite());
        if !is_finite || bias.len() * inputs != weights.len() {
            return Err(wrong_sizes());
        }
        let (integers, scales) = quantized(&weights, inputs);
        Ok(Linear::from_integers(&integers, inputs, &scales, &bias))
    }

    /// Whether the products and norms fit together for rows of this width.
    fn fits(&self, width: usize) -> bool {
        let shape = |linear: &Linear| (linear.inputs(), linear.outputs());
        shape(&self.joined) == (width, 3 * width)
            && shape(&self.out) == (width, width)
            && shape(&self.up) == (width, self.down.inputs())
            && self.down.outputs() == width
            && self.attention_norm.fits(width)
            && self.output_norm.fits(width)
    }

    fn attend(&self, sentences: &[Vec<u32>], work: &mut Workspace) {
        let width = self.out.inputs();
        let stride = self.joined.outputs();
        let head = width / HEADS;
        work.quantized.fill(&work.hidden, width);
        work.joined.resize(work.quantized.rows() * stride, 0.0);
        work.mixed.resize(work.joined.len(), 0.0);
        self.joined.run(&work.quantized, &mut work.joined, Epilogue::Store);
        let mut begin = 0;
        for tokens in sentences {
            let joined = &work.joined[begin * stride..];
            let mixed = &mut work.mixed[begin * stride..];
            for nth in (0..width).step_by(head) {
                work.memory.clear();
                work.memory.extend(&joined[width + nth..], &joined[2 * width + nth..], stride, tokens.len());
                let scale = (head as f32).powf(-0.5);
                let queries = Queries { floats: &joined[nth..], stride, rows: tokens.len(), scale };
                attend(queries, &work.memory, &mut mixed[nth..], &mut work.scratch);
            }
            begin += tokens.len();
        }
        work.quantized.fill_strided(&work.mixed, width, stride);
        self.out.run(&work.quantized, &mut work.hidden, Epilogue::Add);
        self.attention_norm.apply(work);
    }

    fn feed_forward(&self, work: &mut Workspace) {
        for rows in work.hidden.chunks_mut(FEED_FORWARD_ROWS * self.up.inputs()) {
            work.quantized.fill(rows, self.up.inputs());
            work.inner.resize(work.quantized.rows() * self.up.outputs(), 0.0);
            self.up.run(&work.quantized, &mut work.inner, Epilogue::Gelu);
            work.quantized.fill(&work.inner, self.up.outputs());
            self.down.run(&work.quantized, rows, Epilogue::Add);
        }
        self.output_norm.apply(work);
    }
}

impl Norm {
    fn new(file: &OnnxFile, name: &str) -> Result<Self, WeightsError> {
        let part = |part: &str| file.floats(&format!("{name}.{part}"));
        Ok(Self { gain: part("weight")?, bias: part("bias")? })
    }

    fn fits(&self, width: usize) -> bool {
        self.gain.len() == width && self.bias.len() == width
    }

    /// Normalizes the hidden rows.
    fn apply(&self, work: &mut Workspace) {
        work.normalized.resize(work.hidden.len(), 0.0);
        let norm = LayerNorm { gain: &self.gain, bias: &self.bias, epsilon: EPSILON };
        layer_norm(&work.hidden, norm, &mut work.normalized);
        std::mem::swap(&mut work.hidden, &mut work.normalized);
    }
}

/// A row for each position, with the embedding of the first sentence type added.
fn positions(file: &OnnxFile, max_tokens: usize, width: usize) -> Result<Vec<f32>, WeightsError> {
    let types = file.floats("embeddings.token_type_embeddings.weight")?;
    let mut positions = file.floats("embeddings.position_embeddings.weight")?;
    if width == 0 || types.len() < width || positions.len() < max_tokens * width {
        return Err(wrong_sizes());
    }
    positions.truncate(max_tokens * width);
    positions.chunks_exact_mut(width).for_each(|row| add(row, &types[..width]));
    Ok(positions)
}

/// Rows of weights as integers, and the scale of each row.
fn quantized(weights: &[f32], inputs: usize) -> (Vec<i8>, Vec<f32>) {
    let mut integers = Vec::with_capacity(weights.len());
    let mut scales = Vec::new();
    for row in weights.chunks_exact(inputs) {
        let largest = row.iter().fold(1e-10f32, |largest, weight| largest.max(weight.abs()));
        integers.extend(row.iter().map(|weight| (weight * (LARGEST_WEIGHT / largest)).round() as i8));
        scales.push(largest / LARGEST_WEIGHT);
    }
    (integers, scales)
}

fn wrong_sizes() -> WeightsError {
    WeightsError::Damaged { what: "the sizes of the embedding network do not fit together".to_owned() }
}
