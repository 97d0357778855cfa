//! Takes the work on the table of words, which the published decoders do for every token, out of their graphs.
//!
//! The exports end in `logits = hidden × dequantise(transpose(table))`, with the table transposed and dequantised
//! anew in each step: more memory than the rest of the net, and much of its time. Here the table is transposed once,
//! and the product is made in integers, as in every other layer: `logits = (quantise(hidden) × table) · scales`, twice,
//! because one byte was found too coarse.

use super::onnx::{
    ATTRIBUTE_GRAPH, FLOAT, GRAPH_NODE, NODE_ATTRIBUTE, Tensor, UINT8, integer_attribute, made, node,
};
use super::protobuf::{Field, parse, write};

const TABLE: &str = "auris.table";
const TABLE_ZERO: &str = "auris.table_zero";

/// The names that an export gives to the table, its scale and its zero.
#[derive(Debug, Clone, PartialEq)]
struct Names {
    weights: String,
    scale: String,
    zero: String,
}

/// The graph without that work; `None` where it does not end like that.
pub(super) fn lifted(graph: &[Field<'_>]) -> Option<Vec<Field<'static>>> {
    let mut names = None;
    let mut changed = Vec::with_capacity(graph.len() + 2);
    for field in graph {
        let is_if = node(field).is_some_and(|node| node.kind == "If");
        changed.push(if is_if { change_if(field, &mut names)? } else { field.owned() });
    }
    let names: Names = names?;
    let find = |name: &str| {
        let found = graph.iter().find(|field| Tensor::name_of(field).as_deref() == Some(name))?;
        Tensor::read(found).filter(|tensor| tensor.kind == UINT8)
    };
    changed.push(Tensor { name: TABLE.into(), ..transpose(&find(&names.weights)?)? }.signed().write());
    changed.push(Tensor { name: TABLE_ZERO.into(), ..find(&names.zero)? }.signed().write());
    Some(changed)
}

fn change_if(field: &Field<'_>, names: &mut Option<Names>) -> Option<Field<'static>> {
    let mut node = parse(field.content(GRAPH_NODE)?)?;
    for field in node.iter_mut().filter(|field| field.number == NODE_ATTRIBUTE) {
        let mut attribute = parse(field.content(NODE_ATTRIBUTE)?)?;
        for graph in attribute.iter_mut().filter(|field| field.number == ATTRIBUTE_GRAPH) {
            let (changed, found) = change_branch(graph.content(ATTRIBUTE_GRAPH)?)?;
            *names = Some(found);
            *graph = Field::bytes(ATTRIBUTE_GRAPH, changed);
        }
        *field = Field::bytes(NODE_ATTRIBUTE, write(&attribute));
    }
    Some(Field::bytes(GRAPH_NODE, write(&node)))
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
    let names = Names { weights, scale, zero };
    let mut changed = Vec::with_capacity(branch.len() + 2);
    for (at, field) in branch.iter().enumerate() {
        match at {
            _ if at == product => changed.extend(integer_product(&hidden, &names.scale)),
            _ if at == dequantise || at == transpose => {}
            _ => changed.push(field.clone()),
        }
    }
    Some((write(&changed), names))
}

/// A byte is too coarse for the hidden state of Whisper, whose largest numbers dwarf the rest: other words came out. So
/// what the first byte leaves over is quantised by a second one.
fn integer_product(hidden: &str, table_scale: &str) -> Vec<Field<'static>> {
    let (first, rest) = ("auris.hidden", "auris.rest");
    let mut nodes = vec![quantised(hidden, first)];
    nodes.push(made(
        "DequantizeLinear",
        &[first, "auris.hidden_scale", "auris.hidden_zero"],
        &["auris.coarse"],
        None,
    ));
    nodes.push(made("Sub", &[hidden, "auris.coarse"], &["auris.difference"], None));
    nodes.push(quantised("auris.difference", rest));
    nodes.extend(product(first));
    nodes.extend(product(rest));
    nodes.push(made("Add", &["auris.hidden_part", "auris.rest_part"], &["auris.sum"], None));
    nodes.push(made("Mul", &["auris.sum", table_scale], &["logits"], None));
    nodes
}

/// Bytes, scale and zero of a tensor, under names that begin with `name`.
fn quantised(tensor: &str, name: &str) -> Field<'static> {
    let (scale, zero) = (format!("{name}_scale"), format!("{name}_zero"));
    made("DynamicQuantizeLinear", &[tensor], &[name, &scale, &zero], None)
}

/// The bytes times the table, back in numbers.
fn product(name: &str) -> [Field<'static>; 3] {
    let named = |part: &str| format!("{name}_{part}");
    let (scale, zero, whole, float, part) =
        (named("scale"), named("zero"), named("product"), named("float"), named("part"));
    let to_float = integer_attribute("to", FLOAT);
    [
        made("MatMulInteger", &[name, TABLE, &zero, TABLE_ZERO], &[&whole], None),
        made("Cast", &[&whole], &[&float], Some(to_float)),
        made("Mul", &[&float, &scale], &[&part], None),
    ]
}

fn transpose(table: &Tensor) -> Option<Tensor> {
    let [rows, columns] = table.dimensions.as_slice() else { return None };
    let mut bytes = vec![0; table.bytes.len()];
    for (row, values) in table.bytes.chunks_exact(*columns as usize).enumerate() {
        for (column, value) in values.iter().enumerate() {
            *bytes.get_mut(column * *rows as usize + row)? = *value;
        }
    }
    Some(Tensor { name: table.name.clone(), kind: table.kind, dimensions: vec![*columns, *rows], bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_turned() {
        let table =
            Tensor { name: "t".into(), kind: UINT8, dimensions: vec![2, 3], bytes: vec![1, 2, 3, 4, 5, 6] };
        let turned = transpose(&table).unwrap();
        assert_eq!((turned.dimensions, turned.bytes), (vec![3, 2], vec![1, 4, 2, 5, 3, 6]));
    }

    #[test]
    fn a_graph_without_such_an_end_is_left_alone() {
        let graph = [made("Add", &["a", "b"], &["logits"], None)];
        assert!(lifted(&graph).is_none());
    }
}
