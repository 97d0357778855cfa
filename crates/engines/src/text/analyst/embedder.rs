//! Meaning as numbers: sentences through the MiniLM net, mean-pooled and normalised.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rten::NodeId;
use rten_tensor::NdTensor;
use tokenizers::Tokenizer;

use crate::EngineError;
use crate::speech::net::{Net, floats};

/// Tokens of one sentence that are read; the rest is cut off.
const MOST_TOKENS: usize = 64;
/// Sentences in one run of the net.
pub(super) const BATCH: usize = 16;
/// Transcripts whose numbers are kept, for the next stage of the same job.
const KEPT: usize = 4;

/// A direction of length one; the product of two tells how near they are in meaning.
pub(super) type Vector = Vec<f32>;

/// The loaded net.
pub(crate) struct Embedder {
    net: Net,
    inputs: [NodeId; 3],
    output: NodeId,
    tokenizer: Tokenizer,
    kept: Mutex<VecDeque<(u64, Arc<Vec<Vector>>)>>,
    /// The directions of the built-in topics, once somebody asked.
    topics: Mutex<Option<Arc<Vec<Vector>>>>,
}

impl Embedder {
    pub(crate) fn load(folder: &Path) -> Result<Self, EngineError> {
        let net = Net::load(&folder.join("model_quantized.onnx"))?;
        let mut tokenizer =
            Tokenizer::from_file(folder.join("tokenizer.json")).map_err(EngineError::internal)?;
        // The file pads every sentence to 128 tokens, which would be most of the work.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(EngineError::internal)?;
        Ok(Self {
            inputs: [net.node("input_ids")?, net.node("attention_mask")?, net.node("token_type_ids")?],
            output: net.node("last_hidden_state")?,
            net,
            tokenizer,
            kept: Mutex::default(),
            topics: Mutex::default(),
        })
    }

    /// One direction for each text, in order.
    pub(super) fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EngineError> {
        let tokens = texts.iter().map(|text| self.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        // Texts of one length run together: padding is work for nothing.
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
        if tokens.len() > MOST_TOKENS
            && let Some(last) = tokens.last().copied()
        {
            tokens.truncate(MOST_TOKENS - 1);
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

    /// What was made of this text before, for a later stage that reads the same.
    pub(super) fn kept(&self, key: u64) -> Option<Arc<Vec<Vector>>> {
        self.shelf().iter().find(|(of, _)| *of == key).map(|(_, vectors)| vectors.clone())
    }

    pub(super) fn keep(&self, key: u64, vectors: Arc<Vec<Vector>>) {
        let mut shelf = self.shelf();
        shelf.push_back((key, vectors));
        if shelf.len() > KEPT {
            shelf.pop_front();
        }
    }

    /// The directions of the built-in topics, made at the first asking.
    pub(super) fn topics(&self, texts: &[&str]) -> Result<Arc<Vec<Vector>>, EngineError> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(topics) = topics.as_ref() {
            return Ok(topics.clone());
        }
        let made = Arc::new(self.embed(texts)?);
        *topics = Some(made.clone());
        Ok(made)
    }

    fn shelf(&self) -> MutexGuard<'_, VecDeque<(u64, Arc<Vec<Vector>>)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As much of a text as can matter: a token has a letter at least, and words of spaces cost time.
fn head(text: &str) -> &str {
    let limit = text.char_indices().nth(MOST_TOKENS * 12).map_or(text.len(), |(at, _)| at);
    &text[..limit]
}

/// The direction of the middle of several, or nothing where they cancel out.
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

/// How near two are in meaning: 1 for the same, 0 for strangers.
pub(super) fn nearness(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

pub(super) fn key_of(text: &str, salt: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (text, salt).hash(&mut hasher);
    hasher.finish()
}

/// The net of this process, loaded when it is first needed.
pub(crate) struct EmbedderSlot {
    folder: PathBuf,
    loaded: Mutex<Option<Arc<Embedder>>>,
}

impl EmbedderSlot {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, loaded: Mutex::default() }
    }

    pub(crate) fn get(&self) -> Result<Arc<Embedder>, EngineError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(embedder) = loaded.as_ref() {
            return Ok(embedder.clone());
        }
        let embedder = Arc::new(Embedder::load(&self.folder)?);
        *loaded = Some(embedder.clone());
        Ok(embedder)
    }
}
