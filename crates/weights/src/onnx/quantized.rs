//! Weights that an exporter stored as bytes: `NAME_quantized` with `NAME_scale` and `NAME_zero_point`.

use crate::error::WeightsError;
use crate::matrix::Matrix;
use crate::tensor::Tensor;

/// A tensor of bytes with their meaning.
#[derive(Debug)]
pub(super) struct QuantizedTensor {
    tensor: Tensor,
    scales: Vec<f32>,
    zero: Zero,
}

/// The two ways to quantize that are in use.
#[derive(Debug)]
enum Zero {
    /// (number − zero point) × scale: what ONNX's own operators do.
    Points(Vec<i32>),
    /// number × scale + zero: Moonshine's convolutions, where the graph adds it.
    Shift(f32),
}

impl QuantizedTensor {
    pub(super) fn new(tensor: Tensor, scale: &Tensor, zero: Option<&Tensor>) -> Result<Self, WeightsError> {
        if !tensor.element.is_byte() {
            return Err(WeightsError::damaged("quantized weights are not bytes"));
        }
        let zero = match zero {
            None => Zero::Points(vec![0]),
            Some(zero) if zero.element.is_byte() => {
                Zero::Points(zero.floats().iter().map(|zero| *zero as i32).collect())
            }
            Some(zero) => Zero::Shift(the_only(&zero.floats())?),
        };
        let found = Self { tensor, scales: scale.floats(), zero };
        found.check()?;
        Ok(found)
    }

    fn check(&self) -> Result<(), WeightsError> {
        let rows = self.tensor.shape.first().copied().unwrap_or(1);
        let columns = self.tensor.shape.last().copied().unwrap_or(1);
        let fits = |length: usize| length == 1 || length == rows || length == columns;
        let zeros = match &self.zero {
            Zero::Points(points) => points.len(),
            Zero::Shift(_) => 1,
        };
        if fits(self.scales.len()) && fits(zeros) && self.scales.iter().all(|scale| scale.is_finite()) {
            return Ok(());
        }
        let what = format!("quantized weights of the shape {:?} have wrong scales", self.tensor.shape);
        Err(WeightsError::damaged(what))
    }

    /// The weights of a product, which lie input by input or output by output.
    pub(super) fn matrix(self, is_columns: bool) -> Result<Matrix, WeightsError> {
        let matrix =
            if is_columns { Matrix::from_columns(self.tensor)? } else { Matrix::from_rows(self.tensor)? };
        match self.zero {
            Zero::Points(points) => matrix.with_zero_points(points, self.scales),
            Zero::Shift(shift) => Ok(matrix.with_shift(the_only(&self.scales)?, shift)),
        }
    }

    /// All weights as floats in the order of the file, for what is not a product.
    pub(super) fn floats(&self) -> Result<Vec<f32>, WeightsError> {
        let (zero, shift) = match &self.zero {
            Zero::Points(points) => (the_only(points)? as f32, 0.0),
            Zero::Shift(shift) => (0.0, *shift),
        };
        let scale = the_only(&self.scales)?;
        let mut floats = self.tensor.floats();
        floats.iter_mut().for_each(|float| *float = (*float - zero) * scale + shift);
        Ok(floats)
    }
}

/// The scale or zero point of a tensor that has one for all of its numbers.
fn the_only<T: Copy>(values: &[T]) -> Result<T, WeightsError> {
    match values {
        [value] => Ok(*value),
        _ => {
            let what = format!("quantized weights with {} scales or zero points in this place", values.len());
            Err(WeightsError::unsupported(what))
        }
    }
}
