//! The BERT encoder of MiniLM on integer products. Sentences need no padding: the rows of all of them go through each
//! product together, and attention is computed for each sentence by itself.

use auris_kernels::{
    Epilogue, KeyValues, LayerNorm, Linear, QuantizedRows, Queries, Scratch, add, attend, layer_norm,
};
use auris_weights::{OnnxFile, WeightsError, linear};

const HEADS: usize = 12;
const EPSILON: f32 = 1e-12;
/// Rows that go through both products of the feed-forward part before the next ones, so that what is between the
/// products stays in the cache of the processor.
const FEED_FORWARD_ROWS: usize = 128;

/// The loaded network.
pub(super) struct Encoder {
    /// A row for each token.
    words: Linear,
    /// A row for each position, with the embedding of the first sentence type added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
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
    /// Reads the network for sentences of up to `max_tokens` tokens. Fails if its parts are missing or do not fit
    /// together.
    pub(super) fn new(file: &OnnxFile, max_tokens: usize) -> Result<Self, WeightsError> {
        let norm = Norm::new(file, "embeddings.LayerNorm")?;
        let width = norm.gain.len();
        let layers = (0..).take_while(|layer| file.contains(&Layer::name(*layer, "output.dense.bias")));
        let encoder = Self {
            words: linear(file, &["embeddings.word_embeddings.weight"], &[])?,
            positions: positions(file, max_tokens, width)?,
            norm,
            layers: layers.map(|layer| Layer::new(file, layer)).collect::<Result<_, _>>()?,
        };
        if encoder.fits_together() { Ok(encoder) } else { Err(wrong_sizes()) }
    }

    fn fits_together(&self) -> bool {
        let width = self.width();
        width.is_multiple_of(HEADS)
            && self.words.inputs() == width
            && self.norm.fits(width)
            && !self.layers.is_empty()
            && self.layers.iter().all(|layer| layer.fits(width))
    }

    /// The length of an embedding.
    pub(super) fn width(&self) -> usize {
        self.norm.gain.len()
    }

    /// The number of layers.
    pub(super) fn layers(&self) -> usize {
        self.layers.len()
    }

    /// The number of different tokens.
    pub(super) fn vocabulary(&self) -> usize {
        self.words.outputs()
    }

    /// The hidden state after the first `layers` layers, or after all if there are fewer: a row for each token,
    /// sentence by sentence.
    pub(super) fn run<'a>(
        &self,
        sentences: &[Vec<u32>],
        layers: usize,
        work: &'a mut Workspace,
    ) -> &'a [f32] {
        self.look_up(sentences, work);
        if work.memory.width() != self.width() / HEADS {
            work.memory = KeyValues::new(self.width() / HEADS);
        }
        for layer in self.layers.iter().take(layers) {
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

    fn new(file: &OnnxFile, layer: usize) -> Result<Self, WeightsError> {
        let product = |parts: &[&str]| {
            let named = |kind: &str| -> Vec<String> {
                parts.iter().map(|part| Self::name(layer, &format!("{part}.{kind}"))).collect()
            };
            let (weights, biases) = (named("weight"), named("bias"));
            let weights: Vec<&str> = weights.iter().map(String::as_str).collect();
            let biases: Vec<Option<&str>> = biases.iter().map(|name| Some(name.as_str())).collect();
            linear(file, &weights, &biases)
        };
        Ok(Self {
            joined: product(&["attention.self.query", "attention.self.key", "attention.self.value"])?,
            out: product(&["attention.output.dense"])?,
            attention_norm: Norm::new(file, &Self::name(layer, "attention.output.LayerNorm"))?,
            up: product(&["intermediate.dense"])?,
            down: product(&["output.dense"])?,
            output_norm: Norm::new(file, &Self::name(layer, "output.LayerNorm"))?,
        })
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
        let (width, stride) = (self.out.inputs(), self.joined.outputs());
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

fn wrong_sizes() -> WeightsError {
    WeightsError::Damaged { what: "the sizes of the embedding network do not fit together".to_owned() }
}
