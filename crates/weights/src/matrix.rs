//! The weights of a product, read from the file row by row.

use std::ops::Range;

use crate::bytes::FileBytes;
use crate::element::ElementType;
use crate::error::WeightsError;
use crate::tensor::Tensor;

/// Weights of a product: a row of inputs per output. The numbers stay in the file until they are packed.
#[derive(Debug, Clone)]
pub struct Matrix {
    outputs: usize,
    inputs: usize,
    order: Order,
    values: Values,
    element: ElementType,
    bytes: FileBytes,
}

/// How the rows lie in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Output by output.
    Rows,
    /// Input by input: what `MatMul` multiplies with.
    Columns,
    /// Output × channel × place of a convolution.
    Windows { channels: usize, places: usize },
}

/// What the numbers of the file mean.
#[derive(Debug, Clone, PartialEq)]
enum Values {
    Floats,
    /// (number − zero point) × scale, both of the whole matrix or one per output.
    Integers {
        zero_points: Vec<i32>,
        scales: Vec<f32>,
    },
    /// number × scale + shift.
    Shifted {
        scale: f32,
        shift: f32,
    },
}

/// Rows of integers within ±127, and the scale of each.
#[derive(Debug, Default)]
pub(crate) struct IntegerRows {
    pub(crate) integers: Vec<i8>,
    pub(crate) scales: Vec<f32>,
}

impl Matrix {
    /// A tensor with a row per output. One with three sizes is a convolution.
    pub(crate) fn from_rows(tensor: Tensor) -> Result<Self, WeightsError> {
        let (outputs, inputs, order) = match tensor.shape[..] {
            [outputs, inputs] => (outputs, inputs, Order::Rows),
            [outputs, channels, places] => (outputs, channels * places, Order::Windows { channels, places }),
            _ => return Err(not_a_matrix(&tensor.shape)),
        };
        Self::new(tensor, (outputs, inputs), order)
    }

    /// A tensor with a row per input.
    pub(crate) fn from_columns(tensor: Tensor) -> Result<Self, WeightsError> {
        let [inputs, outputs] = tensor.shape[..] else { return Err(not_a_matrix(&tensor.shape)) };
        Self::new(tensor, (outputs, inputs), Order::Columns)
    }

    fn new(tensor: Tensor, (outputs, inputs): (usize, usize), order: Order) -> Result<Self, WeightsError> {
        let can_be_reordered = order == Order::Rows || !matches!(tensor.element, ElementType::Blocks(_));
        if outputs == 0 || inputs == 0 || !can_be_reordered {
            return Err(not_a_matrix(&tensor.shape));
        }
        let element = tensor.element;
        let bytes = tensor.bytes;
        Ok(Self { outputs, inputs, order, values: Values::Floats, element, bytes })
    }

    /// The numbers mean (number − zero point) × scale. There is one of each, or one per output.
    pub(crate) fn with_zero_points(
        self,
        zero_points: Vec<i32>,
        scales: Vec<f32>,
    ) -> Result<Self, WeightsError> {
        let fits = |length: usize| length == 1 || length == self.outputs;
        let are_bytes = zero_points.iter().all(|zero| (-128..256).contains(zero));
        if !self.element.is_byte() || !are_bytes || !fits(zero_points.len()) || !fits(scales.len()) {
            return Err(WeightsError::damaged(format!(
                "quantized weights with {} outputs have {} scales and {} zero points",
                self.outputs,
                scales.len(),
                zero_points.len()
            )));
        }
        Ok(Self { values: Values::Integers { zero_points, scales }, ..self })
    }

    /// The numbers mean number × scale + shift.
    pub(crate) fn with_shift(self, scale: f32, shift: f32) -> Self {
        Self { values: Values::Shifted { scale, shift }, ..self }
    }

    /// Rows.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Weights per row.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// All rows as floats.
    pub fn floats(&self) -> Vec<f32> {
        let floats = self.row_floats(0..self.outputs);
        self.bytes.release();
        floats
    }

    /// Appends these rows as integers. They are the integers of the file where those fit.
    pub(crate) fn quantize(&self, rows: Range<usize>, into: &mut IntegerRows) {
        match &self.values {
            Values::Integers { zero_points, scales } => {
                let numbers = self.centered(rows.clone(), zero_points);
                for (row, output) in numbers.chunks_exact(self.inputs).zip(rows.clone()) {
                    into.push_integers(row, one_of(scales, output));
                }
            }
            Values::Floats | Values::Shifted { .. } => {
                for row in self.row_floats(rows).chunks_exact(self.inputs) {
                    into.push_floats(row);
                }
            }
        }
        self.bytes.release();
    }

    /// Rows as floats, in the order that products need.
    fn row_floats(&self, rows: Range<usize>) -> Vec<f32> {
        let mut floats = self.decoded(rows.clone());
        match &self.values {
            Values::Floats => {}
            Values::Shifted { scale, shift } => {
                floats.iter_mut().for_each(|float| *float = *float * scale + shift);
            }
            Values::Integers { zero_points, scales } => {
                for (row, output) in floats.chunks_exact_mut(self.inputs).zip(rows) {
                    let zero = one_of(zero_points, output) as f32;
                    let scale = one_of(scales, output);
                    row.iter_mut().for_each(|float| *float = (*float - zero) * scale);
                }
            }
        }
        floats
    }

    /// Integers less their zero points.
    fn centered(&self, rows: Range<usize>, zero_points: &[i32]) -> Vec<i16> {
        let mut numbers: Vec<i16> = self.decoded(rows.clone()).iter().map(|float| *float as i16).collect();
        for (row, output) in numbers.chunks_exact_mut(self.inputs).zip(rows) {
            let zero = one_of(zero_points, output) as i16;
            row.iter_mut().for_each(|number| *number -= zero);
        }
        numbers
    }

    /// The numbers of the file as floats, without their meaning, a row after the other.
    fn decoded(&self, rows: Range<usize>) -> Vec<f32> {
        let mut out = vec![0.0; rows.len() * self.inputs];
        match self.order {
            Order::Rows => self.decode(rows.start * self.inputs, &mut out),
            Order::Columns => {
                let mut line = vec![0.0; rows.len()];
                for input in 0..self.inputs {
                    self.decode(input * self.outputs + rows.start, &mut line);
                    for (row, number) in line.iter().enumerate() {
                        out[row * self.inputs + input] = *number;
                    }
                }
            }
            Order::Windows { channels, places } => {
                let mut row = vec![0.0; self.inputs];
                for (output, out) in rows.zip(out.chunks_exact_mut(self.inputs)) {
                    self.decode(output * self.inputs, &mut row);
                    for (at, number) in row.iter().enumerate() {
                        out[at % places * channels + at / places] = *number;
                    }
                }
            }
        }
        out
    }

    /// Decodes numbers from the `first` one on.
    fn decode(&self, first: usize, out: &mut [f32]) {
        let range = self.element.bytes(first).zip(self.element.bytes(first + out.len()));
        let bytes = range.and_then(|(start, end)| self.bytes.as_ref().get(start..end));
        self.element.decode(bytes.unwrap_or_default(), out);
    }
}

impl IntegerRows {
    fn push_integers(&mut self, row: &[i16], scale: f32) {
        let largest = row.iter().map(|number| number.unsigned_abs()).max().unwrap_or(0);
        // Exact where it fits, which is nearly everywhere; a lopsided zero point costs its row half a step.
        if largest <= 127 {
            self.integers.extend(row.iter().map(|number| *number as i8));
            self.scales.push(scale);
        } else {
            let shrink = 127.0 / f32::from(largest);
            self.integers.extend(row.iter().map(|number| (f32::from(*number) * shrink).round() as i8));
            self.scales.push(scale / shrink);
        }
    }

    /// The scale of a row with a weight that is not finite is not finite either.
    fn push_floats(&mut self, row: &[f32]) {
        let largest = row.iter().fold(0f32, |largest, weight| largest.max(weight.abs()));
        let is_number = row.iter().all(|weight| !weight.is_nan());
        let scale = if is_number { largest.max(1e-12) / 127.0 } else { f32::NAN };
        self.integers.extend(row.iter().map(|weight| (weight / scale).round() as i8));
        self.scales.push(scale);
    }
}

fn one_of<T: Copy + Default>(values: &[T], output: usize) -> T {
    match values {
        [value] => *value,
        values => values.get(output).copied().unwrap_or_default(),
    }
}

pub(crate) fn not_a_matrix(shape: &[usize]) -> WeightsError {
    WeightsError::damaged(format!("a tensor of the shape {shape:?} is not the matrix of a product"))
}

#[cfg(test)]
mod tests;
