//! The configuration of a model in a GGUF file: its architecture, its sizes and its position encoding.

use auris_engine_core::EngineError;

use super::gguf::Gguf;

/// The widest head that the kernels compute.
const MAX_HEAD_WIDTH: usize = 128;

/// Which two values of a head rotary position encoding rotates together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RotaryLayout {
    /// Adjacent ones, as in Llama files.
    Pairs,
    /// One from the first half and one from the second half, as in Qwen files.
    Halves,
}

/// The configuration of a decoder.
#[derive(Debug, Clone)]
pub(super) struct ModelConfig {
    pub(super) architecture: String,
    pub(super) blocks: usize,
    /// Numbers in the row of a token.
    pub(super) width: usize,
    pub(super) heads: usize,
    /// Heads of keys and values. Each is shared by a group of query heads.
    pub(super) kv_heads: usize,
    pub(super) head_width: usize,
    pub(super) context: usize,
    pub(super) epsilon: f32,
    pub(super) rotary_layout: RotaryLayout,
    /// Rotation per position of each pair.
    pub(super) frequencies: Vec<f32>,
}

impl ModelConfig {
    pub(super) fn read(file: &Gguf) -> Result<Self, EngineError> {
        let architecture = file.required_text("general.architecture")?.to_owned();
        let rotary_layout = rotary_layout(&architecture).ok_or_else(|| {
            file.broken(format!("its architecture is `{architecture}`; supported are llama, qwen2 and qwen3"))
        })?;
        let key = |name: &str| format!("{architecture}.{name}");
        let width = file.required_number(&key("embedding_length"))?;
        let heads = file.required_number(&key("attention.head_count"))?;
        let kv_heads = file.number(&key("attention.head_count_kv")).map_or(heads, |heads| heads as usize);
        let head_width =
            file.number(&key("attention.key_length")).map_or(width / heads, |width| width as usize);
        let config = Self {
            blocks: file.required_number(&key("block_count"))?,
            context: file.required_number(&key("context_length"))?,
            epsilon: file.float(&key("attention.layer_norm_rms_epsilon")).unwrap_or(1e-5),
            frequencies: vec![],
            architecture: architecture.clone(),
            width,
            heads,
            kv_heads,
            head_width,
            rotary_layout,
        };
        config.check(file)?;
        Ok(Self { frequencies: frequencies(file, &architecture, head_width)?, ..config })
    }

    fn check(&self, file: &Gguf) -> Result<(), EngineError> {
        let rotated = file.number(&format!("{}.rope.dimension_count", self.architecture));
        let is_valid = self.kv_heads > 0
            && self.heads.is_multiple_of(self.kv_heads)
            && (2..=MAX_HEAD_WIDTH).contains(&self.head_width)
            && self.head_width.is_multiple_of(2)
            && self.blocks <= 1_000
            && rotated.is_none_or(|rotated| rotated as usize == self.head_width);
        if is_valid { Ok(()) } else { Err(file.broken("its sizes do not fit together")) }
    }

    /// Bytes of the key-value cache per position.
    pub(super) fn cache_bytes(&self) -> usize {
        self.blocks * 2 * self.kv_heads * self.head_width * size_of::<u16>()
    }
}

fn rotary_layout(architecture: &str) -> Option<RotaryLayout> {
    match architecture {
        "llama" => Some(RotaryLayout::Pairs),
        "qwen2" | "qwen3" => Some(RotaryLayout::Halves),
        _ => None,
    }
}

fn frequencies(file: &Gguf, architecture: &str, head_width: usize) -> Result<Vec<f32>, EngineError> {
    let base = file.float(&format!("{architecture}.rope.freq_base")).unwrap_or(10_000.0);
    let scaling = file.text(&format!("{architecture}.rope.scaling.type")).unwrap_or("none").to_owned();
    let factor = match scaling.as_str() {
        "none" => 1.0,
        "linear" => file.float(&format!("{architecture}.rope.scaling.factor")).unwrap_or(1.0),
        other => {
            return Err(file.broken(format!("its position scaling `{other}` is not supported")));
        }
    };
    let pairs = head_width / 2;
    let scales = file.optional("rope_freqs.weight", pairs)?.unwrap_or_else(|| vec![1.0; pairs]);
    let frequency =
        |(pair, by): (usize, f32)| base.powf(-(2.0 * pair as f32) / head_width as f32) / (by * factor);
    Ok(scales.into_iter().enumerate().map(frequency).collect())
}
