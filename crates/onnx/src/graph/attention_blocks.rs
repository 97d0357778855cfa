//! Splits the attention of Whisper's encoder into blocks of a hundred frames.
//!
//! The exports multiply 1,500 frames by 1,500 frames for all heads at once: for Whisper base 72 MB of scores, which are
//! written, read for the softmax, written and read again. Blocks of them stay in the processor's cache. Uses the runtime's
//! grouped-query attention, with the blocks of one head as the group.

use super::messages::{Node, float_attribute, integer_tensor, made, made_with, node};
use super::protobuf::Field;

/// Frames of thirty seconds, frames of a block, and the width of a head. All Whisper models have these sizes.
const FRAMES: i64 = 1_500;
const BLOCK: i64 = 100;
const HEAD: i64 = 64;

const BLOCKS: &str = "auris.blocks";
const WHOLE: &str = "auris.whole";
const BACK: &str = "auris.back";

/// The graph with its attention in blocks; `None` if it has no attention of the expected form.
pub(super) fn split_attention(graph: &[Field<'_>]) -> Option<Vec<Field<'static>>> {
    let nodes: Vec<Node> = graph.iter().filter_map(node).collect();
    let mut found = false;
    let mut changed = Vec::with_capacity(graph.len());
    for field in graph {
        match node(field).and_then(|node| Attention::ending_in(&node, &nodes)) {
            Some(attention) => {
                found = true;
                changed.extend(attention.nodes());
            }
            None => changed.push(field.owned()),
        }
    }
    changed.push(integer_tensor(BLOCKS, &[-1, FRAMES / BLOCK, BLOCK, HEAD]));
    changed.push(integer_tensor(WHOLE, &[-1, 1, FRAMES, HEAD]));
    changed.push(integer_tensor(BACK, &[-1, FRAMES, HEAD]));
    found.then_some(changed)
}

/// `output = softmax(query × transpose(key)) × value`, each head × frame × number.
struct Attention {
    query: String,
    key: String,
    value: String,
    output: String,
}

impl Attention {
    /// The attention that ends with this product.
    fn ending_in(product: &Node, nodes: &[Node]) -> Option<Self> {
        let made_by = |output: &str, kind: &str| {
            nodes
                .iter()
                .find(|node| node.output == output && node.kind == kind)
                .map(|node| node.inputs.as_slice())
        };
        let ("MatMul", [weights, value]) = (product.kind.as_str(), product.inputs.as_slice()) else {
            return None;
        };
        let [named, _] = made_by(weights, "Reshape")? else { return None };
        let [softmax, _] = made_by(named, "Reshape")? else { return None };
        let [scores] = made_by(softmax, "Softmax")? else { return None };
        let [query, turned] = made_by(scores, "MatMul")? else { return None };
        let [key] = made_by(turned, "Transpose")? else { return None };
        let [query, key, value] = [query, key, value].map(Clone::clone);
        Some(Self { query, key, value, output: product.output.clone() })
    }

    fn nodes(&self) -> Vec<Field<'static>> {
        let part = |name: &str| format!("{}.{name}", self.output);
        let query = part("query");
        let key = part("key");
        let value = part("value");
        let blocks = part("blocks");
        // The queries are already scaled.
        let unscaled = float_attribute("scale", 1.0);
        vec![
            made("Reshape", &[&self.query, BLOCKS], &[&query]),
            made("Reshape", &[&self.key, WHOLE], &[&key]),
            made("Reshape", &[&self.value, WHOLE], &[&value]),
            made_with("Attention", &[&query, &key, &value], &[&blocks], unscaled),
            made("Reshape", &[&blocks, BACK], &[&self.output]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use rten::Model;
    use rten_tensor::NdTensor;
    use rten_tensor::prelude::*;

    use super::super::messages::GRAPH;
    use super::super::protobuf::write;
    use super::*;

    /// The attention of two heads as the exports have it.
    fn graph() -> Vec<Field<'static>> {
        let integers = |integer: u64| Field::number(8, integer);
        let (name, kind) = (Field::bytes(1, b"perm".as_slice()), Field::number(20, 7));
        let turned = write(&[name, integers(0), integers(2), integers(1), kind]);
        vec![
            made_with("Transpose", &["k"], &["t"], turned),
            made("MatMul", &["q", "t"], &["scores"]),
            made("Softmax", &["scores"], &["softmax"]),
            made("Reshape", &["softmax", "four"], &["named"]),
            made("Reshape", &["named", "three"], &["weights"]),
            made("MatMul", &["weights", "v"], &["y"]),
            integer_tensor("four", &[1, 2, FRAMES, FRAMES]),
            integer_tensor("three", &[2, FRAMES, FRAMES]),
        ]
    }

    /// An input (field 11 of a graph) or an output (field 12) of floats.
    fn value(number: u32, name: &str) -> Field<'static> {
        let tensor = write(&[Field::bytes(1, write(&[Field::number(1, 1)]))]);
        Field::bytes(number, write(&[Field::bytes(1, name.as_bytes()), Field::bytes(2, tensor)]))
    }

    fn run(graph: &[Field<'_>]) -> Vec<f32> {
        let mut graph = graph.to_vec();
        graph.extend([value(11, "q"), value(11, "k"), value(11, "v"), value(12, "y")]);
        let operators = Field::bytes(8, write(&[Field::number(2, 13)]));
        let model = write(&[Field::number(1, 8), operators, Field::bytes(GRAPH, write(&graph))]);
        let model = Model::load(model).unwrap();
        let numbers = |seed: usize| {
            let numbers = (0..2 * FRAMES as usize * HEAD as usize).map(|at| ((at * seed) as f32).sin());
            NdTensor::from_data([2, FRAMES as usize, HEAD as usize], numbers.collect::<Vec<f32>>())
        };
        let id = |name: &str| model.node_id(name).unwrap();
        let inputs =
            vec![(id("q"), numbers(3).into()), (id("k"), numbers(7).into()), (id("v"), numbers(11).into())];
        let output = model.run(inputs, &[id("y")], None).unwrap().remove(0);
        output.into_tensor::<f32>().unwrap().to_vec()
    }

    #[test]
    fn blocks_give_what_the_whole_gives() {
        let (whole, blocks) = (run(&graph()), run(&split_attention(&graph()).unwrap()));
        assert_eq!(whole.len(), blocks.len());
        assert!(whole.iter().zip(&blocks).all(|(one, other)| (one - other).abs() < 1e-4));
    }

    #[test]
    fn what_is_no_attention_is_left_alone() {
        assert!(split_attention(&[made("MatMul", &["x", "w"], &["y"])]).is_none());
    }
}
