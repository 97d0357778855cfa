//! Lets Moonshine's decoder read what it remembers of the audio as it lies.
//!
//! The exports turn the keys of the whole piece in every step, and scale them. Here they are wanted turned, as
//! batch × head × width × frame, and the query, which is a single row, is scaled in their stead.

use super::onnx::{GRAPH_INPUT, Node, made, node, shapeless, with_branches};
use super::protobuf::{Field, parse, write};

/// The graph without that work; `None` where it does none.
pub(super) fn turned(graph: &[Field<'_>]) -> Option<Vec<Field<'static>>> {
    let mut found = false;
    let mut changed = Vec::with_capacity(graph.len());
    for field in graph {
        let is_if = node(field).is_some_and(|node| node.kind == "If");
        let key = shapeless(field).filter(|(name, _)| field.number == GRAPH_INPUT && is_key(name));
        changed.push(match (is_if, key) {
            (true, _) => with_branches(field, |branch| change_branch(branch, &mut found))?,
            (false, Some((_, input))) => input,
            (false, None) => field.owned(),
        });
    }
    found.then_some(changed)
}

/// The branch without that work; one that does none stays.
fn change_branch(bytes: &[u8], found: &mut bool) -> Option<Vec<u8>> {
    let branch = parse(bytes)?;
    let nodes: Vec<Node> = branch.iter().filter_map(node).collect();
    let turns =
        nodes.iter().filter(|node| node.kind == "Transpose" && node.inputs.iter().any(|name| is_key(name)));
    let products: Vec<Product> = turns.map(|turn| Product::behind(turn, &nodes)).collect::<Option<_>>()?;
    *found |= !products.is_empty();
    let mut changed = Vec::with_capacity(branch.len());
    for field in &branch {
        let output = node(field).map(|node| node.output).unwrap_or_default();
        match products.iter().find_map(|product| product.instead_of(&output)) {
            Some(instead) => changed.extend(instead),
            None => changed.push(field.owned()),
        }
    }
    Some(write(&changed))
}

/// `output = query × (turned(key) · scale)`, by the names of what is on the way.
struct Product {
    turned: String,
    scaled: String,
    output: String,
    query: String,
    key: String,
    scale: String,
}

impl Product {
    fn behind(turn: &Node, nodes: &[Node]) -> Option<Self> {
        let reader = |input: &str, kind: &str| {
            let mut readers = nodes.iter().filter(|node| node.inputs.iter().any(|name| name == input));
            readers.next().filter(|node| node.kind == kind && readers.next().is_none())
        };
        let scaled = reader(&turn.output, "Mul")?;
        let product = reader(&scaled.output, "MatMul")?;
        Some(Self {
            turned: turn.output.clone(),
            scaled: scaled.output.clone(),
            output: product.output.clone(),
            query: product.inputs.first()?.clone(),
            key: turn.inputs.first()?.clone(),
            scale: scaled.inputs.iter().find(|name| **name != turn.output)?.clone(),
        })
    }

    /// What stands in the place of the node with this output; `None` where that is none of these.
    fn instead_of(&self, output: &str) -> Option<Vec<Field<'static>>> {
        match output {
            _ if output == self.turned => Some(vec![]),
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

fn is_key(name: &str) -> bool {
    name.starts_with("past_key_values.") && name.ends_with(".encoder.key")
}

#[cfg(test)]
mod tests {
    use super::super::onnx::{ATTRIBUTE_GRAPH, branches, made_with};
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
        let changed = turned(&[made_with("If", &["condition"], &["y"], attribute)]).unwrap();
        let branch = branches(&changed[0]).remove(0);
        let nodes: Vec<_> = parse(&branch).unwrap().iter().filter_map(node).collect();
        let told: Vec<_> = nodes.iter().map(|node| (node.kind.as_str(), node.inputs.join(" "))).collect();
        assert_eq!(told, [("Mul", "q s".to_owned()), ("MatMul", format!("scaled {key}"))]);
    }

    #[test]
    fn a_decoder_that_turns_nothing_is_left_alone() {
        let branch = write(&[made("MatMul", &["q", "past_key_values.0.encoder.key"], &["y"])]);
        let attribute = write(&[Field::bytes(ATTRIBUTE_GRAPH, branch)]);
        assert!(turned(&[made_with("If", &["condition"], &["y"], attribute)]).is_none());
    }
}
