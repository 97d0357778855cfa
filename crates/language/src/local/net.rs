//! The decoder of Llama, Qwen2 and Qwen3. Their differences follow from the tensors in the file.
//!
//! Hand-written on our own kernels: the models of tensor libraries keep their cache inside, so that a prefix could not be
//! shared and a pass not be interrupted between two blocks. The library used before (candle-core) took 246 CPU seconds
//! to compile.

use std::path::Path;

use auris_engine_core::EngineError;
use auris_kernels::{
    BlockLinear, BlockRows, KeyValues, Keys, Queries, Scratch, add, attend_first, gated_silu, rms_norm,
};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::cache::Cache;
use super::decoder_block::DecoderBlock;
use super::gguf::Gguf;
use super::model_config::ModelConfig;
use super::positions::Positions;
use super::threads::Threads;

/// A loaded decoder.
pub(super) struct Net {
    pub(super) config: ModelConfig,
    embedding: BlockLinear,
    blocks: Vec<DecoderBlock>,
    norm: Vec<f32>,
    /// `None` if the embedding is also the output matrix, as in many small models.
    head: Option<BlockLinear>,
    threads: Threads,
}

/// Called between two blocks of the model; returns an error if the call was cancelled.
pub(super) type Check<'a> = &'a (dyn Fn() -> Result<(), EngineError> + Sync);

/// The tokens of one pass on their way through the blocks.
struct Pass {
    /// A row for each token.
    rows: Vec<f32>,
    /// The same after a norm, and as bytes.
    normed: Vec<f32>,
    bytes: BlockRows,
    positions: Positions,
    /// Positions before the first token.
    start: usize,
    count: usize,
}

impl Net {
    /// Loads a file, and computes on this many threads.
    pub(super) fn read(path: &Path, threads: usize) -> Result<Self, EngineError> {
        let file = &Gguf::open(path)?;
        let config = &ModelConfig::read(file)?;
        let threads = Threads::new(threads)?;
        let read = |number| DecoderBlock::read(file, config, number);
        let blocks =
            threads.run(|| (0..config.blocks).into_par_iter().map(read).collect::<Result<_, _>>())?;
        let tokens = file.shape("token_embd.weight").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let head = file.has("output.weight").then(|| file.linear("output.weight", config.width, tokens));
        let net = Self {
            embedding: file.linear("token_embd.weight", config.width, tokens)?,
            head: head.transpose()?,
            norm: file.floats("output_norm.weight", config.width)?,
            blocks,
            threads,
            config: config.clone(),
        };
        file.release();
        Ok(net)
    }

    /// The memory that the weights occupy, in bytes.
    pub(super) fn weight_bytes(&self) -> u64 {
        let blocks: usize = self.blocks.iter().map(DecoderBlock::bytes).sum();
        (blocks + self.embedding.bytes() + self.head.as_ref().map_or(0, BlockLinear::bytes)) as u64
    }

    /// Reads tokens. Returns the scores of the next token if they are `wanted`. Calls `check` between two blocks.
    pub(super) fn read_tokens(
        &self,
        tokens: &[u32],
        cache: &mut Cache,
        wanted: bool,
        check: Check<'_>,
    ) -> Result<Vec<f32>, EngineError> {
        // On a thread of the pool, which shares its work out many times faster than one from outside.
        self.threads.run(|| self.read_all(tokens, cache, wanted, check))
    }

    fn read_all(
        &self,
        tokens: &[u32],
        cache: &mut Cache,
        wanted: bool,
        check: Check<'_>,
    ) -> Result<Vec<f32>, EngineError> {
        let mut pass = self.pass(tokens, cache.length)?;
        for (number, block) in self.blocks.iter().enumerate() {
            check()?;
            self.attention(block, &mut pass, cache.block(number));
            self.feed_forward(block, &mut pass);
        }
        cache.length += tokens.len();
        Ok(if wanted { self.scores(&mut pass) } else { vec![] })
    }

    fn pass(&self, tokens: &[u32], start: usize) -> Result<Pass, EngineError> {
        let width = self.config.width;
        let count = tokens.len();
        let mut rows = vec![0.0; count * width];
        for (token, row) in tokens.iter().zip(rows.chunks_exact_mut(width)) {
            if *token as usize >= self.embedding.outputs() {
                return Err(EngineError::internal(format!("the model has no token {token}")));
            }
            self.embedding.row(*token as usize, row);
        }
        let positions = Positions::new(&self.config, start, count);
        Ok(Pass { normed: rows.clone(), rows, bytes: BlockRows::default(), positions, start, count })
    }

    /// The scores of the next token, from the last row.
    fn scores(&self, pass: &mut Pass) -> Vec<f32> {
        let width = self.config.width;
        let last = &pass.rows[(pass.count - 1) * width..];
        rms_norm(last, &self.norm, self.config.epsilon, &mut pass.normed[..width]);
        pass.bytes.fill(&pass.normed[..width], width, &self.threads);
        let head = self.head.as_ref().unwrap_or(&self.embedding);
        let mut scores = vec![0.0; head.outputs()];
        head.run(&pass.bytes, &mut scores, &self.threads);
        scores
    }

    fn feed_forward(&self, block: &DecoderBlock, pass: &mut Pass) {
        let count = pass.count;
        let inner = block.up.outputs();
        pass.normalize(&block.feed_norm, self.config.epsilon, &self.threads);
        let [mut up, mut gate, mut gated] = [0; 3].map(|_| vec![0.0; count * inner]);
        let products = [(&block.up, &mut up[..]), (&block.gate, &mut gate[..])];
        BlockLinear::run_all(products, &pass.bytes, &self.threads);
        let rows = gated
            .par_chunks_exact_mut(inner)
            .zip(up.par_chunks_exact(inner).zip(gate.par_chunks_exact(inner)));
        rows.for_each(|(out, (up, gate))| gated_silu(up, gate, out));
        pass.add_product(&block.down, &gated, &self.threads);
    }

    fn attention(&self, block: &DecoderBlock, pass: &mut Pass, cache: &mut [KeyValues]) {
        let ModelConfig { heads, kv_heads, head_width, epsilon, .. } = self.config;
        let query_width = heads * head_width;
        let kv_width = kv_heads * head_width;
        pass.normalize(&block.attention_norm, epsilon, &self.threads);
        let mut query = vec![0.0; pass.count * query_width];
        let [mut key, mut value] = [0; 2].map(|_| vec![0.0; pass.count * kv_width]);
        let products =
            [(&block.query, &mut query[..]), (&block.key, &mut key[..]), (&block.value, &mut value[..])];
        BlockLinear::run_all(products, &pass.bytes, &self.threads);
        if let Some(norms) = &block.head_norms {
            rms_norm(&query.clone(), &norms.query, epsilon, &mut query);
            rms_norm(&key.clone(), &norms.key, epsilon, &mut key);
        }
        for nth in 0..pass.count {
            pass.positions.rotate(&mut query[nth * query_width..][..query_width], nth);
            pass.positions.rotate(&mut key[nth * kv_width..][..kv_width], nth);
        }
        for (head, memory) in cache.iter_mut().enumerate() {
            let at = head * head_width;
            memory.extend(&key[at..], &value[at..], kv_width, pass.count);
        }
        let mixed = self.mixed(&query, pass, cache);
        pass.add_product(&block.output, &mixed, &self.threads);
    }

    /// The mean of the values for each head of each token, which looks back at itself and the tokens before it.
    fn mixed(&self, query: &[f32], pass: &Pass, cache: &[KeyValues]) -> Vec<f32> {
        let ModelConfig { heads, kv_heads, head_width, .. } = self.config;
        // The heads of a group share keys and values, and lie side by side.
        let group = heads / kv_heads;
        let scale = (head_width as f32).powf(-0.5);
        let mut mixed = vec![0.0; query.len()];
        let groups = |scratch: &mut Scratch, (nth, out): (usize, &mut [f32])| {
            let floats = &query[nth * group * head_width..][..group * head_width];
            let queries = Queries { floats, stride: head_width, rows: group, scale };
            let keys = Keys { memory: &cache[nth % kv_heads], length: pass.start + nth / kv_heads + 1 };
            attend_first(queries, keys, out, scratch);
        };
        let parts = mixed.par_chunks_exact_mut(group * head_width).enumerate();
        parts.for_each_init(Scratch::default, groups);
        mixed
    }
}

impl Pass {
    /// Normalizes the rows, and rounds them to bytes for the next product.
    fn normalize(&mut self, gain: &[f32], epsilon: f32, threads: &Threads) {
        rms_norm(&self.rows, gain, epsilon, &mut self.normed);
        self.bytes.fill(&self.normed, gain.len(), threads);
    }

    /// Adds the product of other rows to the rows.
    fn add_product(&mut self, linear: &BlockLinear, rows: &[f32], threads: &Threads) {
        self.bytes.fill(rows, linear.inputs(), threads);
        linear.run(&self.bytes, &mut self.normed, threads);
        add(&mut self.rows, &self.normed);
    }
}
