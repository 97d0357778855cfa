//! Packs the weights of products, a few rows at a time, so that no tensor is in memory twice.

use std::ops::Range;
use std::sync::Arc;

use auris_kernels::{Linear, PackedLayout, PackedLinear, Storage};

use crate::error::WeightsError;
use crate::matrix::{IntegerRows, Matrix};
use crate::source::TensorSource;

/// Rows packed at once. A multiple of the outputs that the packed layout keeps together, so that the packed blocks can
/// be joined.
const BLOCK: usize = 256;
/// The alignment that the weights need.
const ALIGNMENT: usize = 64;
/// What the kernels accept.
const MAX_INPUTS: usize = 1 << 16;
const MAX_OUTPUTS: usize = 1 << 24;
/// What is wrong with weights that no net can compute with.
pub(crate) const NOT_FINITE: &str = "it contains numbers that are infinite or not numbers";

/// The products of the same input as one: the outputs of the first weights, then those of the second, and so on. A bias
/// that is not named, or that the source does not have, is zeros.
pub fn linear(
    source: &dyn TensorSource,
    weights: &[&str],
    biases: &[Option<&str>],
) -> Result<Linear, WeightsError> {
    let matrices: Vec<Matrix> = weights.iter().map(|name| source.matrix(name)).collect::<Result<_, _>>()?;
    let mut bias = Vec::new();
    for (nth, matrix) in matrices.iter().enumerate() {
        let name = biases.get(nth).copied().flatten().filter(|name| source.contains(name));
        let part = name.map(|name| source.floats(name)).transpose()?;
        let part = part.unwrap_or_else(|| vec![0.0; matrix.outputs()]);
        if part.len() != matrix.outputs() {
            let weights = weights[nth];
            let found = part.len();
            let outputs = matrix.outputs();
            let what = format!("`{weights}` has {outputs} outputs and its bias has {found}");
            return Err(WeightsError::damaged(what));
        }
        bias.extend(part);
    }
    let rows = JoinedRows::new(&matrices).map_err(|error| error.of_tensor(weights.first().unwrap_or(&"")))?;
    rows.pack(&bias).map_err(|error| error.of_tensor(weights.first().unwrap_or(&"")))
}

/// The rows of several matrices, one after the other.
struct JoinedRows<'a> {
    matrices: &'a [Matrix],
    inputs: usize,
    outputs: usize,
}

impl<'a> JoinedRows<'a> {
    fn new(matrices: &'a [Matrix]) -> Result<Self, WeightsError> {
        let inputs = matrices.first().map_or(0, Matrix::inputs);
        let outputs = matrices.iter().map(Matrix::outputs).sum();
        if matrices.iter().any(|matrix| matrix.inputs() != inputs) {
            return Err(WeightsError::damaged("the weights that are multiplied together differ in width"));
        }
        if !(1..=MAX_INPUTS).contains(&inputs) || !(1..=MAX_OUTPUTS).contains(&outputs) {
            return Err(WeightsError::unsupported(format!(
                "a product of {inputs} inputs and {outputs} outputs"
            )));
        }
        Ok(Self { matrices, inputs, outputs })
    }

    fn pack(&self, bias: &[f32]) -> Result<Linear, WeightsError> {
        if self.outputs <= BLOCK {
            return self.block(0..self.outputs, bias);
        }
        let whole_blocks = (self.outputs - 1) / BLOCK;
        // The first and the last block show how long the others and the whole are.
        let first = self.block(0..BLOCK, bias)?;
        let last = self.block(whole_blocks * BLOCK..self.outputs, bias)?;
        let mut packed = PackedBlocks::new(&first, &last, whole_blocks);
        packed.push(&first);
        for nth in 1..whole_blocks {
            packed.push(&self.block(nth * BLOCK..(nth + 1) * BLOCK, bias)?);
        }
        packed.push(&last);
        packed.into_linear(self.inputs, self.outputs)
    }

    /// Some rows as a separate product.
    fn block(&self, rows: Range<usize>, bias: &[f32]) -> Result<Linear, WeightsError> {
        let mut integers = IntegerRows::default();
        let mut first = 0;
        for matrix in self.matrices {
            let start = rows.start.clamp(first, first + matrix.outputs()) - first;
            let end = rows.end.clamp(first, first + matrix.outputs()) - first;
            matrix.quantize(start..end, &mut integers);
            first += matrix.outputs();
        }
        let bias = &bias[rows];
        if !integers.scales.iter().chain(bias).all(|number| number.is_finite()) {
            return Err(WeightsError::damaged(NOT_FINITE));
        }
        Ok(Linear::from_integers(&integers.integers, self.inputs, &integers.scales, bias))
    }
}

/// Packed blocks in one piece of memory.
struct PackedBlocks {
    memory: AlignedBytes,
    filled: usize,
    offsets: Vec<u8>,
    scales: Vec<u8>,
    bias: Vec<u8>,
}

impl PackedBlocks {
    /// Memory for `count` blocks like the first, the last one, and the numbers of all of them.
    fn new(first: &Linear, last: &Linear, count: usize) -> Self {
        let bytes = |part: PackedLinear<'_>| (part.weights.len(), 4 * part.scales.len());
        let (first_weights, first_numbers) = bytes(first.packed());
        let (last_weights, last_numbers) = bytes(last.packed());
        let weights = first_weights * count + last_weights;
        let numbers = first_numbers * count + last_numbers;
        let memory = AlignedBytes::zeros(weights + 3 * numbers);
        Self { memory, filled: 0, offsets: Vec::new(), scales: Vec::new(), bias: Vec::new() }
    }

    fn push(&mut self, block: &Linear) {
        let block = block.packed();
        self.append(block.weights);
        self.offsets.extend(block.offsets.iter().flat_map(|number| number.to_le_bytes()));
        self.scales.extend(block.scales.iter().flat_map(|number| number.to_le_bytes()));
        self.bias.extend(block.bias.iter().flat_map(|number| number.to_le_bytes()));
    }

    fn append(&mut self, bytes: &[u8]) -> Range<usize> {
        let range = self.filled..self.filled + bytes.len();
        self.memory.bytes_mut()[range.clone()].copy_from_slice(bytes);
        self.filled = range.end;
        range
    }

    fn into_linear(mut self, inputs: usize, outputs: usize) -> Result<Linear, WeightsError> {
        let weights = 0..self.filled;
        let parts = [std::mem::take(&mut self.offsets), std::mem::take(&mut self.scales)];
        let [offsets, scales] = parts.map(|part| self.append(&part));
        let bias = std::mem::take(&mut self.bias);
        let bias = self.append(&bias);
        let layout = PackedLayout { weights, offsets, scales, bias, inputs, outputs };
        let packed = Linear::from_packed(Storage::new(Arc::new(self.memory)), layout);
        packed.map_err(|error| WeightsError::damaged(format!("weights cannot be packed: {error}")))
    }
}

/// Bytes that start at a multiple of 64.
pub(crate) struct AlignedBytes {
    /// Never grows, so that it stays where it is.
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl AlignedBytes {
    pub(crate) fn zeros(length: usize) -> Self {
        let memory = vec![0; length + ALIGNMENT];
        let start = memory.as_ptr().addr().next_multiple_of(ALIGNMENT) - memory.as_ptr().addr();
        Self { memory, start, length }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::FileBytes;
    use crate::element::ElementType;
    use crate::tensor::Tensor;

    /// A source with two matrices of the same width and a bias.
    struct Source;

    fn float(at: usize) -> f32 {
        (at * 7_919 % 1_009) as f32 / 1_009.0 - 0.5
    }

    impl TensorSource for Source {
        fn contains(&self, name: &str) -> bool {
            name != "none"
        }

        fn shape(&self, _: &str) -> Result<Vec<usize>, WeightsError> {
            Ok(vec![])
        }

        fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
            Ok((0..name.parse().unwrap()).map(float).collect())
        }

        fn matrix(&self, name: &str) -> Result<Matrix, WeightsError> {
            let (outputs, inputs) = name.split_once('x').unwrap();
            let (outputs, inputs): (usize, usize) = (outputs.parse().unwrap(), inputs.parse().unwrap());
            let bytes: Vec<u8> = (0..outputs * inputs).flat_map(|at| float(at).to_le_bytes()).collect();
            Matrix::from_rows(Tensor::new(
                vec![outputs, inputs],
                ElementType::F32,
                FileBytes::from_memory(bytes),
            )?)
        }
    }

    /// Packs everything at once.
    fn at_once(names: &[&str], bias: &[f32]) -> Linear {
        let mut rows = IntegerRows::default();
        let mut inputs = 0;
        for name in names {
            let matrix = Source.matrix(name).unwrap();
            matrix.quantize(0..matrix.outputs(), &mut rows);
            inputs = matrix.inputs();
        }
        Linear::from_integers(&rows.integers, inputs, &rows.scales, bias)
    }

    #[test]
    fn packing_in_blocks_gives_the_same_bytes_as_packing_at_once() {
        for names in
            [&["700x30", "75x30"][..], &["256x70"], &["257x70"], &["512x4"], &["3x5"], &["1x9", "300x9"]]
        {
            let outputs: usize = names.iter().map(|name| Source.matrix(name).unwrap().outputs()).sum();
            let first = Source.matrix(names[0]).unwrap().outputs();
            let mut bias: Vec<f32> = (0..first).map(float).collect();
            bias.resize(outputs, 0.0);
            let whole = at_once(names, &bias);
            let joined = linear(&Source, names, &[Some(&first.to_string()), Some("none")]).unwrap();
            let (joined, whole) = (joined.packed(), whole.packed());
            assert_eq!(joined.weights, whole.weights, "{names:?}");
            assert_eq!(joined.offsets, whole.offsets, "{names:?}");
            assert_eq!(joined.scales, whole.scales, "{names:?}");
            assert_eq!(joined.bias, whole.bias, "{names:?}");
            assert_eq!((joined.inputs, joined.outputs), (whole.inputs, whole.outputs));
        }
    }

    #[test]
    fn weights_of_different_widths_and_a_bias_of_another_length_are_refused() {
        assert!(linear(&Source, &["3x5", "3x6"], &[]).is_err());
        assert!(linear(&Source, &["3x5"], &[Some("4")]).is_err());
        assert!(linear(&Source, &["2x70000"], &[]).is_err());
        assert!(linear(&Source, &[], &[]).is_err());
    }

    #[test]
    fn weights_that_are_not_finite_are_refused() {
        for (at, number) in [(0, f32::NAN), (3, f32::INFINITY), (5, f32::NEG_INFINITY)] {
            let mut floats = [1f32; 6];
            floats[at] = number;
            let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
            let tensor = Tensor::new(vec![2, 3], ElementType::F32, FileBytes::from_memory(bytes)).unwrap();
            let matrices = [Matrix::from_rows(tensor).unwrap()];
            let error = JoinedRows::new(&matrices).unwrap().pack(&[0.0; 2]).unwrap_err().to_string();
            assert!(error.contains(NOT_FINITE), "{error}");
        }
        let matrices = [Source.matrix("2x3").unwrap()];
        assert!(JoinedRows::new(&matrices).unwrap().pack(&[0.0, f32::NAN]).is_err());
    }
}
