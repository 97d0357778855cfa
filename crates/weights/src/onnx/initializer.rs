//! A tensor of an ONNX file (`TensorProto`): its shape and type, and where its numbers are.

use std::ops::Range;

use crate::bytes::FileBytes;
use crate::element::ElementType;
use crate::error::WeightsError;
use crate::onnx::protobuf::{Fields, Wire, numbers};
use crate::tensor::Tensor;

// Field numbers of onnx.proto.
const DIMENSIONS: u64 = 1;
const DATA_TYPE: u64 = 2;
const FLOAT_DATA: u64 = 4;
const INT32_DATA: u64 = 5;
const INT64_DATA: u64 = 7;
const NAME: u64 = 8;
const RAW_DATA: u64 = 9;
const DOUBLE_DATA: u64 = 10;
const DATA_LOCATION: u64 = 14;

const MAX_RANK: usize = 16;
/// Bytes of a number in a packed list.
const LONGEST_VARINT: usize = 10;

/// A tensor that was found in the file. Its numbers are read when somebody asks for them.
#[derive(Debug, Clone)]
pub(super) struct Initializer {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    data_type: u64,
    is_external: bool,
    message: Range<usize>,
}

impl Initializer {
    pub(super) fn read(file: &[u8], message: Range<usize>) -> Result<Self, WeightsError> {
        let mut found =
            Self { name: String::new(), shape: Vec::new(), data_type: 0, is_external: false, message };
        for field in Fields::new(file, found.message.clone()) {
            let field = field?;
            match (field.number, &field.value) {
                (DIMENSIONS, value) => found.read_sizes(file, value)?,
                (DATA_TYPE, Wire::Varint(number)) => found.data_type = *number,
                (NAME, Wire::Bytes(range)) => found.name = text(file, range),
                (DATA_LOCATION, Wire::Varint(number)) => found.is_external = *number != 0,
                _ => {}
            }
        }
        Ok(found)
    }

    /// Adds sizes to the shape. Refuses too many of them before they take memory.
    fn read_sizes(&mut self, file: &[u8], value: &Wire) -> Result<(), WeightsError> {
        let is_long = matches!(value, Wire::Bytes(range) if range.len() > MAX_RANK * LONGEST_VARINT);
        let sizes = if is_long { Vec::new() } else { numbers(file, value)? };
        if is_long || self.shape.len() + sizes.len() > MAX_RANK {
            let what = format!("the tensor `{}` has more than {MAX_RANK} dimensions", self.name);
            return Err(WeightsError::damaged(what));
        }
        for size in sizes {
            self.shape.push(usize::try_from(size as i64).map_err(|_| negative(&self.name))?);
        }
        Ok(())
    }

    /// The tensor with its numbers: a part of the file, unless the exporter wrote them one by one.
    pub(super) fn tensor(&self, file: &FileBytes) -> Result<Tensor, WeightsError> {
        let element = self.element()?;
        if self.is_external {
            let what =
                format!("the tensor `{}` is in a separate file; export the model as one file", self.name);
            return Err(WeightsError::unsupported(what));
        }
        let bytes = self.content(file, element)?;
        Tensor::new(self.shape.clone(), element, bytes).map_err(|error| error.of_tensor(&self.name))
    }

    fn element(&self) -> Result<ElementType, WeightsError> {
        Ok(match self.data_type {
            1 => ElementType::F32,
            // 9 is a truth value, in a byte.
            2 | 9 => ElementType::U8,
            3 => ElementType::I8,
            4 => ElementType::U16,
            5 => ElementType::I16,
            6 => ElementType::I32,
            7 => ElementType::I64,
            10 => ElementType::F16,
            11 => ElementType::F64,
            16 => ElementType::Bf16,
            other => {
                let what = format!("the tensor `{}` has the ONNX data type {other}", self.name);
                return Err(WeightsError::unsupported(what));
            }
        })
    }

    /// The numbers, as `raw_data` or in the field of their type.
    fn content(&self, file: &FileBytes, element: ElementType) -> Result<FileBytes, WeightsError> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut written = Vec::new();
        for field in Fields::new(file.as_ref(), self.message.clone()) {
            let field = field?;
            match (field.number, &field.value) {
                (RAW_DATA | FLOAT_DATA | DOUBLE_DATA, Wire::Bytes(range) | Wire::Fixed(range)) => {
                    parts.push(range.clone());
                }
                (INT32_DATA | INT64_DATA, value) => {
                    for number in numbers(file.as_ref(), value)? {
                        let size = element.bytes(1).unwrap_or(1);
                        written.extend_from_slice(&number.to_le_bytes()[..size]);
                    }
                }
                _ => {}
            }
        }
        match &parts[..] {
            [] => Ok(FileBytes::from_memory(written)),
            [one] => file.slice(one.clone()).ok_or_else(|| WeightsError::damaged("a tensor is truncated")),
            several => {
                let parts =
                    several.iter().flat_map(|part| file.as_ref().get(part.clone()).unwrap_or_default());
                Ok(FileBytes::from_memory(parts.copied().collect::<Vec<u8>>()))
            }
        }
    }
}

/// The text in a part of the file. What is not UTF-8 is replaced: names are only compared.
pub(super) fn text(file: &[u8], range: &Range<usize>) -> String {
    String::from_utf8_lossy(file.get(range.clone()).unwrap_or_default()).into_owned()
}

fn negative(name: &str) -> WeightsError {
    WeightsError::damaged(format!("a size of the tensor `{name}` is negative"))
}
