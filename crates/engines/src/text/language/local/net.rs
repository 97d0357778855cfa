//! The decoder that llama, Qwen2 and Qwen3 share: one forward pass, differences by what the file has.

use std::sync::Arc;

use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{Device, Module, Result, Tensor};
use candle_nn::ops::{rms_norm, softmax_last_dim};
use candle_nn::rotary_emb::{rope, rope_i};

use super::cache::Cache;
use super::gguf::Gguf;
use super::shape::{Shape, Turn};
use crate::EngineError;

/// A weight matrix, with its bias where it has one.
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

/// Several products of the same rows. A single row is quantized once for all of them, where the kernels can.
fn forward_all<const N: usize>(layers: [&Linear; N], rows: &Tensor) -> Result<Vec<Tensor>> {
    if rows.dim(0)? == 1 {
        let tensors = layers.map(|layer| layer.quantized.as_ref());
        if let Some(products) = QTensor::gemv_fused_shared_lhs(&tensors, rows)? {
            return layers.iter().zip(products).map(|(layer, product)| layer.biased(product)).collect();
        }
    }
    layers.iter().map(|layer| layer.forward(rows)).collect()
}

struct Block {
    attention_norm: Tensor,
    query: Linear,
    key: Linear,
    value: Linear,
    /// Qwen3 norms each head's queries and keys.
    head_norms: Option<(Tensor, Tensor)>,
    output: Linear,
    feed_norm: Tensor,
    gate: Linear,
    up: Linear,
    down: Linear,
}

impl Block {
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
    pub(super) shape: Shape,
    embedding: Arc<QTensor>,
    blocks: Vec<Block>,
    norm: Tensor,
    head: Linear,
}

/// What is the same for every block of one pass.
struct Pass {
    cosines: Tensor,
    sines: Tensor,
    /// Absent for a single position, which sees everything before it.
    mask: Option<Tensor>,
}

impl Net {
    pub(super) fn read(file: &mut Gguf) -> std::result::Result<Self, EngineError> {
        let shape = Shape::read(file)?;
        let blocks = (0..shape.blocks)
            .map(|number| Block::read(file, number))
            .collect::<std::result::Result<_, _>>()?;
        let embedding = file.quantized("token_embd.weight")?;
        // Without a matrix of its own the head is that of the words, which is a large part of a small model.
        let head = if file.has("output.weight") {
            Linear::read(file, "output")?
        } else {
            Linear::of(embedding.clone(), None)?
        };
        Ok(Self { head, norm: file.plain("output_norm.weight")?, embedding, blocks, shape })
    }

    /// Reads more tokens; the scores of what may come next, where they are `wanted`. Between blocks it asks `go_on`.
    pub(super) fn read_tokens(
        &self,
        tokens: &[u32],
        cache: &mut Cache,
        wanted: bool,
        go_on: &dyn Fn() -> std::result::Result<(), EngineError>,
    ) -> std::result::Result<Vec<f32>, EngineError> {
        let pass = self.pass(tokens.len(), cache.length).map_err(EngineError::internal)?;
        let ids = Tensor::new(tokens, &Device::Cpu).map_err(EngineError::internal)?;
        let mut rows = self.embedding.embedding(&ids).map_err(EngineError::internal)?;
        for number in 0..self.blocks.len() {
            go_on()?;
            rows = self.block(number, &rows, &pass, cache).map_err(EngineError::internal)?;
        }
        cache.length += tokens.len();
        if wanted { self.scores(&rows).map_err(EngineError::internal) } else { Ok(vec![]) }
    }

    /// Only the last row says what comes next.
    fn scores(&self, rows: &Tensor) -> Result<Vec<f32>> {
        let last = rows.narrow(0, rows.dim(0)? - 1, 1)?.contiguous()?;
        let last = rms_norm(&last, &self.norm, self.shape.epsilon)?;
        self.head.forward(&last)?.flatten_all()?.to_vec1()
    }

    fn pass(&self, count: usize, start: usize) -> Result<Pass> {
        let pairs = self.shape.frequencies.len();
        let turns: Vec<f32> = (start..start + count)
            .flat_map(|position| {
                self.shape.frequencies.iter().map(move |frequency| position as f32 * frequency)
            })
            .collect();
        let turns = Tensor::from_vec(turns, (count, pairs), &Device::Cpu)?;
        let mask = (count > 1).then(|| mask(count, start)).transpose()?;
        Ok(Pass { cosines: turns.cos()?, sines: turns.sin()?, mask })
    }

    fn block(&self, number: usize, rows: &Tensor, pass: &Pass, cache: &Cache) -> Result<Tensor> {
        let (block, epsilon) = (&self.blocks[number], self.shape.epsilon);
        let normed = rms_norm(rows, &block.attention_norm, epsilon)?;
        let rows = (rows + self.attention(number, &normed, pass, cache)?)?;
        let normed = rms_norm(&rows, &block.feed_norm, epsilon)?;
        let mut products = forward_all([&block.gate, &block.up], &normed)?;
        let (up, gate) = (products.remove(1), products.remove(0));
        &rows + block.down.forward(&(gate.silu()? * up)?)?
    }

    fn attention(&self, number: usize, rows: &Tensor, pass: &Pass, cache: &Cache) -> Result<Tensor> {
        let block = &self.blocks[number];
        let Shape { heads, kv_heads, head_width, .. } = self.shape;
        let count = rows.dim(0)?;
        let mut products = forward_all([&block.query, &block.key, &block.value], rows)?;
        let (value, key, query) = (products.remove(2), products.remove(1), products.remove(0));
        let query = self.turned(&query, heads, block.head_norms.as_ref().map(|norms| &norms.0), pass)?;
        let key = self.turned(&key, kv_heads, block.head_norms.as_ref().map(|norms| &norms.1), pass)?;
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

    /// Heads first, normed where the model does that, turned by their positions.
    fn turned(&self, rows: &Tensor, heads: usize, norm: Option<&Tensor>, pass: &Pass) -> Result<Tensor> {
        let Shape { head_width, epsilon, turn, .. } = self.shape;
        let count = rows.dim(0)?;
        let rows = rows.reshape((count, heads, head_width))?;
        let rows = match norm {
            Some(norm) => rms_norm(&rows.contiguous()?, norm, epsilon)?,
            None => rows,
        };
        let rows = rows.transpose(0, 1)?.contiguous()?.unsqueeze(0)?;
        let turned = match turn {
            Turn::Pairs => rope_i(&rows, &pass.cosines, &pass.sines)?,
            Turn::Halves => rope(&rows, &pass.cosines, &pass.sines)?,
        };
        turned.squeeze(0)
    }
}

#[cfg(test)]
impl Net {
    /// Computes with plain numbers from here on, so that nothing but the net itself shows in its scores.
    pub(super) fn without_rounding(&mut self) -> Result<()> {
        let blocks = self.blocks.iter_mut().flat_map(|block| {
            let Block { query, key, value, output, gate, up, down, .. } = block;
            [query, key, value, output, gate, up, down]
        });
        for layer in blocks.chain([&mut self.head]) {
            layer.product = QMatMul::Tensor(layer.quantized.dequantize(&Device::Cpu)?);
        }
        Ok(())
    }
}

/// Each new position sees those before it and itself.
fn mask(count: usize, start: usize) -> Result<Tensor> {
    let seen = |row: usize, column: usize| if column <= start + row { 0.0 } else { f32::NEG_INFINITY };
    let cells = (0..count).flat_map(|row| (0..start + count).map(move |column| seen(row, column)));
    Tensor::from_vec(cells.collect::<Vec<f32>>(), (count, start + count), &Device::Cpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_sees_what_came_before_it() {
        let mask = mask(2, 1).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(mask[0], [0.0, 0.0, f32::NEG_INFINITY]);
        assert_eq!(mask[1], [0.0, 0.0, 0.0]);
    }
}
