//! The ONNX messages that the graph changes read and write.

use super::protobuf::{Field, Wire, parse, write};

// The names of the cross-attention cache in the published exports.
const AUDIO_PAST: &str = "past_key_values.";
const AUDIO_KEY: &str = ".encoder.key";
const AUDIO_VALUE: &str = ".encoder.value";
// Field numbers of onnx.proto.
pub(super) const MODEL_GRAPH: u32 = 7;
pub(super) const GRAPH: u32 = MODEL_GRAPH;
pub(super) const GRAPH_NODE: u32 = 1;
pub(super) const GRAPH_INITIALIZER: u32 = 5;
pub(super) const GRAPH_INPUT: u32 = 11;
const VALUE_NAME: u32 = 1;
const VALUE_TYPE: u32 = 2;
const TYPE_TENSOR: u32 = 1;
const TENSOR_SHAPE: u32 = 2;
pub(super) const NODE_INPUT: u32 = 1;
pub(super) const NODE_OUTPUT: u32 = 2;
pub(super) const NODE_TYPE: u32 = 4;
pub(super) const NODE_ATTRIBUTE: u32 = 5;
const ATTRIBUTE_NAME: u32 = 1;
const ATTRIBUTE_FLOAT: u32 = 2;
pub(super) const ATTRIBUTE_GRAPH: u32 = 6;
const ATTRIBUTE_TYPE: u32 = 20;
const TENSOR_DIMENSION: u32 = 1;
const TENSOR_TYPE: u32 = 2;
const TENSOR_FLOATS: u32 = 4;
const TENSOR_SMALL_INTEGERS: u32 = 5;
const TENSOR_NAME: u32 = 8;
const TENSOR_RAW: u32 = 9;

// Data types of onnx.proto.
const FLOAT: u64 = 1;
pub(super) const UINT8: u64 = 2;
pub(super) const INT8: u64 = 3;
const INT64: u64 = 7;
const FLOAT_ATTRIBUTE: u64 = 1;

/// The parts of a node that the changes need.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: String,
    pub(super) inputs: Vec<String>,
    pub(super) output: String,
}

/// Reads a node; `None` if the field is not a node.
pub(super) fn node(field: &Field<'_>) -> Option<Node> {
    let fields = parse(field.content(GRAPH_NODE)?)?;
    let texts = |number: u32| fields.iter().filter_map(move |field| field.text(number)).map(str::to_owned);
    let inputs = texts(NODE_INPUT).collect();
    let kind = texts(NODE_TYPE).next()?;
    let output = texts(NODE_OUTPUT).next()?;
    Some(Node { kind, inputs, output })
}

/// Creates a node.
pub(super) fn made(kind: &str, inputs: &[&str], outputs: &[&str]) -> Field<'static> {
    Field::bytes(GRAPH_NODE, write(&node_fields(kind, inputs, outputs)))
}

/// Creates a node with an attribute.
pub(super) fn made_with(kind: &str, inputs: &[&str], outputs: &[&str], attribute: Vec<u8>) -> Field<'static> {
    let mut fields = node_fields(kind, inputs, outputs);
    fields.push(Field::bytes(NODE_ATTRIBUTE, attribute));
    Field::bytes(GRAPH_NODE, write(&fields))
}

fn node_fields(kind: &str, inputs: &[&str], outputs: &[&str]) -> Vec<Field<'static>> {
    let text = |number: u32, text: &str| Field::bytes(number, text.as_bytes().to_vec());
    let mut fields: Vec<Field<'static>> = inputs.iter().map(|input| text(NODE_INPUT, input)).collect();
    fields.extend(outputs.iter().map(|output| text(NODE_OUTPUT, output)));
    fields.push(text(NODE_TYPE, kind));
    fields
}

/// A float attribute.
pub(super) fn float_attribute(name: &str, value: f32) -> Vec<u8> {
    write(&[
        Field::bytes(ATTRIBUTE_NAME, name.as_bytes()),
        Field { number: ATTRIBUTE_FLOAT, value: Wire::Fixed32(value.to_le_bytes()) },
        Field::number(ATTRIBUTE_TYPE, FLOAT_ATTRIBUTE),
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

/// The node with `change` applied to each of its graphs.
pub(super) fn with_branches(
    field: &Field<'_>,
    mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>,
) -> Option<Field<'static>> {
    let mut node = parse(field.content(GRAPH_NODE)?)?;
    for field in node.iter_mut().filter(|field| field.number == NODE_ATTRIBUTE) {
        let mut attribute = parse(field.content(NODE_ATTRIBUTE)?)?;
        for graph in attribute.iter_mut().filter(|field| field.number == ATTRIBUTE_GRAPH) {
            *graph = Field::bytes(ATTRIBUTE_GRAPH, change(graph.content(ATTRIBUTE_GRAPH)?)?);
        }
        *field = Field::bytes(NODE_ATTRIBUTE, write(&attribute));
    }
    Some(Field::bytes(GRAPH_NODE, write(&node)))
}

/// The node with renamed inputs.
pub(super) fn with_inputs(
    field: &Field<'_>,
    rename: impl Fn(&str) -> Option<String>,
) -> Option<Field<'static>> {
    let node = parse(field.content(GRAPH_NODE)?)?;
    let renamed = node.iter().map(|part| match part.text(NODE_INPUT).and_then(&rename) {
        Some(name) => Field::bytes(NODE_INPUT, name.into_bytes()),
        None => part.owned(),
    });
    Some(Field::bytes(GRAPH_NODE, write(&renamed.collect::<Vec<_>>())))
}

/// A graph input with its shape removed, and its name.
pub(super) fn without_shape(input: &Field<'_>) -> Option<(String, Field<'static>)> {
    let mut value = parse(input.content(GRAPH_INPUT)?)?;
    let name = value.iter().find_map(|field| field.text(VALUE_NAME))?.to_owned();
    let kind = value.iter_mut().find(|field| field.number == VALUE_TYPE)?;
    let mut tensors = parse(kind.content(VALUE_TYPE)?)?;
    let tensor = tensors.iter_mut().find(|field| field.number == TYPE_TENSOR)?;
    let mut parts = parse(tensor.content(TYPE_TENSOR)?)?;
    parts.retain(|part| part.number != TENSOR_SHAPE);
    *tensor = Field::bytes(TYPE_TENSOR, write(&parts));
    *kind = Field::bytes(VALUE_TYPE, write(&tensors));
    Some((name, Field::bytes(GRAPH_INPUT, write(&value))))
}

/// A tensor of bytes, signed or not.
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

    /// Subtracts 128 from each value, so that it fits into a signed byte.
    pub(super) fn signed(mut self) -> Self {
        self.bytes.iter_mut().for_each(|byte| *byte ^= 0x80);
        self.kind = INT8;
        self
    }
}

/// The value of a float initializer with one element.
pub(super) fn float_of(field: &Field<'_>) -> Option<f32> {
    let fields = parse(field.content(GRAPH_INITIALIZER)?)?;
    let packed = |number: u32| fields.iter().find_map(|field| field.content(number));
    match (
        packed(TENSOR_RAW).or(packed(TENSOR_FLOATS)),
        fields.iter().find(|field| field.number == TENSOR_FLOATS),
    ) {
        (Some(bytes), _) => Some(f32::from_le_bytes(bytes.try_into().ok()?)),
        (None, Some(Field { value: Wire::Fixed32(bytes), .. })) => Some(f32::from_le_bytes(*bytes)),
        (None, _) => None,
    }
}

/// An initializer of floats.
pub(super) fn float_tensor(
    name: &str,
    dimensions: &[u64],
    floats: impl Iterator<Item = f32>,
) -> Field<'static> {
    let bytes = floats.flat_map(f32::to_le_bytes).collect();
    Tensor { name: name.to_owned(), kind: FLOAT, dimensions: dimensions.to_vec(), bytes }.write()
}

/// An initializer of integers, such as a shape.
pub(super) fn integer_tensor(name: &str, integers: &[i64]) -> Field<'static> {
    let bytes = integers.iter().flat_map(|integer| integer.to_le_bytes()).collect();
    Tensor { name: name.to_owned(), kind: INT64, dimensions: vec![integers.len() as u64], bytes }.write()
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
    let mut value = 0u64;
    let mut shift = 0;
    for byte in packed {
        value |= u64::from(byte & 0x7F) << shift.min(63);
        shift += 7;
        if byte & 0x80 == 0 {
            values.push(value);
            value = 0;
            shift = 0;
        }
    }
    values
}

/// The only node that reads this value, if it is of that kind.
pub(super) fn sole_reader<'a>(nodes: &'a [Node], input: &str, kind: &str) -> Option<&'a Node> {
    let mut readers = nodes.iter().filter(|node| node.inputs.iter().any(|name| name == input));
    readers.next().filter(|node| node.kind == kind && readers.next().is_none())
}

/// Whether this is the name of keys in the cross-attention cache.
pub(super) fn is_audio_key(name: &str) -> bool {
    name.starts_with(AUDIO_PAST) && name.ends_with(AUDIO_KEY)
}

/// The name of the values that belong to these keys.
pub(super) fn audio_value_of(key: &str) -> String {
    key.replace(AUDIO_KEY, AUDIO_VALUE)
}

/// Whether this is the name of values in the cross-attention cache.
pub(super) fn is_audio_value(name: &str) -> bool {
    name.starts_with(AUDIO_PAST) && name.ends_with(AUDIO_VALUE)
}
