//! The values of the metadata: numbers, flags, texts and lists of them.

use std::collections::HashMap;
use std::ops::Range;

use crate::error::WeightsError;
use crate::gguf::reader::Reader;

/// Maximum number of keys. Published models have less than a hundred; an entry takes more memory than its bytes in a
/// hostile file.
const MAX_KEYS: u64 = 1 << 16;
/// Maximum items of a list. The largest published vocabularies have some hundred thousand tokens and merges; a list
/// that is returned takes more memory than its bytes in a hostile file.
const MAX_ITEMS: u64 = 1 << 22;

/// A value. Lists stay in the file, because a vocabulary is long and read only once.
#[derive(Debug)]
pub(super) enum Value {
    /// Of any integer type of the format.
    Integer(i128),
    Float(f32),
    Flag(bool),
    Text(String),
    Numbers {
        kind: NumberType,
        /// In the file: whole numbers without gaps.
        place: Range<usize>,
    },
    Texts {
        /// In the file: lengths and texts.
        place: Range<usize>,
    },
}

/// The types of a fixed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    U64,
    I64,
    F64,
}

/// A type by its number in the format.
enum ValueType {
    Number(NumberType),
    Text,
    List,
}

/// Reads this many keys and values. A key that occurs twice is refused.
pub(super) fn read_values(
    reader: &mut Reader<'_>,
    count: u64,
) -> Result<HashMap<String, Value>, WeightsError> {
    if count > MAX_KEYS {
        return Err(WeightsError::damaged(format!("it has {count} keys; the maximum is {MAX_KEYS}")));
    }
    // Not reserved at once: the file may be shorter than its numbers claim.
    let mut values = HashMap::new();
    for _ in 0..count {
        let key = reader.name()?;
        let value = Value::read(reader).map_err(|error| error.with_place(&format!("key `{key}`")))?;
        if values.insert(key.clone(), value).is_some() {
            return Err(WeightsError::damaged(format!("it has two values with the key `{key}`")));
        }
    }
    Ok(values)
}

impl Value {
    fn read(reader: &mut Reader<'_>) -> Result<Self, WeightsError> {
        match ValueType::read(reader)? {
            ValueType::Number(kind) => {
                let value = kind.value(reader.take(kind.bytes())?);
                value.ok_or_else(|| WeightsError::damaged("it is a flag that is neither 0 nor 1"))
            }
            ValueType::Text => Ok(Self::Text(String::from_utf8_lossy(reader.text()?).into_owned())),
            ValueType::List => Self::read_list(reader),
        }
    }

    fn read_list(reader: &mut Reader<'_>) -> Result<Self, WeightsError> {
        let item = ValueType::read(reader)?;
        let count = reader.u64()?;
        if count > MAX_ITEMS {
            return Err(WeightsError::damaged(format!("it has {count} items; the maximum is {MAX_ITEMS}")));
        }
        let start = reader.position();
        match item {
            ValueType::Number(kind) => {
                reader.take(count * kind.bytes())?;
                Ok(Self::Numbers { kind, place: start..reader.position() })
            }
            ValueType::Text => {
                for _ in 0..count {
                    reader.text()?;
                }
                Ok(Self::Texts { place: start..reader.position() })
            }
            // No published model has them, and a hostile file could nest them without end.
            ValueType::List => Err(WeightsError::unsupported("it is a list of lists")),
        }
    }
}

impl ValueType {
    fn read(reader: &mut Reader<'_>) -> Result<Self, WeightsError> {
        Ok(Self::Number(match reader.u32()? {
            0 => NumberType::U8,
            1 => NumberType::I8,
            2 => NumberType::U16,
            3 => NumberType::I16,
            4 => NumberType::U32,
            5 => NumberType::I32,
            6 => NumberType::F32,
            7 => NumberType::Bool,
            8 => return Ok(Self::Text),
            9 => return Ok(Self::List),
            10 => NumberType::U64,
            11 => NumberType::I64,
            12 => NumberType::F64,
            other => return Err(WeightsError::damaged(format!("its type is {other}, which does not exist"))),
        }))
    }
}

impl NumberType {
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// The number at the start of the bytes. Nothing if there are too few, or if a flag is neither 0 nor 1.
    pub(super) fn value(self, bytes: &[u8]) -> Option<Value> {
        Some(match self {
            Self::U8 => Value::Integer(u8::from_le_bytes(*bytes.first_chunk()?).into()),
            Self::I8 => Value::Integer(i8::from_le_bytes(*bytes.first_chunk()?).into()),
            Self::U16 => Value::Integer(u16::from_le_bytes(*bytes.first_chunk()?).into()),
            Self::I16 => Value::Integer(i16::from_le_bytes(*bytes.first_chunk()?).into()),
            Self::U32 => Value::Integer(u32::from_le_bytes(*bytes.first_chunk()?).into()),
            Self::I32 => Value::Integer(i32::from_le_bytes(*bytes.first_chunk()?).into()),
            Self::U64 => Value::Integer(u64::from_le_bytes(*bytes.first_chunk()?).into()),
            Self::I64 => Value::Integer(i64::from_le_bytes(*bytes.first_chunk()?).into()),
            Self::F32 => Value::Float(f32::from_le_bytes(*bytes.first_chunk()?)),
            Self::F64 => Value::Float(f64::from_le_bytes(*bytes.first_chunk()?) as f32),
            Self::Bool => match bytes.first()? {
                0 => Value::Flag(false),
                1 => Value::Flag(true),
                _ => return None,
            },
        })
    }
}
