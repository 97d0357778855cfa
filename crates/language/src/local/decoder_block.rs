//! One block of a decoder: attention and a gated feed-forward part.

use auris_engine_core::EngineError;
use auris_kernels::BlockLinear;

use super::gguf::Gguf;
use super::model_config::ModelConfig;

/// The weights of a block.
pub(super) struct DecoderBlock {
    pub(super) attention_norm: Vec<f32>,
    pub(super) query: BlockLinear,
    pub(super) key: BlockLinear,
    pub(super) value: BlockLinear,
    /// Qwen3 normalizes the queries and keys of each head.
    pub(super) head_norms: Option<HeadNorms>,
    pub(super) output: BlockLinear,
    pub(super) feed_norm: Vec<f32>,
    pub(super) gate: BlockLinear,
    pub(super) up: BlockLinear,
    pub(super) down: BlockLinear,
}

pub(super) struct HeadNorms {
    pub(super) query: Vec<f32>,
    pub(super) key: Vec<f32>,
}

impl DecoderBlock {
    pub(super) fn read(file: &Gguf, config: &ModelConfig, number: usize) -> Result<Self, EngineError> {
        let reader = Reader { file, number };
        let ModelConfig { width, heads, kv_heads, head_width, .. } = *config;
        let query_width = heads * head_width;
        let kv_width = kv_heads * head_width;
        let inner = reader.outputs("ffn_gate")?;
        Ok(Self {
            attention_norm: reader.floats("attn_norm", width)?,
            query: reader.linear("attn_q", width, query_width)?,
            key: reader.linear("attn_k", width, kv_width)?,
            value: reader.linear("attn_v", width, kv_width)?,
            head_norms: reader.head_norms(head_width)?,
            output: reader.linear("attn_output", query_width, width)?,
            feed_norm: reader.floats("ffn_norm", width)?,
            gate: reader.linear("ffn_gate", width, inner)?,
            up: reader.linear("ffn_up", width, inner)?,
            down: reader.linear("ffn_down", inner, width)?,
        })
    }

    /// The memory that the weights occupy, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let Self { query, key, value, output, gate, up, down, .. } = self;
        [query, key, value, output, gate, up, down].iter().map(|linear| linear.bytes()).sum()
    }
}

/// Reads the tensors of one block.
struct Reader<'a> {
    file: &'a Gguf,
    number: usize,
}

impl Reader<'_> {
    fn name(&self, part: &str) -> String {
        format!("blk.{}.{part}.weight", self.number)
    }

    fn outputs(&self, part: &str) -> Result<usize, EngineError> {
        let name = self.name(part);
        let outputs = self.file.shape(&name).and_then(|shape| shape.first().copied());
        outputs.ok_or_else(|| self.file.broken(format!("it has no tensor `{name}`")))
    }

    fn floats(&self, part: &str, width: usize) -> Result<Vec<f32>, EngineError> {
        self.file.floats(&self.name(part), width)
    }

    fn linear(&self, part: &str, inputs: usize, outputs: usize) -> Result<BlockLinear, EngineError> {
        let linear = self.file.linear(&self.name(part), inputs, outputs)?;
        let bias = self.file.optional(&format!("blk.{}.{part}.bias", self.number), outputs)?;
        Ok(match bias {
            Some(bias) => linear.with_bias(&bias),
            None => linear,
        })
    }

    fn head_norms(&self, width: usize) -> Result<Option<HeadNorms>, EngineError> {
        let query = self.file.optional(&self.name("attn_q_norm"), width)?;
        let key = self.file.optional(&self.name("attn_k_norm"), width)?;
        Ok(query.zip(key).map(|(query, key)| HeadNorms { query, key }))
    }
}
