//! Computes those products of Whisper's encoder in floats for which eight bits are too coarse.
//!
//! The exports quantize the input of a product with one scale. In the second product of the feed-forward layer (`fc2`) a
//! few values are so large that the others lose their precision: Whisper tiny got a fifth of all words wrong, and half as
//! many with this product in floats. The first convolutions cost little, and overflow on x86 processors without VNNI.

use std::collections::BTreeMap;

use super::messages::{
    GRAPH_NODE, NODE_INPUT, NODE_OUTPUT, NODE_TYPE, Node, Tensor, UINT8, float_of, float_tensor, node,
    sole_reader,
};
use super::protobuf::{Field, parse, write};

/// The graph with those products in floats; `None` if one of them does not have the expected form, or there is none.
pub(super) fn in_floats(graph: &[Field<'_>]) -> Option<Vec<Field<'static>>> {
    let products = Products::find(graph)?;
    let mut changed = Vec::with_capacity(graph.len());
    for field in graph {
        let output = node(field).map(|node| node.output).unwrap_or_default();
        if let Some(product) = products.by_output.get(&output) {
            changed.push(product.node(field)?);
        } else if let Some(product) = Tensor::name_of(field).and_then(|name| products.weights_of(&name)) {
            changed.push(product.weights(&Tensor::read(field)?)?);
        } else if !products.is_removed(&output) {
            changed.push(field.owned());
        }
    }
    Some(changed)
}

/// An integer product, and the nodes after it that convert its result to floats.
struct Product {
    input: String,
    weights: String,
    scale: f32,
    zero: f32,
    /// The output of the cast from integers.
    cast: String,
    output: String,
}

impl Product {
    /// The same product in floats.
    fn node(&self, field: &Field<'_>) -> Option<Field<'static>> {
        let old = parse(field.content(GRAPH_NODE)?)?;
        let kind = if node(field)?.kind == "ConvInteger" { "Conv" } else { "MatMul" };
        let text = |number: u32, text: &str| Field::bytes(number, text.as_bytes().to_vec());
        let mut new = vec![text(NODE_INPUT, &self.input), text(NODE_INPUT, &self.weights)];
        new.push(text(NODE_OUTPUT, &self.output));
        new.push(text(NODE_TYPE, kind));
        let rest = old.iter().filter(|part| ![NODE_INPUT, NODE_OUTPUT, NODE_TYPE].contains(&part.number));
        new.extend(rest.map(Field::owned));
        Some(Field::bytes(GRAPH_NODE, write(&new)))
    }

    fn weights(&self, table: &Tensor) -> Option<Field<'static>> {
        let number = |byte: &u8| match table.kind {
            UINT8 => f32::from(*byte),
            _ => f32::from(*byte as i8),
        };
        let floats = table.bytes.iter().map(|byte| (number(byte) - self.zero) * self.scale);
        Some(float_tensor(&table.name, &table.dimensions, floats))
    }
}

struct Products {
    /// By the output of the integer product.
    by_output: BTreeMap<String, Product>,
}

impl Products {
    fn find(graph: &[Field<'_>]) -> Option<Self> {
        let nodes: Vec<Node> = graph.iter().filter_map(node).collect();
        let mut by_output = BTreeMap::new();
        for node in nodes.iter().filter(|node| needs_floats(node)) {
            by_output.insert(node.output.clone(), product(graph, &nodes, node)?);
        }
        (!by_output.is_empty()).then_some(Self { by_output })
    }

    fn weights_of(&self, name: &str) -> Option<&Product> {
        self.by_output.values().find(|product| product.weights == name)
    }

    /// Whether the node with this output converted the result of a product and is not needed any more.
    fn is_removed(&self, output: &str) -> bool {
        self.by_output.values().any(|product| product.cast == output || product.output == output)
    }
}

/// Whether eight bits are too coarse for the input of this product.
fn needs_floats(node: &Node) -> bool {
    match node.kind.as_str() {
        "ConvInteger" => true,
        "MatMulInteger" => node.output.contains("/fc2/"),
        _ => false,
    }
}

fn product(graph: &[Field<'_>], nodes: &[Node], node: &Node) -> Option<Product> {
    let [values, weights, _, zero] = node.inputs.as_slice() else { return None };
    let maker =
        |output: &str, kind: &str| nodes.iter().find(|node| node.output == output && node.kind == kind);
    let find = |name: &str| graph.iter().find(|field| Tensor::name_of(field).as_deref() == Some(name));
    let cast = sole_reader(nodes, &node.output, "Cast")?;
    let scaled = sole_reader(nodes, &cast.output, "Mul")?;
    let scales = scaled.inputs.iter().find(|name| **name != cast.output)?;
    let scale = maker(scales, "Mul")?.inputs.iter().find_map(|name| float_of(find(name)?))?;
    let zero = Tensor::read(find(zero)?)?;
    let zero = match (zero.bytes.as_slice(), zero.kind) {
        ([byte], UINT8) => f32::from(*byte),
        ([byte], _) => f32::from(*byte as i8),
        _ => return None,
    };
    Some(Product {
        input: maker(values, "DynamicQuantizeLinear")?.inputs.first()?.clone(),
        weights: weights.clone(),
        scale,
        zero,
        cast: cast.output.clone(),
        output: scaled.output.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::messages::made;
    use super::*;

    fn bytes(name: &str, bytes: &[u8]) -> Field<'static> {
        Tensor { name: name.into(), kind: UINT8, dimensions: vec![bytes.len() as u64], bytes: bytes.to_vec() }
            .write()
    }

    #[test]
    fn a_product_is_made_in_floats() {
        let graph = [
            made("DynamicQuantizeLinear", &["x"], &["q", "qs", "qz"]),
            made("MatMulInteger", &["q", "w", "qz", "wz"], &["/layers.0/fc2/i"]),
            made("Cast", &["/layers.0/fc2/i"], &["c"]),
            made("Mul", &["qs", "ws"], &["s"]),
            made("Mul", &["c", "s"], &["y"]),
            bytes("w", &[128, 130, 127]),
            bytes("wz", &[128]),
            float_tensor("ws", &[], [0.5].into_iter()),
        ];
        let changed = in_floats(&graph).unwrap();
        let nodes: Vec<Node> = changed.iter().filter_map(node).collect();
        let product = nodes.iter().find(|node| node.output == "y").unwrap();
        assert_eq!((product.kind.as_str(), product.inputs.join(" ")), ("MatMul", "x w".to_owned()));
        assert!(!nodes.iter().any(|node| node.output == "c" || node.kind == "MatMulInteger"));
        let weights = changed.iter().find(|field| Tensor::name_of(field).as_deref() == Some("w")).unwrap();
        let expected = [0.0f32, 1.0, -0.5].iter().flat_map(|value| value.to_le_bytes());
        assert_eq!(Tensor::read(weights).unwrap().bytes, expected.collect::<Vec<u8>>());
    }

    #[test]
    fn what_is_built_otherwise_is_left_alone() {
        assert!(in_floats(&[made("MatMul", &["x", "w"], &["y"])]).is_none());
        assert!(in_floats(&[made("MatMulInteger", &["q", "w", "qz", "wz"], &["/fc1/i"])]).is_none());
        assert!(in_floats(&[made("MatMulInteger", &["q", "w", "qz", "wz"], &["/fc2/i"])]).is_none());
    }
}
