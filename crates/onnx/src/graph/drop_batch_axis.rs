//! Lets Whisper's decoder read the cross-attention cache without a copy.
//!
//! The exports of Whisper reshape and transpose the keys and values of thirty seconds of audio in every step: for Whisper
//! base a copy of 37 MB per token. The changed graph expects them in the layout in which it uses them: values as
//! head × frame × width, transposed keys as head × width × frame.

use std::collections::BTreeMap;

use super::messages::{
    GRAPH_INPUT, audio_value_of, is_audio_key, is_audio_value, node, with_branches, with_inputs,
    without_shape,
};
use super::protobuf::{Field, parse, write};

/// The graph without those copies; `None` if it has none.
pub(super) fn without_copies(graph: &[Field<'_>]) -> Option<Vec<Field<'static>>> {
    let mut found = false;
    let mut changed = Vec::with_capacity(graph.len());
    for field in graph {
        let is_if = node(field).is_some_and(|node| node.kind == "If");
        let remembered = without_shape(field).filter(|(name, _)| is_audio_key(name) || is_audio_value(name));
        changed.push(match (is_if, remembered) {
            (true, _) => with_branches(field, |branch| change_branch(branch, &mut found))?,
            (false, Some((_, input))) if field.number == GRAPH_INPUT => input,
            (false, _) => field.owned(),
        });
    }
    found.then_some(changed)
}

/// The branch without copies; unchanged if it has none.
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

/// The outputs of nodes that only copy, and the inputs that replace them.
fn copies(branch: &[Field<'_>]) -> Option<BTreeMap<String, String>> {
    let nodes: Vec<_> = branch.iter().filter_map(node).collect();
    let mut copies = BTreeMap::new();
    for reshape in nodes.iter().filter(|node| node.kind == "Reshape") {
        let Some(remembered) = reshape.inputs.first() else { continue };
        if is_audio_value(remembered) {
            copies.insert(reshape.output.clone(), remembered.clone());
        }
        if is_audio_key(remembered) {
            let mut turns = nodes
                .iter()
                .filter(|node| node.kind == "Transpose" && node.inputs == [reshape.output.clone()]);
            let (Some(turned), None) = (turns.next(), turns.next()) else { return None };
            copies.insert(turned.output.clone(), remembered.clone());
            // Other readers of the keys need only their shape, which the values have too.
            copies.insert(reshape.output.clone(), audio_value_of(remembered));
        }
    }
    (!copies.is_empty()).then_some(copies)
}

#[cfg(test)]
mod tests {
    use super::super::messages::{ATTRIBUTE_GRAPH, branches, made, made_with};
    use super::*;

    fn decoder(branch: &[Field<'_>]) -> Vec<Field<'static>> {
        let attribute = write(&[Field::bytes(ATTRIBUTE_GRAPH, write(branch))]);
        vec![made_with("If", &["condition"], &["y"], attribute)]
    }

    #[test]
    fn keys_and_values_are_read_as_they_lie() {
        let changed = without_copies(&decoder(&[
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
            without_copies(&decoder(&[made("MatMul", &["q", "past_key_values.0.encoder.key"], &["y"])]))
                .is_none()
        );
    }
}
