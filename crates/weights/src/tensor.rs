//! One tensor of a file: sizes, type of numbers, and its bytes in the file.

use crate::bytes::FileBytes;
use crate::element::ElementType;
use crate::error::WeightsError;

/// A tensor whose bytes are known to be as many as its shape needs.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    pub(crate) element: ElementType,
    pub(crate) bytes: FileBytes,
}

impl Tensor {
    /// Fails if the bytes are not as many as the shape needs.
    pub(crate) fn new(
        shape: Vec<usize>,
        element: ElementType,
        bytes: FileBytes,
    ) -> Result<Self, WeightsError> {
        let needed = bytes_of(&shape, element);
        if needed != Some(bytes.len()) {
            let found = bytes.len();
            let needed = needed.map_or_else(|| "more".to_owned(), |needed| needed.to_string());
            return Err(WeightsError::damaged(format!(
                "a tensor of the shape {shape:?} needs {needed} bytes and has {found}"
            )));
        }
        Ok(Self { shape, element, bytes })
    }

    /// Numbers in the tensor. There are bytes for all of them, so that the product fits.
    pub(crate) fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// All numbers as floats.
    pub(crate) fn floats(&self) -> Vec<f32> {
        let mut floats = vec![0.0; self.count()];
        self.element.decode(self.bytes.as_ref(), &mut floats);
        self.bytes.release();
        floats
    }
}

/// The bytes that a tensor needs. Nothing if no memory is that large.
pub(crate) fn bytes_of(shape: &[usize], element: ElementType) -> Option<usize> {
    // A row consists of whole blocks, so that rows can be read one by one.
    let row = element.bytes(shape.last().copied().unwrap_or(1))?;
    let rows = shape.iter().rev().skip(1).try_fold(1usize, |rows, size| rows.checked_mul(*size))?;
    // No product of some of the sizes may overflow either, not even beside a size of zero.
    shape.iter().try_fold(1usize, |count, size| count.checked_mul((*size).max(1)))?;
    row.checked_mul(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_has_exactly_the_bytes_of_its_shape() {
        let tensor = |shape: &[usize], bytes: usize| {
            Tensor::new(shape.to_vec(), ElementType::F32, FileBytes::from_memory(vec![0; bytes]))
        };
        assert_eq!(tensor(&[2, 3], 24).unwrap().floats(), [0.0; 6]);
        assert_eq!(tensor(&[], 4).unwrap().count(), 1);
        assert_eq!(tensor(&[0, 5], 0).unwrap().count(), 0);
        for (shape, bytes) in
            [(&[2, 3][..], 23), (&[2, 3], 25), (&[usize::MAX, 2], 8), (&[0, 1 << 40, 1 << 40], 0)]
        {
            let error = tensor(shape, bytes).unwrap_err().to_string();
            assert!(error.contains("needs"), "{error}");
        }
    }
}
