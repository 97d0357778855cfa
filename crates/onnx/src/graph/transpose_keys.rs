//! Lets Moonshine's decoder read the keys of the cross-attention cache without a copy.
//!
//! The exports transpose and scale the keys of the whole segment in every step. The changed graph expects transposed keys,
//! as batch × head × width × frame, and scales the query instead, which is a single row.

use super::messages::{
    GRAPH_INPUT, Node, is_audio_key, made, node, sole_reader, with_branches, without_shape,
};
use super::protobuf::{Field, parse, write};

/// The graph with transposed keys; `None` if it does not transpose any.
pub(super) fn with_transposed_keys(graph: &[Field<'_>]) -> Option<Vec<Field<'static>>> {
    let mut found = false;
    let mut changed = Vec::with_capacity(graph.len());
    for field in graph {
        let is_if = node(field).is_some_and(|node| node.kind == "If");
        let key = without_shape(field).filter(|(name, _)| field.number == GRAPH_INPUT && is_audio_key(name));
        changed.push(match (is_if, key) {
            (true, _) => with_branches(field, |branch| change_branch(branch, &mut found))?,
            (false, Some((_, input))) => input,
            (false, None) => field.owned(),
        });
    }
    found.then_some(changed)
}

/// The branch with transposed keys; unchanged if it does not transpose any.
fn change_branch(bytes: &[u8], found: &mut bool) -> Option<Vec<u8>> {
    let branch = parse(bytes)?;
    let nodes: Vec<Node> = branch.iter().filter_map(node).collect();
    let transposes = nodes
        .iter()
        .filter(|node| node.kind == "Transpose" && node.inputs.iter().any(|name| is_audio_key(name)));
    let products: Vec<ScaledProduct> =
        transposes.map(|transpose| ScaledProduct::after(transpose, &nodes)).collect::<Option<_>>()?;
    *found |= !products.is_empty();
    let mut changed = Vec::with_capacity(branch.len());
    for field in &branch {
        let output = node(field).map(|node| node.output).unwrap_or_default();
        match products.iter().find_map(|product| product.replacement_of(&output)) {
            Some(replacement) => changed.extend(replacement),
            None => changed.push(field.owned()),
        }
    }
    Some(write(&changed))
}

/// `output = query × (transpose(key) · scale)`, by the names of its values.
struct ScaledProduct {
    transposed: String,
    scaled: String,
    output: String,
    query: String,
    key: String,
    scale: String,
}

impl ScaledProduct {
    fn after(transpose: &Node, nodes: &[Node]) -> Option<Self> {
        let scaled = sole_reader(nodes, &transpose.output, "Mul")?;
        let product = sole_reader(nodes, &scaled.output, "MatMul")?;
        Some(Self {
            transposed: transpose.output.clone(),
            scaled: scaled.output.clone(),
            output: product.output.clone(),
            query: product.inputs.first()?.clone(),
            key: transpose.inputs.first()?.clone(),
            scale: scaled.inputs.iter().find(|name| **name != transpose.output)?.clone(),
        })
    }

    /// The nodes that replace the node with this output; `None` if it stays.
    fn replacement_of(&self, output: &str) -> Option<Vec<Field<'static>>> {
        match output {
            _ if output == self.transposed => Some(vec![]),
            _ if output == self.scaled => {
                Some(vec![made("Mul", &[&self.query, &self.scale], &[&self.scaled])])
            }
            _ if output == self.output => {
                Some(vec![made("MatMul", &[&self.scaled, &self.key], &[&self.output])])
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::messages::{ATTRIBUTE_GRAPH, branches, made_with};
    use super::*;

    #[test]
    fn the_query_is_scaled_instead_of_the_keys() {
        let key = "past_key_values.0.encoder.key";
        let branch = [
            made("Transpose", &[key], &["turned"]),
            made("Mul", &["turned", "s"], &["scaled"]),
            made("MatMul", &["q", "scaled"], &["y"]),
        ];
        let attribute = write(&[Field::bytes(ATTRIBUTE_GRAPH, write(&branch))]);
        let changed = with_transposed_keys(&[made_with("If", &["condition"], &["y"], attribute)]).unwrap();
        let branch = branches(&changed[0]).remove(0);
        let nodes: Vec<_> = parse(&branch).unwrap().iter().filter_map(node).collect();
        let found: Vec<_> = nodes.iter().map(|node| (node.kind.as_str(), node.inputs.join(" "))).collect();
        assert_eq!(found, [("Mul", "q s".to_owned()), ("MatMul", format!("scaled {key}"))]);
    }

    #[test]
    fn a_decoder_that_does_not_transpose_is_unchanged() {
        let branch = write(&[made("MatMul", &["q", "past_key_values.0.encoder.key"], &["y"])]);
        let attribute = write(&[Field::bytes(ATTRIBUTE_GRAPH, branch)]);
        assert!(with_transposed_keys(&[made_with("If", &["condition"], &["y"], attribute)]).is_none());
    }
}
