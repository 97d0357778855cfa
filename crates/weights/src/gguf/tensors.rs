//! The tensors of the file: their descriptions, and their places in the data section.

use std::collections::HashMap;
use std::ops::Range;

use crate::bytes::FileBytes;
use crate::element::ElementType;
use crate::error::WeightsError;
use crate::gguf::reader::Reader;
use crate::tensor::{Tensor, bytes_of};

/// Maximum number of tensors. Published models have some hundred to some thousand; an entry takes more memory than its
/// bytes in a hostile file.
const MAX_TENSORS: u64 = 1 << 16;
const MAX_DIMENSIONS: u32 = 4;

/// What the file says about a tensor.
pub(super) struct Description {
    name: String,
    /// Outermost size first.
    shape: Vec<usize>,
    element: ElementType,
    /// From the start of the data section.
    offset: u64,
}

/// Reads this many descriptions.
pub(super) fn read_descriptions(
    reader: &mut Reader<'_>,
    count: u64,
) -> Result<Vec<Description>, WeightsError> {
    if count > MAX_TENSORS {
        return Err(WeightsError::damaged(format!("it has {count} tensors; the maximum is {MAX_TENSORS}")));
    }
    // Not reserved at once: the file may be shorter than its numbers claim.
    let mut descriptions = Vec::new();
    for _ in 0..count {
        let name = reader.name()?;
        let description = Description::read(reader, &name).map_err(|error| error.of_tensor(&name))?;
        descriptions.push(description);
    }
    Ok(descriptions)
}

/// Finds the tensors in the data section, which starts at `start`. Fails if one is not inside the file, if two have the
/// same name, or if two share bytes: a small file could otherwise describe more weights than any memory holds.
pub(super) fn place_tensors(
    file: &FileBytes,
    start: usize,
    descriptions: Vec<Description>,
) -> Result<HashMap<String, Tensor>, WeightsError> {
    let mut places = Vec::new();
    let mut tensors = HashMap::new();
    for description in descriptions {
        let name = description.name.clone();
        let (place, tensor) = description.place(file, start).map_err(|error| error.of_tensor(&name))?;
        if tensors.insert(name.clone(), tensor).is_some() {
            return Err(WeightsError::damaged(format!("it has two tensors with the name `{name}`")));
        }
        places.push((place, name));
    }
    check_places(places)?;
    Ok(tensors)
}

fn check_places(mut places: Vec<(Range<usize>, String)>) -> Result<(), WeightsError> {
    places.sort_by_key(|(place, _)| (place.start, place.end));
    let shared = places.windows(2).find(|pair| pair[1].0.start < pair[0].0.end);
    match shared {
        Some(pair) => {
            let first = &pair[0].1;
            let second = &pair[1].1;
            Err(WeightsError::damaged(format!("the tensors `{first}` and `{second}` share bytes")))
        }
        None => Ok(()),
    }
}

impl Description {
    /// Reads what follows the name.
    fn read(reader: &mut Reader<'_>, name: &str) -> Result<Self, WeightsError> {
        let dimensions = reader.u32()?;
        if dimensions > MAX_DIMENSIONS {
            return Err(WeightsError::damaged(format!("it has {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            let size = usize::try_from(reader.u64()?);
            shape.push(size.map_err(|_| WeightsError::damaged("it has a size that no memory holds"))?);
        }
        // The innermost size comes first in the file.
        shape.reverse();
        let element = ElementType::from_ggml(reader.u32()?)?;
        Ok(Self { name: name.to_owned(), shape, element, offset: reader.u64()? })
    }

    fn place(self, file: &FileBytes, start: usize) -> Result<(Range<usize>, Tensor), WeightsError> {
        let Self { shape, element, offset, .. } = self;
        let length = bytes_of(&shape, element)
            .ok_or_else(|| WeightsError::damaged(format!("it cannot have the shape {shape:?}")))?;
        let start = usize::try_from(offset).ok().and_then(|offset| start.checked_add(offset));
        let place = start.and_then(|start| Some(start..start.checked_add(length)?));
        let place = place.and_then(|place| file.slice(place.clone()).map(|bytes| (place, bytes)));
        let (place, bytes) = place.ok_or_else(|| {
            WeightsError::damaged(format!(
                "the file ends too early: {length} bytes at {offset} of its data are needed"
            ))
        })?;
        Ok((place, Tensor::new(shape, element, bytes)?))
    }
}
