//! The messages of ONNX, as far as they are looked at.

use super::protobuf::{Field, Wire, parse, write};

pub(super) const MODEL_GRAPH: u32 = 7;
pub(super) const GRAPH: u32 = MODEL_GRAPH;
pub(super) const GRAPH_NODE: u32 = 1;
pub(super) const GRAPH_INITIALIZER: u32 = 5;
pub(super) const NODE_INPUT: u32 = 1;
pub(super) const NODE_OUTPUT: u32 = 2;
pub(super) const NODE_TYPE: u32 = 4;
pub(super) const NODE_ATTRIBUTE: u32 = 5;
pub(super) const ATTRIBUTE_NAME: u32 = 1;
pub(super) const ATTRIBUTE_INTEGER: u32 = 3;
pub(super) const ATTRIBUTE_GRAPH: u32 = 6;
pub(super) const ATTRIBUTE_TYPE: u32 = 20;
const TENSOR_DIMENSION: u32 = 1;
const TENSOR_TYPE: u32 = 2;
const TENSOR_SMALL_INTEGERS: u32 = 5;
const TENSOR_NAME: u32 = 8;
const TENSOR_RAW: u32 = 9;

pub(super) const FLOAT: u64 = 1;
pub(super) const UINT8: u64 = 2;
pub(super) const INT8: u64 = 3;
const INTEGER_ATTRIBUTE: u64 = 2;

/// A node as far as it matters here.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: String,
    pub(super) inputs: Vec<String>,
    pub(super) output: String,
}

/// Reads a node; `None` where the field is something else.
pub(super) fn node(field: &Field<'_>) -> Option<Node> {
    let fields = parse(field.content(GRAPH_NODE)?)?;
    let texts = |number: u32| fields.iter().filter_map(move |field| field.text(number)).map(str::to_owned);
    let inputs = texts(NODE_INPUT).collect();
    let (kind, output) = (texts(NODE_TYPE).next()?, texts(NODE_OUTPUT).next()?);
    Some(Node { kind, inputs, output })
}

/// Makes a node.
pub(super) fn made(
    kind: &str,
    inputs: &[&str],
    outputs: &[&str],
    attribute: Option<Vec<u8>>,
) -> Field<'static> {
    let text = |number: u32, text: &str| Field::bytes(number, text.as_bytes().to_vec());
    let mut fields: Vec<Field<'static>> = inputs.iter().map(|input| text(NODE_INPUT, input)).collect();
    fields.extend(outputs.iter().map(|output| text(NODE_OUTPUT, output)));
    fields.push(text(NODE_TYPE, kind));
    fields.extend(attribute.map(|attribute| Field::bytes(NODE_ATTRIBUTE, attribute)));
    Field::bytes(GRAPH_NODE, write(&fields))
}

/// An attribute with a number.
pub(super) fn integer_attribute(name: &str, value: u64) -> Vec<u8> {
    write(&[
        Field::bytes(ATTRIBUTE_NAME, name.as_bytes()),
        Field::number(ATTRIBUTE_INTEGER, value),
        Field::number(ATTRIBUTE_TYPE, INTEGER_ATTRIBUTE),
    ])
}

/// The graphs inside a node: the branches of an `If`.
pub(super) fn branches(field: &Field<'_>) -> Vec<Vec<u8>> {
    let attributes = field.content(GRAPH_NODE).and_then(parse).unwrap_or_default();
    let graph = |attribute: &Field<'_>| {
        let fields = parse(attribute.content(NODE_ATTRIBUTE)?)?;
        fields.iter().find_map(|field| field.content(ATTRIBUTE_GRAPH)).map(<[u8]>::to_vec)
    };
    attributes.iter().filter_map(graph).collect()
}

/// A table of bytes, signed or not.
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) kind: u64,
    pub(super) dimensions: Vec<u64>,
    pub(super) bytes: Vec<u8>,
}

impl Tensor {
    /// The name of an initializer, without reading the rest.
    pub(super) fn name_of(field: &Field<'_>) -> Option<String> {
        let fields = parse(field.content(GRAPH_INITIALIZER)?)?;
        fields.iter().find_map(|field| field.text(TENSOR_NAME).map(str::to_owned))
    }

    pub(super) fn read(field: &Field<'_>) -> Option<Self> {
        let fields = parse(field.content(GRAPH_INITIALIZER)?)?;
        let numbers =
            |number: u32| fields.iter().filter(move |field| field.number == number).flat_map(numbers);
        let name = fields.iter().find_map(|field| field.text(TENSOR_NAME))?.to_owned();
        let kind = numbers(TENSOR_TYPE).next()?;
        let raw = fields.iter().find_map(|field| field.content(TENSOR_RAW)).map(<[u8]>::to_vec);
        let bytes = raw.unwrap_or_else(|| numbers(TENSOR_SMALL_INTEGERS).map(|value| value as u8).collect());
        Some(Self { name, kind, dimensions: numbers(TENSOR_DIMENSION).collect(), bytes })
    }

    pub(super) fn write(&self) -> Field<'static> {
        let mut fields: Vec<Field<'_>> =
            self.dimensions.iter().map(|size| Field::number(TENSOR_DIMENSION, *size)).collect();
        fields.push(Field::number(TENSOR_TYPE, self.kind));
        fields.push(Field::bytes(TENSOR_NAME, self.name.as_bytes()));
        fields.push(Field::bytes(TENSOR_RAW, self.bytes.as_slice()));
        Field::bytes(GRAPH_INITIALIZER, write(&fields))
    }

    /// The same numbers, 128 less each, so that they fit a signed byte.
    pub(super) fn signed(mut self) -> Self {
        self.bytes.iter_mut().for_each(|byte| *byte ^= 0x80);
        self.kind = INT8;
        self
    }
}

/// The numbers of a field, which may be packed.
fn numbers(field: &Field<'_>) -> Vec<u64> {
    match &field.value {
        Wire::Varint(value) => vec![*value],
        Wire::Bytes(packed) => unpack(packed),
        Wire::Fixed32(_) | Wire::Fixed64(_) => vec![],
    }
}

fn unpack(packed: &[u8]) -> Vec<u64> {
    let mut values = Vec::new();
    let (mut value, mut shift) = (0u64, 0);
    for byte in packed {
        value |= u64::from(byte & 0x7F) << shift.min(63);
        shift += 7;
        if byte & 0x80 == 0 {
            values.push(value);
            (value, shift) = (0, 0);
        }
    }
    values
}
