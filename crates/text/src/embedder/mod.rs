//! Sentence embeddings with the MiniLM model, mean-pooled and normalized.

mod adapter;
mod encoder;

use std::collections::VecDeque;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use auris_engine_core::EngineError;
use auris_weights::OnnxFile;
use parking_lot::Mutex;
use tokenizers::Tokenizer;

use encoder::{Encoder, Layers, Workspace};

/// Maximum tokens of a sentence; the rest is ignored.
const MAX_TOKENS: usize = 64;
/// The files of the model: its weights and its tokenizer.
const FILES: [&str; 2] = ["model_quantized.onnx", "tokenizer.json"];
/// The length of an embedding.
pub(super) const EMBEDDING: usize = 384;
/// Sentences in one run of the model.
pub(super) const BATCH: usize = 16;
/// Transcripts whose embeddings are cached for the next stage of the same job.
const CACHED: usize = 4;

/// A normalized embedding; the dot product of two is their similarity in meaning.
pub(super) type Vector = Vec<f32>;

/// The loaded model.
pub(crate) struct Embedder {
    encoder: Encoder,
    tokenizer: Tokenizer,
    cached: Mutex<VecDeque<(u64, Arc<Vec<Vector>>)>>,
    /// The embeddings of the built-in topics, after the first use.
    topics: Mutex<Option<Arc<Vec<Vector>>>>,
}

impl Embedder {
    pub(crate) fn load(folder: &Path) -> Result<Self, EngineError> {
        let file = OnnxFile::open(&folder.join(FILES[0])).map_err(EngineError::internal)?;
        let tokenizer = fs::read_to_string(folder.join(FILES[1])).map_err(EngineError::internal)?;
        // Not `from_file`: it is generic, and compiling it here once more takes over twenty seconds.
        let mut tokenizer: Tokenizer = tokenizer.parse().map_err(EngineError::internal)?;
        // The file pads every sentence to 128 tokens, which would multiply the work.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(EngineError::internal)?;
        let adapter = adapter::built_in()
            .ok_or_else(|| EngineError::internal("the file of the sentiment adapter is damaged"))?;
        let encoder = Encoder::new(&file, MAX_TOKENS, adapter).map_err(EngineError::internal)?;
        if tokenizer.get_vocab_size(true) > encoder.vocabulary() {
            return Err(EngineError::internal("the tokenizer has more tokens than the embedding model"));
        }
        Ok(Self { encoder, tokenizer, cached: Mutex::default(), topics: Mutex::default() })
    }

    /// The embeddings of the texts, in order.
    pub(super) fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EngineError> {
        self.embed_with(Layers::All, texts)
    }

    /// The embeddings of the texts by the layers that were trained for sentiment.
    pub(super) fn embed_for_sentiment(&self, texts: &[&str]) -> Result<Vec<Vector>, EngineError> {
        self.embed_with(Layers::Adapted, texts)
    }

    fn embed_with(&self, layers: Layers, texts: &[&str]) -> Result<Vec<Vector>, EngineError> {
        let mut work = Workspace::default();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let tokens = batch.iter().map(|text| self.tokens(text)).collect::<Result<Vec<_>, _>>()?;
            vectors.extend(self.run(&tokens, layers, &mut work));
        }
        Ok(vectors)
    }

    /// Whether a word in lower case is in the vocabulary of the network.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.tokenizer.token_to_id(word).is_some()
    }

    /// The number of pieces in which the network reads a word: one for a common word, one per letter for `xqzvk`.
    pub(super) fn pieces(&self, word: &str) -> usize {
        self.tokenizer.encode_fast(word, false).map_or(usize::MAX, |encoded| encoded.len())
    }

    fn tokens(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        let encoded = self.tokenizer.encode_fast(head(text), true).map_err(EngineError::internal)?;
        let mut tokens = encoded.get_ids().to_vec();
        if tokens.len() > MAX_TOKENS
            && let Some(last) = tokens.last().copied()
        {
            tokens.truncate(MAX_TOKENS - 1);
            tokens.push(last);
        }
        Ok(tokens)
    }

    fn run(&self, sentences: &[Vec<u32>], layers: Layers, work: &mut Workspace) -> Vec<Vector> {
        let width = self.encoder.width();
        let mut hidden = self.encoder.run(sentences, layers, work).chunks_exact(width);
        sentences.iter().map(|tokens| mean(hidden.by_ref().take(tokens.len()), width)).collect()
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

    /// Whether the files of the model exist.
    pub(crate) fn is_installed(&self) -> bool {
        FILES.iter().all(|name| self.folder.join(name).is_file())
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// From `models/catalog.toml`.
    const WEIGHTS: &str = "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1";
    const TOKENIZER: &str = "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0";

    /// The model of the catalogue.
    pub(crate) fn embedder() -> Embedder {
        let folder = tempfile::TempDir::new().unwrap();
        for (hash, name) in [(WEIGHTS, "model_quantized.onnx"), (TOKENIZER, "tokenizer.json")] {
            std::os::unix::fs::symlink(auris_engine_testing::asset(hash), folder.path().join(name)).unwrap();
        }
        Embedder::load(folder.path()).unwrap()
    }

    /// Sentences, and their embeddings by the published graph in ONNX Runtime. A line has a signed byte in two digits for
    /// each number, and then the sentence.
    fn reference() -> (Vec<&'static str>, Vec<Vec<f32>>) {
        let byte = |digits: &[u8]| {
            let digits = std::str::from_utf8(digits).unwrap();
            f32::from(u8::from_str_radix(digits, 16).unwrap() as i8)
        };
        let line = |line: &'static str| {
            let (digits, sentence) = line.split_once(' ').unwrap();
            (sentence, digits.as_bytes().chunks(2).map(byte).collect())
        };
        include_str!("reference.txt").lines().map(line).unzip()
    }

    fn cosine(one: &[f32], other: &[f32]) -> f32 {
        similarity(one, other) / (similarity(one, one) * similarity(other, other)).sqrt()
    }

    #[test]
    fn embeddings_are_those_of_the_published_graph() {
        let (sentences, expected) = reference();
        assert_eq!(sentences.len(), 20);
        let found = embedder().embed(&sentences).unwrap();
        let cosines: Vec<f32> = expected.iter().zip(&found).map(|(one, other)| cosine(one, other)).collect();
        // The published graph rounds all activations of a sentence by one scale, which costs short sentences most.
        let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
        assert!(mean > 0.985 && cosines.iter().all(|cosine| *cosine > 0.95), "{mean}: {cosines:?}");
    }

    #[test]
    fn an_embedding_does_not_depend_on_the_sentences_beside_it() {
        let (sentences, _) = reference();
        let embedder = embedder();
        let together = embedder.embed(&sentences).unwrap();
        for (sentence, vector) in sentences.iter().zip(&together) {
            assert!(similarity(&embedder.embed(&[sentence]).unwrap()[0], vector) > 0.9999, "`{sentence}`");
        }
    }

    #[test]
    fn embeddings_for_sentiment_separate_what_was_said_with_opposite_feelings() {
        let embedder = embedder();
        let texts = ["I love this car.", "I hate this car.", "I hate this house."];
        let all = embedder.embed(&texts).unwrap();
        let adapted = embedder.embed_for_sentiment(&texts).unwrap();
        assert!(adapted.iter().all(|vector| (similarity(vector, vector) - 1.0).abs() < 1e-3));
        assert!(similarity(&all[0], &all[1]) > similarity(&all[1], &all[2]));
        assert!(similarity(&adapted[0], &adapted[1]) < similarity(&adapted[1], &adapted[2]));
    }

    #[test]
    fn a_model_without_its_tokenizer_is_not_installed() {
        let folder = tempfile::TempDir::new().unwrap();
        let slot = EmbedderSlot::new(folder.path().to_owned());
        std::fs::write(folder.path().join(FILES[0]), "").unwrap();
        assert!(!slot.is_installed());
        std::fs::write(folder.path().join(FILES[1]), "").unwrap();
        assert!(slot.is_installed());
    }

    #[test]
    fn a_network_for_shorter_sentences_is_refused() {
        let file = OnnxFile::open(&auris_engine_testing::asset(WEIGHTS)).unwrap();
        let adapter = adapter::built_in().unwrap();
        assert!(Encoder::new(&file, 512, adapter).is_ok());
        let error = Encoder::new(&file, 513, adapter).err().unwrap().to_string();
        assert!(error.contains("do not fit together"), "{error}");
    }

    #[test]
    fn an_embedding_has_the_length_of_one_whatever_the_text() {
        let long = "word ".repeat(5_000);
        for vector in embedder().embed(&["", "👍", "a", &long]).unwrap() {
            assert!((similarity(&vector, &vector) - 1.0).abs() < 1e-3);
        }
    }
}
