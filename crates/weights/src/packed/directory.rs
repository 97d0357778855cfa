//! The list of the parts in a packed copy.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use auris_kernels::PackedLayout;
use serde::{Deserialize, Serialize};

use crate::config::ModelConfig;
use crate::error::WeightsError;
use crate::packed::{ALIGNMENT, HEADER};
use crate::tensor_list::expected_tensors;

/// What a packed copy contains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Directory {
    /// Identifies the source files and the program that packed them.
    pub(crate) fingerprint: String,
    /// SHA-256 of everything between the header and the directory.
    pub(crate) content: String,
    pub(crate) config: ModelConfig,
    /// Every tensor of the source.
    pub(crate) names: BTreeSet<String>,
    pub(crate) floats: BTreeMap<String, Span>,
    /// Products by the names of their weights and biases.
    pub(crate) linears: BTreeMap<String, LinearEntry>,
}

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span(pub(crate) usize, pub(crate) usize);

impl Span {
    pub(crate) fn range(self) -> Range<usize> {
        self.0..self.1
    }
}

/// The parts of a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinearEntry {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) weights: Span,
    pub(crate) offsets: Span,
    pub(crate) scales: Span,
    pub(crate) bias: Span,
}

impl LinearEntry {
    pub(crate) fn layout(&self) -> PackedLayout {
        PackedLayout {
            weights: self.weights.range(),
            offsets: self.offsets.range(),
            scales: self.scales.range(),
            bias: self.bias.range(),
            inputs: self.inputs,
            outputs: self.outputs,
        }
    }
}

/// The name of a product: those of its weights and biases.
pub(crate) fn linear_key(weights: &[&str], biases: &[Option<&str>]) -> String {
    let biases: Vec<&str> = biases.iter().map(|bias| bias.unwrap_or("-")).collect();
    format!("{} + {}", weights.join(" "), biases.join(" "))
}

impl Directory {
    /// Fails unless every part is between the header and the directory, which starts at `end`, and is as long as the
    /// sizes of the model demand.
    pub(super) fn check(&self, end: usize) -> Result<(), WeightsError> {
        self.config.checked()?;
        let counts: BTreeMap<String, Vec<usize>> =
            expected_tensors(&self.config).into_iter().map(|tensor| (tensor.name, tensor.shape)).collect();
        for (name, span) in &self.floats {
            check_span(*span, end)?;
            let count = counts.get(name).map(|shape| shape.iter().product::<usize>());
            if count.and_then(|count| count.checked_mul(4)) != Some(span.range().len()) {
                return Err(WeightsError::damaged(format!("the length of `{name}` is wrong")));
            }
        }
        for (key, entry) in &self.linears {
            for span in [entry.weights, entry.offsets, entry.scales, entry.bias] {
                check_span(span, end)?;
            }
            if linear_size(key, &counts) != Some((entry.outputs, entry.inputs)) {
                return Err(WeightsError::damaged(format!("the sizes of `{key}` are wrong")));
            }
        }
        Ok(())
    }
}

/// Outputs and inputs of a product by its name.
fn linear_size(key: &str, shapes: &BTreeMap<String, Vec<usize>>) -> Option<(usize, usize)> {
    let (weights, _) = key.split_once(" + ")?;
    let mut outputs = 0usize;
    let mut inputs = 0;
    for name in weights.split(' ') {
        let (rows, rest) = shapes.get(name)?.split_first()?;
        outputs = outputs.checked_add(*rows)?;
        inputs = rest.iter().try_fold(1usize, |product, size| product.checked_mul(*size))?;
    }
    Some((outputs, inputs))
}

fn check_span(span: Span, end: usize) -> Result<(), WeightsError> {
    let Span(start, stop) = span;
    if start < HEADER || start > stop || stop > end || !start.is_multiple_of(ALIGNMENT) {
        return Err(WeightsError::damaged(format!("a part has the bytes {start} to {stop} of {end}")));
    }
    Ok(())
}
