//! Removes the product with the token embeddings from the graph of a decoder.
//!
//! The exports end with `logits = hidden × dequantize(transpose(embeddings))`. They transpose and dequantize the embeddings
//! in each step, which takes more memory than the rest of the model and much of its time. The changed graph ends with
//! `hidden`, and [`Projection`] computes the product.

use super::messages::{Tensor, UINT8, float_of, made, node, with_branches};
use super::protobuf::{Field, parse, write};
use crate::logits::{Embeddings, Projection};

/// The names of the embeddings, their scale and their zero point.
#[derive(Debug, Clone, PartialEq)]
struct Names {
    weights: String,
    scale: String,
    zero: String,
}

/// The graph without the product, and the product; `None` if the graph ends otherwise.
pub(super) fn without_projection(graph: &[Field<'_>]) -> Option<(Vec<Field<'static>>, Projection)> {
    let mut names = None;
    let mut changed = Vec::with_capacity(graph.len());
    for field in graph {
        let is_if = node(field).is_some_and(|node| node.kind == "If");
        let change = |branch: &[u8]| {
            let (changed, found) = change_branch(branch)?;
            names = Some(found);
            Some(changed)
        };
        changed.push(if is_if { with_branches(field, change)? } else { field.owned() });
    }
    Some((changed, projection(graph, &names?)?))
}

fn projection(graph: &[Field<'_>], names: &Names) -> Option<Projection> {
    let find = |name: &str| graph.iter().find(|field| Tensor::name_of(field).as_deref() == Some(name));
    let bytes = |name: &str| Tensor::read(find(name)?).filter(|tensor| tensor.kind == UINT8);
    let table = bytes(&names.weights)?.signed();
    let zero = bytes(&names.zero)?.signed();
    let ([_, width], [zero]) = (table.dimensions.as_slice(), zero.bytes.as_slice()) else { return None };
    let scale = float_of(find(&names.scale)?)?;
    let words = table.bytes.iter().map(|byte| *byte as i8);
    Projection::new(Embeddings { table: words.collect(), width: *width as usize, scale, zero: *zero as i8 })
}

fn change_branch(bytes: &[u8]) -> Option<(Vec<u8>, Names)> {
    let branch = parse(bytes)?;
    let makes = |output: &str, kind: &str| {
        branch
            .iter()
            .position(|field| node(field).is_some_and(|node| node.output == output && node.kind == kind))
    };
    let product = makes("logits", "MatMul")?;
    let [hidden, dequantised] = node(&branch[product])?.inputs.try_into().ok()?;
    let dequantise = makes(&dequantised, "DequantizeLinear")?;
    let [transposed, scale, zero] = node(&branch[dequantise])?.inputs.try_into().ok()?;
    let transpose = makes(&transposed, "Transpose")?;
    let [weights] = node(&branch[transpose])?.inputs.try_into().ok()?;
    let mut changed = Vec::with_capacity(branch.len());
    for (at, field) in branch.iter().enumerate() {
        match at {
            _ if at == product => changed.push(made("Identity", &[&hidden], &["logits"])),
            _ if at == dequantise || at == transpose => {}
            _ => changed.push(field.clone()),
        }
    }
    Some((write(&changed), Names { weights, scale, zero }))
}

#[cfg(test)]
mod tests {
    use super::super::messages::{ATTRIBUTE_GRAPH, float_tensor, made_with};
    use super::*;

    fn tensor(name: &str, dimensions: &[u64], bytes: &[u8]) -> Field<'static> {
        let (name, dimensions) = (name.to_owned(), dimensions.to_vec());
        Tensor { name, kind: UINT8, dimensions, bytes: bytes.to_vec() }.write()
    }

    /// A decoder with one branch: `logits = x × dequantise(transpose(table))`.
    fn decoder() -> Vec<Field<'static>> {
        let branch = write(&[
            made("Transpose", &["table"], &["t"]),
            made("DequantizeLinear", &["t", "scale", "zero"], &["d"]),
            made("MatMul", &["x", "d"], &["logits"]),
        ]);
        let attribute = write(&[Field::bytes(ATTRIBUTE_GRAPH, branch)]);
        vec![
            made_with("If", &["condition"], &["logits"], attribute),
            tensor("table", &[3, 2], &[128, 129, 127, 128, 130, 130]),
            float_tensor("scale", &[], [0.5].into_iter()),
            tensor("zero", &[], &[128]),
        ]
    }

    #[test]
    fn the_graph_gives_what_the_table_is_multiplied_with() {
        let (changed, projection) = without_projection(&decoder()).unwrap();
        let branch = super::super::messages::branches(&changed[0]).remove(0);
        let nodes: Vec<_> = parse(&branch).unwrap().iter().filter_map(node).collect();
        assert_eq!(nodes.len(), 1);
        assert_eq!(
            (nodes[0].kind.as_str(), nodes[0].inputs.as_slice()),
            ("Identity", ["x".to_owned()].as_slice())
        );
        assert_eq!(projection.scores(&[2.0, 4.0]), [2.0, -1.0, 6.0]);
    }

    #[test]
    fn a_graph_without_such_an_end_is_left_alone() {
        let graph = [made("Add", &["a", "b"], &["logits"])];
        assert!(without_projection(&graph).is_none());
    }
}
