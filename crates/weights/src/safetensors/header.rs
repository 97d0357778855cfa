//! The JSON at the start of a safetensors file: name, type, shape and position of every tensor.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use crate::element::ElementType;
use crate::error::WeightsError;

/// The format's own limit.
const MAX_HEADER: usize = 100_000_000;
/// The part of the header that describes the file for humans.
const METADATA: &str = "__metadata__";

/// What the header says of a tensor.
#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    dtype: String,
    pub(super) shape: Vec<usize>,
    /// Start and end, counted from the end of the header.
    pub(super) data_offsets: [usize; 2],
}

impl Entry {
    pub(super) fn element(&self) -> Result<ElementType, WeightsError> {
        Ok(match self.dtype.as_str() {
            "F64" => ElementType::F64,
            "F32" => ElementType::F32,
            "F16" => ElementType::F16,
            "BF16" => ElementType::Bf16,
            "I64" => ElementType::I64,
            "I32" => ElementType::I32,
            "I16" => ElementType::I16,
            "U16" => ElementType::U16,
            "I8" => ElementType::I8,
            "U8" | "BOOL" => ElementType::U8,
            other => {
                let what = format!("its type is `{other}`; use F32, F16 or BF16");
                return Err(WeightsError::unsupported(what));
            }
        })
    }
}

/// The entries of a file, and where its data starts.
pub(super) fn read_header(file: &[u8]) -> Result<(HashMap<String, Entry>, usize), WeightsError> {
    let length = file.first_chunk().map(|eight| u64::from_le_bytes(*eight));
    let length = length.ok_or_else(|| WeightsError::damaged("it is shorter than eight bytes"))?;
    let header = usize::try_from(length)
        .ok()
        .filter(|length| *length <= MAX_HEADER)
        .and_then(|length| file.get(8..8 + length))
        .ok_or_else(|| {
            WeightsError::damaged(format!("its header of {length} bytes does not fit into {}", file.len()))
        })?;
    let entries: Entries = serde_json::from_slice(header)
        .map_err(|error| WeightsError::damaged(format!("its header cannot be read: {error}")))?;
    Ok((entries.0, 8 + header.len()))
}

/// The header as a map without duplicates.
struct Entries(HashMap<String, Entry>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object with an entry for each tensor")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
        let mut entries = HashMap::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == METADATA {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            if entries.contains_key(&name) {
                return Err(A::Error::custom(format!("the tensor `{name}` is listed twice")));
            }
            entries.insert(name, map.next_value()?);
        }
        Ok(Entries(entries))
    }
}
