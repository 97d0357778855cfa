//! A node of the graph: what it computes, from which values, with which attributes.

use std::ops::Range;

use crate::error::WeightsError;
use crate::onnx::initializer::{Initializer, text};
use crate::onnx::protobuf::{Field, Fields, Wire, numbers};

// Field numbers of onnx.proto.
const NODE_INPUT: u64 = 1;
const NODE_OUTPUT: u64 = 2;
const NODE_NAME: u64 = 3;
const NODE_OPERATOR: u64 = 4;
const NODE_ATTRIBUTE: u64 = 5;
const ATTRIBUTE_NAME: u64 = 1;
const ATTRIBUTE_FLOAT: u64 = 2;
const ATTRIBUTE_INTEGER: u64 = 3;
const ATTRIBUTE_TEXT: u64 = 4;
const ATTRIBUTE_TENSOR: u64 = 5;
const ATTRIBUTE_GRAPH: u64 = 6;
const ATTRIBUTE_FLOATS: u64 = 7;
const ATTRIBUTE_INTEGERS: u64 = 8;
const ATTRIBUTE_TYPE: u64 = 20;

/// Values of a node, and bytes of an attribute with integers. Exports of speech nets have fewer than a hundred.
const MAX_LIST: usize = 1 << 16;

/// A node of an ONNX graph, in the order of the file. Nodes of the branches of an `If` follow the `If`.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The exporter's name, such as `/encoder/layers.0/fc1/MatMul`. It may be empty.
    pub name: String,
    /// The operator, such as `MatMul`.
    pub operator: String,
    /// Names of values. An initializer has the same name as the value; a name that is left out is empty.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    /// Without graphs, which are walked, and without tensors: the value of a `Constant` is an initializer with the name
    /// of the output.
    pub attributes: Vec<(String, Attribute)>,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    Integer(i64),
    Float(f32),
    Text(String),
    Integers(Vec<i64>),
    Floats(Vec<f32>),
}

impl Node {
    /// An integer attribute.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attribute::Integer(integer) => Some(*integer),
            Attribute::Float(_) | Attribute::Text(_) | Attribute::Integers(_) | Attribute::Floats(_) => None,
        }
    }

    /// A float attribute.
    pub fn float(&self, name: &str) -> Option<f32> {
        match self.attribute(name)? {
            Attribute::Float(float) => Some(*float),
            Attribute::Integer(_) | Attribute::Text(_) | Attribute::Integers(_) | Attribute::Floats(_) => {
                None
            }
        }
    }

    /// A list of integers, such as the strides of a convolution.
    pub fn integers(&self, name: &str) -> Option<&[i64]> {
        match self.attribute(name)? {
            Attribute::Integers(integers) => Some(integers),
            Attribute::Integer(_) | Attribute::Float(_) | Attribute::Text(_) | Attribute::Floats(_) => None,
        }
    }

    /// An attribute of whatever kind.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// A node, and what lies inside it.
pub(super) struct NodeParts {
    pub(super) node: Node,
    /// The tensor of a `Constant`.
    pub(super) constant: Option<Initializer>,
    pub(super) graphs: Vec<Range<usize>>,
}

impl NodeParts {
    pub(super) fn read(file: &[u8], message: Range<usize>) -> Result<Self, WeightsError> {
        let node = Node {
            name: String::new(),
            operator: String::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            attributes: Vec::new(),
        };
        let mut parts = Self { node, constant: None, graphs: Vec::new() };
        for field in Fields::new(file, message) {
            let Field { number, value: Wire::Bytes(range) } = field? else { continue };
            match number {
                NODE_INPUT => parts.node.inputs.push(text(file, &range)),
                NODE_OUTPUT => parts.node.outputs.push(text(file, &range)),
                NODE_NAME => parts.node.name = text(file, &range),
                NODE_OPERATOR => parts.node.operator = text(file, &range),
                NODE_ATTRIBUTE => parts.read_attribute(file, range)?,
                _ => {}
            }
            parts.check_size()?;
        }
        parts.name_constant();
        Ok(parts)
    }

    /// Names and attributes take more memory than their two bytes in a hostile file.
    fn check_size(&self) -> Result<(), WeightsError> {
        let Node { name, inputs, outputs, attributes, .. } = &self.node;
        if inputs.len().max(outputs.len()).max(attributes.len()).max(self.graphs.len()) > MAX_LIST {
            return Err(WeightsError::damaged(format!("the node `{name}` has more than {MAX_LIST} values")));
        }
        Ok(())
    }

    fn read_attribute(&mut self, file: &[u8], message: Range<usize>) -> Result<(), WeightsError> {
        let mut name = String::new();
        let mut found = None;
        for field in Fields::new(file, message) {
            let field = field?;
            match (field.number, &field.value) {
                (ATTRIBUTE_NAME, Wire::Bytes(range)) => name = text(file, range),
                (ATTRIBUTE_TENSOR, Wire::Bytes(range)) => {
                    self.constant = Some(Initializer::read(file, range.clone())?);
                }
                (ATTRIBUTE_GRAPH, Wire::Bytes(range)) => self.graphs.push(range.clone()),
                (ATTRIBUTE_FLOAT, Wire::Fixed(range)) => {
                    found = floats(file, range).first().map(|float| Attribute::Float(*float));
                }
                (ATTRIBUTE_INTEGER, Wire::Varint(number)) => found = Some(Attribute::Integer(*number as i64)),
                (ATTRIBUTE_TEXT, Wire::Bytes(range)) => found = Some(Attribute::Text(text(file, range))),
                (ATTRIBUTE_FLOATS, Wire::Fixed(range) | Wire::Bytes(range)) => {
                    found = Some(with_floats(found, floats(file, range)));
                }
                (ATTRIBUTE_INTEGERS, Wire::Bytes(range)) if range.len() > MAX_LIST => {
                    let what = format!("the attribute `{name}` has {} bytes of numbers", range.len());
                    return Err(WeightsError::damaged(what));
                }
                (ATTRIBUTE_INTEGERS, value) => found = Some(with_integers(found, numbers(file, value)?)),
                // Some writers leave zeros out.
                (ATTRIBUTE_TYPE, Wire::Varint(1)) => found = found.or(Some(Attribute::Float(0.0))),
                (ATTRIBUTE_TYPE, Wire::Varint(2)) => found = found.or(Some(Attribute::Integer(0))),
                _ => {}
            }
        }
        self.node.attributes.extend(found.map(|value| (name, value)));
        Ok(())
    }

    /// The tensor of a `Constant` has the name of the output. Tensors of other nodes are not weights.
    fn name_constant(&mut self) {
        if self.node.operator != "Constant" {
            self.constant = None;
        }
        if let (Some(constant), Some(output)) = (&mut self.constant, self.node.outputs.first()) {
            constant.name.clone_from(output);
        }
    }
}

fn floats(file: &[u8], range: &Range<usize>) -> Vec<f32> {
    let (chunks, _) = file.get(range.clone()).unwrap_or_default().as_chunks();
    chunks.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

fn with_floats(before: Option<Attribute>, more: Vec<f32>) -> Attribute {
    match before {
        Some(Attribute::Floats(mut floats)) => {
            floats.extend(more);
            Attribute::Floats(floats)
        }
        _ => Attribute::Floats(more),
    }
}

fn with_integers(before: Option<Attribute>, more: Vec<u64>) -> Attribute {
    let more = more.into_iter().map(|number| number as i64);
    match before {
        Some(Attribute::Integers(mut integers)) => {
            integers.extend(more);
            Attribute::Integers(integers)
        }
        _ => Attribute::Integers(more.collect()),
    }
}
