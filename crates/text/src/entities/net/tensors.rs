//! The tensors of a thinc model file, by the index of their node.

use std::collections::HashMap;

use auris_weights::WeightsError;

use super::msgpack::{Reader, damaged};

/// The nodes of a model: their names, and the tensors that they have.
pub(super) struct ModelNodes<'a> {
    names: Vec<&'a str>,
    params: Vec<HashMap<&'a str, Tensor<'a>>>,
}

/// A tensor of floats in the file.
#[derive(Debug, Clone)]
pub(super) struct Tensor<'a> {
    shape: Vec<usize>,
    bytes: &'a [u8],
}

impl<'a> ModelNodes<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, WeightsError> {
        let mut reader = Reader::new(bytes);
        let mut nodes = Self { names: Vec::new(), params: Vec::new() };
        for _ in 0..reader.map()? {
            match reader.text()? {
                "nodes" => {
                    for _ in 0..reader.array()? {
                        nodes.names.push(read_name(&mut reader)?);
                    }
                }
                "params" => {
                    for _ in 0..reader.array()? {
                        nodes.params.push(read_params(&mut reader)?);
                    }
                }
                _ => reader.skip()?,
            }
        }
        if nodes.names.len() == nodes.params.len() {
            Ok(nodes)
        } else {
            Err(damaged("the nodes of the model and their tensors are not equally many"))
        }
    }

    /// The floats of a tensor of the `nth` node with this name. Fails if the shape is another one.
    pub(super) fn floats(
        &self,
        node: (&str, usize),
        name: &str,
        shape: &[usize],
    ) -> Result<Vec<f32>, WeightsError> {
        let (node, nth) = node;
        let mut places = self.names.iter().zip(&self.params).filter(|(found, _)| **found == node);
        let tensor = places.nth(nth).and_then(|(_, params)| params.get(name));
        let missing = || WeightsError::Missing { name: format!("{node} {nth} {name}") };
        let tensor = tensor.ok_or_else(missing)?;
        if tensor.shape != shape {
            let what = format!("`{node} {nth} {name}` has the shape {:?}, not {shape:?}", tensor.shape);
            return Err(damaged(what));
        }
        Ok(tensor.floats())
    }
}

impl Tensor<'_> {
    fn floats(&self) -> Vec<f32> {
        floats_of(self.bytes)
    }
}

/// Little-endian floats.
pub(super) fn floats_of(bytes: &[u8]) -> Vec<f32> {
    let (floats, _) = bytes.as_chunks::<4>();
    floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// The name of a node, whose other fields are not needed.
fn read_name<'a>(reader: &mut Reader<'a>) -> Result<&'a str, WeightsError> {
    let mut name = None;
    for _ in 0..reader.map()? {
        match reader.text()? {
            "name" => name = Some(reader.text()?),
            _ => reader.skip()?,
        }
    }
    name.ok_or_else(|| damaged("a node of the model has no name"))
}

fn read_params<'a>(reader: &mut Reader<'a>) -> Result<HashMap<&'a str, Tensor<'a>>, WeightsError> {
    let mut params = HashMap::new();
    for _ in 0..reader.map()? {
        let name = reader.text()?;
        if !reader.nil() {
            params.insert(name, read_tensor(reader)?);
        }
    }
    Ok(params)
}

/// An array as `msgpack_numpy` writes it.
fn read_tensor<'a>(reader: &mut Reader<'a>) -> Result<Tensor<'a>, WeightsError> {
    let mut tensor = Tensor { shape: Vec::new(), bytes: &[] };
    for _ in 0..reader.map()? {
        match reader.text()? {
            "type" => {
                let kind = reader.text()?;
                if kind != "<f4" {
                    return Err(WeightsError::Unsupported { what: format!("numbers of the type `{kind}`") });
                }
            }
            "shape" => {
                for _ in 0..reader.array()? {
                    tensor.shape.push(reader.unsigned()? as usize);
                }
            }
            "data" => tensor.bytes = reader.bytes()?,
            _ => reader.skip()?,
        }
    }
    let count = tensor.shape.iter().try_fold(4_usize, |count, size| count.checked_mul(*size));
    if count == Some(tensor.bytes.len()) {
        Ok(tensor)
    } else {
        Err(damaged("the size of a tensor is not that of its shape"))
    }
}
