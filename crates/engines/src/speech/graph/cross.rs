//! Lets Whisper's decoder read what it remembers of the audio as it lies.
//!
//! The exports of Whisper reshape and turn the keys and values of thirty seconds of audio in every step: for Whisper
//! base a copy of 37 MB for each token. Here they are wanted in the shape in which they are used: values as
//! head × frame × width, keys turned, as head × width × frame.

use std::collections::BTreeMap;

use super::onnx::{GRAPH_INPUT, node, shapeless, with_branches, with_inputs};
use super::protobuf::{Field, parse, write};

const PAST: &str = "past_key_values.";
const KEY: &str = ".encoder.key";
const VALUE: &str = ".encoder.value";

/// The graph without those copies; `None` where it makes none.
pub(super) fn ready(graph: &[Field<'_>]) -> Option<Vec<Field<'static>>> {
    let mut found = false;
    let mut changed = Vec::with_capacity(graph.len());
    for field in graph {
        let is_if = node(field).is_some_and(|node| node.kind == "If");
        let remembered = shapeless(field).filter(|(name, _)| is_key(name) || is_value(name));
        changed.push(match (is_if, remembered) {
            (true, _) => with_branches(field, |branch| change_branch(branch, &mut found))?,
            (false, Some((_, input))) if field.number == GRAPH_INPUT => input,
            (false, _) => field.owned(),
        });
    }
    found.then_some(changed)
}

/// The branch with its copies taken out; one that has none stays.
fn change_branch(bytes: &[u8], found: &mut bool) -> Option<Vec<u8>> {
    let branch = parse(bytes)?;
    let Some(copies) = copies(&branch) else { return Some(bytes.to_vec()) };
    *found = true;
    let mut changed = Vec::with_capacity(branch.len());
    for field in &branch {
        match node(field) {
            Some(node) if copies.contains_key(&node.output) => {}
            Some(_) => changed.push(with_inputs(field, |name| copies.get(name).cloned())?),
            None => changed.push(field.owned()),
        }
    }
    Some(write(&changed))
}

/// The outputs of nodes that only copy, and what is to be read instead.
fn copies(branch: &[Field<'_>]) -> Option<BTreeMap<String, String>> {
    let nodes: Vec<_> = branch.iter().filter_map(node).collect();
    let mut copies = BTreeMap::new();
    for reshape in nodes.iter().filter(|node| node.kind == "Reshape") {
        let Some(remembered) = reshape.inputs.first() else { continue };
        if is_value(remembered) {
            copies.insert(reshape.output.clone(), remembered.clone());
        }
        if is_key(remembered) {
            let mut turns = nodes
                .iter()
                .filter(|node| node.kind == "Transpose" && node.inputs == [reshape.output.clone()]);
            let (Some(turned), None) = (turns.next(), turns.next()) else { return None };
            copies.insert(turned.output.clone(), remembered.clone());
            // Who else reads the keys reads their shape, which is that of the values.
            copies.insert(reshape.output.clone(), remembered.replace(KEY, VALUE));
        }
    }
    (!copies.is_empty()).then_some(copies)
}

fn is_key(name: &str) -> bool {
    name.starts_with(PAST) && name.ends_with(KEY)
}

fn is_value(name: &str) -> bool {
    name.starts_with(PAST) && name.ends_with(VALUE)
}

#[cfg(test)]
mod tests {
    use super::super::onnx::{ATTRIBUTE_GRAPH, branches, made, made_with};
    use super::*;

    fn decoder(branch: &[Field<'_>]) -> Vec<Field<'static>> {
        let attribute = write(&[Field::bytes(ATTRIBUTE_GRAPH, write(branch))]);
        vec![made_with("If", &["condition"], &["y"], attribute)]
    }

    #[test]
    fn keys_and_values_are_read_as_they_lie() {
        let changed = ready(&decoder(&[
            made("Reshape", &["past_key_values.0.encoder.key", "s"], &["k"]),
            made("Reshape", &["past_key_values.0.encoder.value", "s"], &["v"]),
            made("Shape", &["k"], &["size"]),
            made("Transpose", &["k"], &["t"]),
            made("MatMul", &["q", "t"], &["a"]),
            made("MatMul", &["a", "v"], &["y"]),
        ]))
        .unwrap();
        let branch = branches(&changed[0]).remove(0);
        let nodes: Vec<_> = parse(&branch).unwrap().iter().filter_map(node).collect();
        let told: Vec<_> = nodes.iter().map(|node| (node.kind.as_str(), node.inputs.join(" "))).collect();
        assert_eq!(
            told,
            [
                ("Shape", "past_key_values.0.encoder.value".to_owned()),
                ("MatMul", "q past_key_values.0.encoder.key".to_owned()),
                ("MatMul", "a past_key_values.0.encoder.value".to_owned()),
            ]
        );
    }

    #[test]
    fn a_decoder_that_copies_nothing_is_left_alone() {
        assert!(
            ready(&decoder(&[made("MatMul", &["q", "past_key_values.0.encoder.key"], &["y"])])).is_none()
        );
    }
}
