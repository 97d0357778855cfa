//! The product of quantized rows with quantized weights.
//!
//! All levels add up the same integers, so that their results are the same to the last bit.

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_bytes;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_bytes;
#[cfg(target_arch = "x86_64")]
mod byte_products;
#[cfg(target_arch = "aarch64")]
mod dot_product;
mod epilogue;
#[cfg(target_arch = "aarch64")]
mod i8mm;
#[cfg(target_arch = "x86_64")]
mod large_groups;
#[cfg(target_arch = "aarch64")]
mod neon;
mod packed;
mod product;
#[cfg(target_arch = "x86_64")]
mod row_scratch;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod vnni;
#[cfg(target_arch = "x86_64")]
mod widened_rows;

#[cfg(test)]
mod tests;

use std::fmt;
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

pub use packed::{LayoutError, PackedLayout, PackedLinear};
pub use product::Epilogue;

use crate::levels::UsableLevel;
use crate::memory::{LINE, Line, WeightBytes};
use crate::{Level, QuantizedRows, usable_level};
#[cfg(target_arch = "x86_64")]
use large_groups::LargeGroups;
use packed::{GROUP, PANEL, Shape};
use product::Product;

/// Weights as 8-bit integers with a scale for each output, and a bias, packed once for all levels: panels of sixteen
/// outputs, in each the groups of four inputs, in each group the four weights of every output. Tiles, dot products and
/// 16-bit products all read this layout.
pub struct Linear {
    weights: WeightBytes,
    /// Takes back that rows are stored plus 128: −128 × the sum of the weights of each output.
    offsets: Vec<i32>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    shape: Shape,
    /// Only for AVX2 and AVX-512 without VNNI.
    #[cfg(target_arch = "x86_64")]
    large_groups: OnceLock<LargeGroups>,
}

impl Linear {
    /// Quantizes weights, a row of `inputs` for each output. The bias may be empty.
    pub fn from_floats(weights: &[f32], inputs: usize, bias: &[f32]) -> Self {
        assert!(inputs > 0, "a product has inputs");
        let mut scales = Vec::with_capacity(weights.len() / inputs);
        let mut integers = Vec::with_capacity(weights.len());
        for row in weights.chunks_exact(inputs) {
            let largest = row.iter().fold(1e-10f32, |largest, weight| largest.max(weight.abs()));
            integers.extend(row.iter().map(|weight| (weight * (127.0 / largest)).round() as i8));
            scales.push(largest / 127.0);
        }
        Self::from_integers(&integers, inputs, &scales, bias)
    }

    /// Packs weights that are integers already, a row of `inputs` within ±127 for each output. The bias may be empty.
    pub fn from_integers(weights: &[i8], inputs: usize, scales: &[f32], bias: &[f32]) -> Self {
        let shape = Shape::new(inputs, scales.len()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(weights.len(), inputs * scales.len(), "a row of weights for each scale");
        assert!(bias.is_empty() || bias.len() == scales.len(), "a bias for each output");
        let mut lines = vec![Line::ZERO; shape.weight_bytes() / LINE].into_boxed_slice();
        let mut offsets = vec![0; shape.padded_outputs()];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            offsets[output] = -128 * row.iter().map(|weight| i32::from(*weight)).sum::<i32>();
            let place = output % PANEL * GROUP;
            for (group, weights) in row.chunks(GROUP).enumerate() {
                let line = &mut lines[output / PANEL * shape.groups() + group].0[place..];
                line.iter_mut().zip(weights).for_each(|(byte, weight)| *byte = *weight as u8);
            }
        }
        let scales = padded(scales, offsets.len());
        let bias = padded(bias, offsets.len());
        Self::from_parts(WeightBytes::Owned(lines), offsets, (scales, bias), shape)
    }

    /// The parts are as long as the shape demands.
    fn from_parts(
        weights: WeightBytes,
        offsets: Vec<i32>,
        (scales, bias): (Vec<f32>, Vec<f32>),
        shape: Shape,
    ) -> Self {
        Self {
            weights,
            offsets,
            scales,
            bias,
            shape,
            #[cfg(target_arch = "x86_64")]
            large_groups: OnceLock::new(),
        }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.shape.inputs()
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.shape.outputs()
    }

    /// Multiplies: a row of outputs in `y` for each row of `x`, which is as wide as there are inputs.
    pub fn run(&self, x: &QuantizedRows, y: &mut [f32], epilogue: Epilogue) {
        self.run_at(usable_level(), x, y, epilogue);
    }

    /// The weights of one output as floats: the embedding of a token, if this is the table of all tokens.
    pub fn row(&self, output: usize, out: &mut [f32]) {
        assert!(output < self.outputs(), "there is no output {output}");
        assert_eq!(out.len(), self.inputs(), "a float for each input");
        let panel = &self.weights.as_slice()[output / PANEL * self.shape.groups() * LINE..];
        let scale = self.scales[output];
        for (group, out) in out.chunks_mut(GROUP).enumerate() {
            let weights = &panel[group * LINE + output % PANEL * GROUP..];
            for (out, weight) in out.iter_mut().zip(weights) {
                *out = f32::from(*weight as i8) * scale;
            }
        }
    }

    /// The memory that it occupies, in bytes. Borrowed weights count too.
    pub fn bytes(&self) -> usize {
        self.weights.as_slice().len() + 3 * size_of::<f32>() * self.offsets.len()
    }

    /// As `run`, at the given level.
    pub(crate) fn run_at(&self, level: UsableLevel, x: &QuantizedRows, y: &mut [f32], epilogue: Epilogue) {
        let product = Product::new(self, x, y, epilogue);
        if x.rows() == 0 {
            return;
        }
        match level.get() {
            Level::Scalar => scalar::run(&product),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level is usable.
            Level::Avx2 => unsafe { avx2::run(&product) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level is usable.
            Level::Avx512 => unsafe { avx512::run(&product) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level is usable.
            Level::Amx if x.rows() >= amx::FEWEST_ROWS => unsafe { amx::run(&product) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level is usable.
            Level::Vnni | Level::Amx => unsafe { vnni::run(&product) },
            #[cfg(target_arch = "aarch64")]
            Level::Neon => neon::run(&product),
            #[cfg(target_arch = "aarch64")]
            // SAFETY: the level is usable.
            Level::DotProduct => unsafe { dot_product::run(&product) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: the level is usable.
            Level::I8mm => unsafe { i8mm::run(&product) },
            // The levels of other processors are never usable here.
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 | Level::Vnni | Level::Amx => scalar::run(&product),
            #[cfg(not(target_arch = "aarch64"))]
            Level::Neon | Level::DotProduct | Level::I8mm => scalar::run(&product),
        }
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Linear")
            .field("inputs", &self.inputs())
            .field("outputs", &self.outputs())
            .finish_non_exhaustive()
    }
}

fn padded(floats: &[f32], length: usize) -> Vec<f32> {
    let mut floats = floats.to_vec();
    floats.resize(length, 0.0);
    floats
}
