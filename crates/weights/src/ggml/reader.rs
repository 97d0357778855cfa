//! Reads the numbers and the tensors of the file one after the other.

use crate::blocks::BlockType;
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
        let taken = taken.ok_or_else(|| {
            let (at, length) = (self.position, self.file.len());
            WeightsError::damaged(format!(
                "it ends too early: {count} bytes at {at} are needed, it has {length}"
            ))
        })?;
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
        let element = element(kind).map_err(|error| error.of_tensor(&name))?;
        let length = bytes_of(&shape, element);
        let length = length.ok_or_else(|| {
            WeightsError::damaged(format!("the tensor `{name}` cannot have the shape {shape:?}"))
        })?;
        let bytes = self.take(length).map_err(|error| error.of_tensor(&name))?;
        let tensor = Tensor::new(shape, element, bytes)?;
        Ok((name, tensor))
    }
}

/// The numbers of ggml.h.
fn element(kind: u32) -> Result<ElementType, WeightsError> {
    Ok(match kind {
        0 => ElementType::F32,
        1 => ElementType::F16,
        2 => ElementType::Blocks(BlockType::Q4_0),
        3 => ElementType::Blocks(BlockType::Q4_1),
        6 => ElementType::Blocks(BlockType::Q5_0),
        7 => ElementType::Blocks(BlockType::Q5_1),
        8 => ElementType::Blocks(BlockType::Q8_0),
        10 => ElementType::Blocks(BlockType::Q2K),
        11 => ElementType::Blocks(BlockType::Q3K),
        12 => ElementType::Blocks(BlockType::Q4K),
        13 => ElementType::Blocks(BlockType::Q5K),
        14 => ElementType::Blocks(BlockType::Q6K),
        30 => ElementType::Bf16,
        other => {
            let what = format!(
                "its GGML type is {other}; use f32, f16, bf16, q4_0, q4_1, q5_0, q5_1, q8_0 or q2_K to q6_K"
            );
            return Err(WeightsError::unsupported(what));
        }
    })
}
