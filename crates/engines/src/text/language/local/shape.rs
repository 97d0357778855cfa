//! What a GGUF file says of its net: the architecture, its sizes, how positions turn.

use super::gguf::Gguf;
use crate::EngineError;

/// How the two halves of a position's turn lie in a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Neighbours, as llama files have them.
    Pairs,
    /// First half and second half, as the Qwen files have them.
    Halves,
}

/// The sizes of a decoder.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) architecture: String,
    pub(super) blocks: usize,
    pub(super) heads: usize,
    /// Heads of keys and values, shared by groups of the others.
    pub(super) kv_heads: usize,
    pub(super) head_width: usize,
    pub(super) context: usize,
    pub(super) epsilon: f32,
    pub(super) turn: Turn,
    /// Turns per position of each pair.
    pub(super) frequencies: Vec<f32>,
}

impl Shape {
    pub(super) fn read(file: &mut Gguf) -> Result<Self, EngineError> {
        let architecture = file.required_text("general.architecture")?.to_owned();
        let turn = turn(&architecture).ok_or_else(|| {
            file.broken(format!("its architecture is `{architecture}`; supported are llama, qwen2 and qwen3"))
        })?;
        let key = |name: &str| format!("{architecture}.{name}");
        let width = file.required_number(&key("embedding_length"))?;
        let heads = file.required_number(&key("attention.head_count"))?;
        let kv_heads = file.number(&key("attention.head_count_kv")).map_or(heads, |heads| heads as usize);
        let head_width =
            file.number(&key("attention.key_length")).map_or(width / heads, |width| width as usize);
        let shape = Self {
            blocks: file.required_number(&key("block_count"))?,
            context: file.required_number(&key("context_length"))?,
            epsilon: file.float(&key("attention.layer_norm_rms_epsilon")).unwrap_or(1e-5),
            frequencies: vec![],
            architecture: architecture.clone(),
            heads,
            kv_heads,
            head_width,
            turn,
        };
        shape.check(file)?;
        Ok(Self { frequencies: frequencies(file, &architecture, head_width)?, ..shape })
    }

    fn check(&self, file: &Gguf) -> Result<(), EngineError> {
        let turned = file.number(&format!("{}.rope.dimension_count", self.architecture));
        let sound = self.kv_heads > 0
            && self.heads.is_multiple_of(self.kv_heads)
            && self.head_width > 0
            && self.head_width.is_multiple_of(2)
            && self.blocks <= 1_000
            && turned.is_none_or(|turned| turned as usize == self.head_width);
        if sound { Ok(()) } else { Err(file.broken("its sizes do not fit together")) }
    }

    /// Memory that one position takes in a cache.
    pub(super) fn cache_bytes(&self) -> usize {
        self.blocks * 2 * self.kv_heads * self.head_width * size_of::<f32>()
    }
}

fn turn(architecture: &str) -> Option<Turn> {
    match architecture {
        "llama" => Some(Turn::Pairs),
        "qwen2" | "qwen3" => Some(Turn::Halves),
        _ => None,
    }
}

fn frequencies(file: &mut Gguf, architecture: &str, head_width: usize) -> Result<Vec<f32>, EngineError> {
    let base = file.float(&format!("{architecture}.rope.freq_base")).unwrap_or(10_000.0);
    let scaling = file.text(&format!("{architecture}.rope.scaling.type")).unwrap_or("none").to_owned();
    let factor = match scaling.as_str() {
        "none" => 1.0,
        "linear" => file.float(&format!("{architecture}.rope.scaling.factor")).unwrap_or(1.0),
        other => {
            return Err(file.broken(format!("it stretches positions by `{other}`, which is not supported")));
        }
    };
    let pairs = head_width / 2;
    let stretched = match file.optional("rope_freqs.weight")? {
        Some(factors) => factors.to_vec1::<f32>().map_err(|error| file.broken(error))?,
        None => vec![1.0; pairs],
    };
    if stretched.len() != pairs {
        return Err(file.broken("its position factors do not fit its heads"));
    }
    let frequency =
        |(pair, by): (usize, f32)| base.powf(-(2.0 * pair as f32) / head_width as f32) / (by * factor);
    Ok(stretched.into_iter().enumerate().map(frequency).collect())
}
