//! Sentence embeddings with the MiniLM model, mean-pooled and normalized.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use auris_engine_core::EngineError;
use auris_onnx::{Net, floats};
use parking_lot::Mutex;
use rten::NodeId;
use rten_tensor::NdTensor;
use tokenizers::Tokenizer;

/// Maximum tokens of a sentence; the rest is ignored.
const MAX_TOKENS: usize = 64;
/// Sentences in one run of the model.
pub(super) const BATCH: usize = 16;
/// Transcripts whose embeddings are cached for the next stage of the same job.
const CACHED: usize = 4;

/// A normalized embedding; the dot product of two is their similarity in meaning.
pub(super) type Vector = Vec<f32>;

/// The loaded model.
pub(crate) struct Embedder {
    net: Net,
    inputs: [NodeId; 3],
    output: NodeId,
    tokenizer: Tokenizer,
    cached: Mutex<VecDeque<(u64, Arc<Vec<Vector>>)>>,
    /// The embeddings of the built-in topics, after the first use.
    topics: Mutex<Option<Arc<Vec<Vector>>>>,
}

impl Embedder {
    pub(crate) fn load(folder: &Path) -> Result<Self, EngineError> {
        let net = Net::load(&folder.join("model_quantized.onnx"))?;
        let mut tokenizer =
            Tokenizer::from_file(folder.join("tokenizer.json")).map_err(EngineError::internal)?;
        // The file pads every sentence to 128 tokens, which would multiply the work.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(EngineError::internal)?;
        Ok(Self {
            inputs: [net.node("input_ids")?, net.node("attention_mask")?, net.node("token_type_ids")?],
            output: net.node("last_hidden_state")?,
            net,
            tokenizer,
            cached: Mutex::default(),
            topics: Mutex::default(),
        })
    }

    /// The embeddings of the texts, in order.
    pub(super) fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EngineError> {
        let tokens = texts.iter().map(|text| self.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        // Sorted by length, because padding is wasted work.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|nth| tokens[*nth].len());
        let mut vectors = vec![Vector::new(); texts.len()];
        for batch in order.chunks(BATCH) {
            let rows: Vec<&[i32]> = batch.iter().map(|nth| tokens[*nth].as_slice()).collect();
            for (nth, vector) in batch.iter().zip(self.run(&rows)?) {
                vectors[*nth] = vector;
            }
        }
        Ok(vectors)
    }

    fn tokens(&self, text: &str) -> Result<Vec<i32>, EngineError> {
        let encoded = self.tokenizer.encode_fast(head(text), true).map_err(EngineError::internal)?;
        let mut tokens: Vec<i32> = encoded.get_ids().iter().map(|id| *id as i32).collect();
        if tokens.len() > MAX_TOKENS
            && let Some(last) = tokens.last().copied()
        {
            tokens.truncate(MAX_TOKENS - 1);
            tokens.push(last);
        }
        Ok(tokens)
    }

    fn run(&self, rows: &[&[i32]]) -> Result<Vec<Vector>, EngineError> {
        let longest = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        let shape = [rows.len(), longest];
        let padded = |fill: &dyn Fn(&[i32], usize) -> i32| {
            let values = rows.iter().flat_map(|row| (0..longest).map(|at| fill(row, at))).collect::<Vec<_>>();
            NdTensor::from_data(shape, values)
        };
        let ids = padded(&|row, at| row.get(at).copied().unwrap_or(0));
        let mask = padded(&|row, at| i32::from(at < row.len()));
        let types = padded(&|_, _| 0);
        let [id, attention, kind] = self.inputs;
        let inputs = vec![(id, ids.into()), (attention, mask.into()), (kind, types.into())];
        let hidden = floats(self.net.run(inputs, &[self.output])?.remove(0))?;
        let width = hidden.len() / (rows.len() * longest).max(1);
        let pooled = rows.iter().zip(hidden.chunks(longest * width));
        Ok(pooled.map(|(row, hidden)| mean(hidden.chunks(width).take(row.len()), width)).collect())
    }

    /// The cached embeddings of a text.
    pub(super) fn cached(&self, key: u64) -> Option<Arc<Vec<Vector>>> {
        self.cached.lock().iter().find(|(of, _)| *of == key).map(|(_, vectors)| vectors.clone())
    }

    pub(super) fn store(&self, key: u64, vectors: Arc<Vec<Vector>>) {
        let mut cache = self.cached.lock();
        cache.push_back((key, vectors));
        if cache.len() > CACHED {
            cache.pop_front();
        }
    }

    /// The embeddings of the built-in topics, computed on first use.
    pub(super) fn topics(&self, texts: &[&str]) -> Result<Arc<Vec<Vector>>, EngineError> {
        let mut topics = self.topics.lock();
        if let Some(topics) = topics.as_ref() {
            return Ok(topics.clone());
        }
        let made = Arc::new(self.embed(texts)?);
        *topics = Some(made.clone());
        Ok(made)
    }
}

/// The beginning of a text that can contain the maximum number of tokens, because tokenizing the rest costs time.
fn head(text: &str) -> &str {
    let limit = text.char_indices().nth(MAX_TOKENS * 12).map_or(text.len(), |(at, _)| at);
    &text[..limit]
}

/// The normalized mean of embeddings, or zeros if they cancel out.
pub(super) fn mean<'a>(vectors: impl Iterator<Item = &'a [f32]>, width: usize) -> Vector {
    let mut sum = vec![0.0; width];
    for vector in vectors {
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += value;
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        sum.iter_mut().for_each(|value| *value /= length);
    }
    sum
}

/// The similarity of two embeddings: 1 for the same meaning, 0 for unrelated ones.
pub(super) fn similarity(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

pub(super) fn key_of(text: &str, salt: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (text, salt).hash(&mut hasher);
    hasher.finish()
}

/// The model of this process, loaded on first use.
pub struct EmbedderSlot {
    folder: PathBuf,
    loaded: Mutex<Option<Arc<Embedder>>>,
}

impl EmbedderSlot {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, loaded: Mutex::default() }
    }

    pub(crate) fn get(&self) -> Result<Arc<Embedder>, EngineError> {
        let mut loaded = self.loaded.lock();
        if let Some(embedder) = loaded.as_ref() {
            return Ok(embedder.clone());
        }
        let embedder = Arc::new(Embedder::load(&self.folder)?);
        *loaded = Some(embedder.clone());
        Ok(embedder)
    }
}
