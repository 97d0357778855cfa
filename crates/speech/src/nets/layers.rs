//! What the layers of all encoders and decoders consist of.

use auris_engine_core::EngineError;
use auris_kernels::{Epilogue, LayerNorm, Linear, Queries};
use auris_weights::ModelConfig;

use super::buffers::{Buffers, sized};
use super::loader::{Loader, check};

const EPSILON: f32 = 1e-5;

/// The widest head that the kernels compute.
const MAX_HEAD_WIDTH: usize = 128;

/// The number of attention heads and the width of each. Together they are as wide as the net.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    pub(super) count: usize,
    pub(super) width: usize,
}

impl Heads {
    /// The heads of a model. Fails if they are wider than those of any known net.
    pub(super) fn of(config: &ModelConfig) -> Result<Self, EngineError> {
        let count = config.heads;
        let width = config.head_width;
        if width <= MAX_HEAD_WIDTH {
            return Ok(Self { count, width });
        }
        Err(EngineError::internal(format!(
            "the model has attention heads that are {width} wide; at most {MAX_HEAD_WIDTH} is supported"
        )))
    }

    /// The width of the net.
    pub(super) fn total(self) -> usize {
        self.count * self.width
    }

    /// What scores are multiplied by before the softmax.
    pub(super) fn scale(self) -> f32 {
        (self.width as f32).powf(-0.5)
    }

    /// A single query of one head.
    pub(super) fn query(self, floats: &[f32]) -> Queries<'_> {
        Queries { floats, stride: 0, rows: 1, scale: self.scale() }
    }
}

/// A layer norm.
pub(super) struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    /// The norm with this name; Moonshine's have no bias.
    pub(super) fn load(loader: &mut Loader<'_>, name: &str, width: usize) -> Result<Self, EngineError> {
        let bias = format!("{name}.bias");
        Ok(Self {
            gain: loader.vector(&format!("{name}.weight"), width)?,
            bias: if loader.contains(&bias) { loader.vector(&bias, width)? } else { Vec::new() },
        })
    }

    pub(super) fn as_kernel(&self) -> LayerNorm<'_> {
        LayerNorm { gain: &self.gain, bias: &self.bias, epsilon: EPSILON }
    }
}

/// The names of the parts of an attention, below the name of their layer.
pub(super) struct AttentionNames {
    pub(super) norm: &'static str,
    pub(super) query: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) out: &'static str,
}

/// Attention of a sequence to itself.
pub(super) struct SelfAttention {
    pub(super) norm: Norm,
    /// Queries, keys and values in one product.
    pub(super) joined: Linear,
    pub(super) out: Linear,
}

impl SelfAttention {
    pub(super) fn load(
        loader: &mut Loader<'_>,
        layer: &str,
        names: &AttentionNames,
        width: usize,
    ) -> Result<Self, EngineError> {
        let parts = [names.query, names.key, names.value].map(|part| format!("{layer}.{part}"));
        Ok(Self {
            norm: Norm::load(loader, &format!("{layer}.{}", names.norm), width)?,
            joined: loader.linear(&parts, width, Some(3 * width))?,
            out: loader.linear(&[format!("{layer}.{}", names.out)], width, Some(width))?,
        })
    }
}

/// The names of the parts of a feed-forward part, below the name of their layer, and its activation.
pub(super) struct FeedForwardNames {
    pub(super) norm: &'static str,
    pub(super) up: &'static str,
    pub(super) down: &'static str,
    pub(super) activation: Activation,
}

/// What is between the two products of a feed-forward part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    /// The first half of a row times the SiLU of the second.
    GatedSilu,
}

/// Two products after the attention, row by row.
pub(super) struct FeedForward {
    norm: Norm,
    up: Linear,
    down: Linear,
    activation: Activation,
}

impl FeedForward {
    pub(super) fn load(
        loader: &mut Loader<'_>,
        layer: &str,
        names: &FeedForwardNames,
        width: usize,
    ) -> Result<Self, EngineError> {
        let norm = Norm::load(loader, &format!("{layer}.{}", names.norm), width)?;
        let up = loader.linear(&[format!("{layer}.{}", names.up)], width, None)?;
        let inner = match names.activation {
            Activation::Gelu => up.outputs(),
            Activation::GatedSilu => up.outputs() / 2,
        };
        if names.activation == Activation::GatedSilu {
            check(&format!("`{layer}.{}`", names.up), "outputs", up.outputs(), 2 * inner)?;
        }
        let down = loader.linear(&[format!("{layer}.{}", names.down)], inner, Some(width))?;
        Ok(Self { norm, up, down, activation: names.activation })
    }

    /// Adds its result to the rows.
    pub(super) fn run(&self, rows: &mut [f32], buffers: &mut Buffers) {
        let Buffers { quantized, inner, gated, .. } = buffers;
        quantized.fill_normalized(rows, self.norm.as_kernel());
        let inner = sized(inner, quantized.rows() * self.up.outputs());
        match self.activation {
            Activation::Gelu => {
                self.up.run(quantized, inner, Epilogue::Gelu);
                quantized.fill(inner, self.down.inputs());
            }
            Activation::GatedSilu => {
                self.up.run(quantized, inner, Epilogue::Store);
                let gated = sized(gated, quantized.rows() * self.down.inputs());
                let pairs = inner.chunks_exact(self.up.outputs());
                for (both, out) in pairs.zip(gated.chunks_exact_mut(self.down.inputs())) {
                    let (values, gates) = both.split_at(out.len());
                    auris_kernels::gated_silu(values, gates, out);
                }
                quantized.fill(gated, self.down.inputs());
            }
        }
        self.down.run(quantized, rows, Epilogue::Add);
    }
}
