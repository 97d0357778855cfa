//! The decoder of Llama, Qwen2 and Qwen3. Their differences follow from the tensors in the file.
//!
//! Hand-written instead of `candle-transformers`, whose models own their cache: a prefix could not be saved and shared, and
//! a pass could not be interrupted between two blocks.

use std::sync::Arc;

use auris_engine_core::EngineError;
use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{Device, Module, Result, Tensor};
use candle_nn::ops::{rms_norm, softmax_last_dim};
use candle_nn::rotary_emb::{rope, rope_i};

use super::cache::Cache;
use super::gguf::Gguf;
use super::model_config::{ModelConfig, RotaryLayout};

/// A weight matrix with an optional bias.
struct Linear {
    product: QMatMul,
    quantized: Arc<QTensor>,
    bias: Option<Tensor>,
}

impl Linear {
    fn read(file: &mut Gguf, name: &str) -> std::result::Result<Self, EngineError> {
        let quantized = file.quantized(&format!("{name}.weight"))?;
        Self::of(quantized, file.optional(&format!("{name}.bias"))?)
    }

    fn of(quantized: Arc<QTensor>, bias: Option<Tensor>) -> std::result::Result<Self, EngineError> {
        let product = QMatMul::from_arc(quantized.clone()).map_err(EngineError::internal)?;
        Ok(Self { product, quantized, bias })
    }

    fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        self.biased(self.product.forward(rows)?)
    }

    fn biased(&self, product: Tensor) -> Result<Tensor> {
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }
}

/// Several products of the same rows. A single row is quantized once for all of them, if the kernels support it.
fn forward_all<const N: usize>(layers: [&Linear; N], rows: &Tensor) -> Result<Vec<Tensor>> {
    if rows.dim(0)? == 1 {
        let tensors = layers.map(|layer| layer.quantized.as_ref());
        if let Some(products) = QTensor::gemv_fused_shared_lhs(&tensors, rows)? {
            return layers.iter().zip(products).map(|(layer, product)| layer.biased(product)).collect();
        }
    }
    layers.iter().map(|layer| layer.forward(rows)).collect()
}

struct DecoderBlock {
    attention_norm: Tensor,
    query: Linear,
    key: Linear,
    value: Linear,
    /// Qwen3 normalizes the queries and keys of each head.
    head_norms: Option<(Tensor, Tensor)>,
    output: Linear,
    feed_norm: Tensor,
    gate: Linear,
    up: Linear,
    down: Linear,
}

impl DecoderBlock {
    fn read(file: &mut Gguf, number: usize) -> std::result::Result<Self, EngineError> {
        let name = |part: &str| format!("blk.{number}.{part}");
        let query_norm = file.optional(&name("attn_q_norm.weight"))?;
        let key_norm = file.optional(&name("attn_k_norm.weight"))?;
        Ok(Self {
            attention_norm: file.plain(&name("attn_norm.weight"))?,
            query: Linear::read(file, &name("attn_q"))?,
            key: Linear::read(file, &name("attn_k"))?,
            value: Linear::read(file, &name("attn_v"))?,
            head_norms: query_norm.zip(key_norm),
            output: Linear::read(file, &name("attn_output"))?,
            feed_norm: file.plain(&name("ffn_norm.weight"))?,
            gate: Linear::read(file, &name("ffn_gate"))?,
            up: Linear::read(file, &name("ffn_up"))?,
            down: Linear::read(file, &name("ffn_down"))?,
        })
    }
}

/// A loaded decoder.
pub(super) struct Net {
    pub(super) config: ModelConfig,
    embedding: Arc<QTensor>,
    blocks: Vec<DecoderBlock>,
    norm: Tensor,
    head: Linear,
}

/// The values that all blocks of one pass share.
struct Pass {
    cosines: Tensor,
    sines: Tensor,
    /// `None` for a single position, which attends to all positions before it.
    mask: Option<Tensor>,
}

impl Net {
    pub(super) fn read(file: &mut Gguf) -> std::result::Result<Self, EngineError> {
        let config = ModelConfig::read(file)?;
        let blocks = (0..config.blocks)
            .map(|number| DecoderBlock::read(file, number))
            .collect::<std::result::Result<_, _>>()?;
        let embedding = file.quantized("token_embd.weight")?;
        // Small models often have no separate output matrix and use the embedding for it.
        let head = if file.has("output.weight") {
            Linear::read(file, "output")?
        } else {
            Linear::of(embedding.clone(), None)?
        };
        Ok(Self { head, norm: file.plain("output_norm.weight")?, embedding, blocks, config })
    }

    /// Reads tokens. Returns the scores of the next token if they are `wanted`. Calls `check` between two blocks.
    pub(super) fn read_tokens(
        &self,
        tokens: &[u32],
        cache: &mut Cache,
        wanted: bool,
        check: &dyn Fn() -> std::result::Result<(), EngineError>,
    ) -> std::result::Result<Vec<f32>, EngineError> {
        let pass = self.pass(tokens.len(), cache.length).map_err(EngineError::internal)?;
        let ids = Tensor::new(tokens, &Device::Cpu).map_err(EngineError::internal)?;
        let mut rows = self.embedding.embedding(&ids).map_err(EngineError::internal)?;
        for number in 0..self.blocks.len() {
            check()?;
            rows = self.block(number, &rows, &pass, cache).map_err(EngineError::internal)?;
        }
        cache.length += tokens.len();
        if wanted { self.scores(&rows).map_err(EngineError::internal) } else { Ok(vec![]) }
    }

    /// The scores of the next token, from the last row.
    fn scores(&self, rows: &Tensor) -> Result<Vec<f32>> {
        let last = rows.narrow(0, rows.dim(0)? - 1, 1)?.contiguous()?;
        let last = rms_norm(&last, &self.norm, self.config.epsilon)?;
        self.head.forward(&last)?.flatten_all()?.to_vec1()
    }

    fn pass(&self, count: usize, start: usize) -> Result<Pass> {
        let pairs = self.config.frequencies.len();
        let angles: Vec<f32> = (start..start + count)
            .flat_map(|position| {
                self.config.frequencies.iter().map(move |frequency| position as f32 * frequency)
            })
            .collect();
        let angles = Tensor::from_vec(angles, (count, pairs), &Device::Cpu)?;
        let mask = (count > 1).then(|| mask(count, start)).transpose()?;
        Ok(Pass { cosines: angles.cos()?, sines: angles.sin()?, mask })
    }

    fn block(&self, number: usize, rows: &Tensor, pass: &Pass, cache: &Cache) -> Result<Tensor> {
        let block = &self.blocks[number];
        let epsilon = self.config.epsilon;
        let normed = rms_norm(rows, &block.attention_norm, epsilon)?;
        let rows = (rows + self.attention(number, &normed, pass, cache)?)?;
        let normed = rms_norm(&rows, &block.feed_norm, epsilon)?;
        let mut products = forward_all([&block.gate, &block.up], &normed)?;
        let up = products.remove(1);
        let gate = products.remove(0);
        &rows + block.down.forward(&(gate.silu()? * up)?)?
    }

    fn attention(&self, number: usize, rows: &Tensor, pass: &Pass, cache: &Cache) -> Result<Tensor> {
        let block = &self.blocks[number];
        let ModelConfig { heads, kv_heads, head_width, .. } = self.config;
        let count = rows.dim(0)?;
        let mut products = forward_all([&block.query, &block.key, &block.value], rows)?;
        let value = products.remove(2);
        let key = products.remove(1);
        let query = products.remove(0);
        let query = self.rotated(&query, heads, block.head_norms.as_ref().map(|norms| &norms.0), pass)?;
        let key = self.rotated(&key, kv_heads, block.head_norms.as_ref().map(|norms| &norms.1), pass)?;
        let value = value.reshape((count, kv_heads, head_width))?.transpose(0, 1)?.contiguous()?;
        let (keys, values) = cache.extend(number, &key, &value)?;
        let query = (query * (head_width as f64).powf(-0.5))?;
        let group = heads / kv_heads;
        let scores = query.reshape((kv_heads, group * count, head_width))?.matmul(&keys.t()?)?;
        let weights = match &pass.mask {
            Some(mask) => {
                let seen = scores.reshape((heads, count, ()))?.broadcast_add(mask)?;
                softmax_last_dim(&seen)?.reshape((kv_heads, group * count, ()))?
            }
            None => softmax_last_dim(&scores)?,
        };
        let mixed = weights.matmul(&values)?.reshape((heads, count, head_width))?;
        let mixed = mixed.transpose(0, 1)?.contiguous()?.reshape((count, heads * head_width))?;
        block.output.forward(&mixed)
    }

    /// Moves the heads to the first axis, normalizes them if the model does, and applies the position encoding.
    fn rotated(&self, rows: &Tensor, heads: usize, norm: Option<&Tensor>, pass: &Pass) -> Result<Tensor> {
        let ModelConfig { head_width, epsilon, rotary_layout, .. } = self.config;
        let count = rows.dim(0)?;
        let rows = rows.reshape((count, heads, head_width))?;
        let rows = match norm {
            Some(norm) => rms_norm(&rows.contiguous()?, norm, epsilon)?,
            None => rows,
        };
        let rows = rows.transpose(0, 1)?.contiguous()?.unsqueeze(0)?;
        let rotated = match rotary_layout {
            RotaryLayout::Pairs => rope_i(&rows, &pass.cosines, &pass.sines)?,
            RotaryLayout::Halves => rope(&rows, &pass.cosines, &pass.sines)?,
        };
        rotated.squeeze(0)
    }
}

#[cfg(test)]
impl Net {
    /// Computes with unquantized weights from now on, so that the scores show no rounding.
    pub(super) fn without_rounding(&mut self) -> Result<()> {
        let blocks = self.blocks.iter_mut().flat_map(|block| {
            let DecoderBlock { query, key, value, output, gate, up, down, .. } = block;
            [query, key, value, output, gate, up, down]
        });
        for layer in blocks.chain([&mut self.head]) {
            layer.product = QMatMul::Tensor(layer.quantized.dequantize(&Device::Cpu)?);
        }
        Ok(())
    }
}

/// Each new position attends to itself and those before it.
fn mask(count: usize, start: usize) -> Result<Tensor> {
    let seen = |row: usize, column: usize| if column <= start + row { 0.0 } else { f32::NEG_INFINITY };
    let cells = (0..count).flat_map(|row| (0..start + count).map(move |column| seen(row, column)));
    Tensor::from_vec(cells.collect::<Vec<f32>>(), (count, start + count), &Device::Cpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_attends_to_earlier_positions_only() {
        let mask = mask(2, 1).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(mask[0], [0.0, 0.0, f32::NEG_INFINITY]);
        assert_eq!(mask[1], [0.0, 0.0, 0.0]);
    }
}
