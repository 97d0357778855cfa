//! Reads the numbers and the tensors of the file one after the other.

use crate::bytes::FileBytes;
use crate::element::ElementType;
use crate::error::WeightsError;
use crate::tensor::{Tensor, bytes_of};

const MAX_DIMENSIONS: u32 = 4;

pub(super) struct Reader<'a> {
    file: &'a FileBytes,
    position: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a FileBytes) -> Self {
        Self { file, position: 0 }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.position >= self.file.len()
    }

    pub(super) fn take(&mut self, count: usize) -> Result<FileBytes, WeightsError> {
        let end = self.position.checked_add(count);
        let taken = end.and_then(|end| self.file.slice(self.position..end));
        let too_early = || WeightsError::ends_too_early(count as u64, self.position, self.file.len());
        let taken = taken.ok_or_else(too_early)?;
        self.position += count;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<u32, WeightsError> {
        let four = self.take(4)?;
        Ok(four.as_ref().first_chunk().map_or(0, |four| u32::from_le_bytes(*four)))
    }

    /// A number that counts something or is a size. The format has signed numbers; negative ones are refused.
    pub(super) fn size(&mut self, what: &str) -> Result<usize, WeightsError> {
        let number = self.number()?;
        i32::try_from(number)
            .map(|size| size as usize)
            .map_err(|_| WeightsError::damaged(format!("the {what} is {}, which is negative", number as i32)))
    }

    /// Name and content of the tensor at this position.
    pub(super) fn tensor(&mut self) -> Result<(String, Tensor), WeightsError> {
        let dimensions = self.number()?;
        let name_length = self.size("length of a name")?;
        let kind = self.number()?;
        if dimensions > MAX_DIMENSIONS {
            return Err(WeightsError::damaged(format!("a tensor has {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            shape.push(self.size("size of a tensor")?);
        }
        // The innermost size comes first in the file.
        shape.reverse();
        let name = String::from_utf8_lossy(self.take(name_length)?.as_ref()).into_owned();
        let element = ElementType::from_ggml(kind).map_err(|error| error.of_tensor(&name))?;
        let length = bytes_of(&shape, element);
        let length = length.ok_or_else(|| {
            WeightsError::damaged(format!("the tensor `{name}` cannot have the shape {shape:?}"))
        })?;
        let bytes = self.take(length).map_err(|error| error.of_tensor(&name))?;
        let tensor = Tensor::new(shape, element, bytes)?;
        Ok((name, tensor))
    }
}
