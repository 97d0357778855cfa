//! Converts unsigned weights to signed ones, because the runtime multiplies by signed bytes and would cast unsigned ones in
//! every step.

use std::collections::{BTreeMap, BTreeSet};

use super::messages::{Tensor, UINT8, branches, node};
use super::protobuf::{Field, parse};

/// Shifts the weights of integer products and their zero points by 128. Tensors that other nodes read stay unchanged.
pub(super) fn sign(graph: &mut [Field<'_>]) -> Option<()> {
    let mut uses = Uses::default();
    uses.collect(graph)?;
    let candidates: BTreeSet<&String> =
        uses.weights.iter().flat_map(|(weights, zero)| [weights, zero]).collect();
    let unsigned = |name: &&String| !uses.others.contains(*name);
    let names: BTreeSet<String> = candidates.into_iter().filter(unsigned).cloned().collect();
    // Weights and their zero point are shifted together or not at all.
    let whole = |name: &String| {
        let pairs = uses.weights.iter().filter(|(weights, zero)| *weights == name || *zero == name);
        pairs.into_iter().all(|(weights, zero)| names.contains(weights) && names.contains(zero))
    };
    for field in graph.iter_mut() {
        let Some(name) = Tensor::name_of(field).filter(|name| names.contains(name) && whole(name)) else {
            continue;
        };
        let Some(tensor) = Tensor::read(field).filter(|tensor| tensor.kind == UINT8) else { continue };
        debug_assert_eq!(tensor.name, name);
        *field = tensor.signed().write();
    }
    Some(())
}

#[derive(Default)]
struct Uses {
    /// The weights of integer products and their zero points.
    weights: BTreeMap<String, String>,
    /// The inputs of other nodes.
    others: BTreeSet<String>,
}

impl Uses {
    fn collect(&mut self, graph: &[Field<'_>]) -> Option<()> {
        for field in graph {
            for branch in branches(field) {
                self.collect(&parse(&branch)?)?;
            }
            let Some(node) = node(field) else { continue };
            match (node.kind.as_str(), node.inputs.as_slice()) {
                ("MatMulInteger", [values, weights, values_zero, weights_zero]) => {
                    self.weights.insert(weights.clone(), weights_zero.clone());
                    self.others.extend([values.clone(), values_zero.clone()]);
                }
                (_, inputs) => self.others.extend(inputs.iter().cloned()),
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::messages::{INT8, made};
    use super::*;

    fn tensor(name: &str, bytes: &[u8]) -> Field<'static> {
        Tensor { name: name.into(), kind: UINT8, dimensions: vec![bytes.len() as u64], bytes: bytes.to_vec() }
            .write()
    }

    #[test]
    fn weights_and_their_zeros_are_shifted_together() {
        let mut graph = vec![
            made("MatMulInteger", &["x", "w", "xz", "wz"], &["y"]),
            tensor("w", &[0, 128, 255]),
            tensor("wz", &[128]),
        ];
        sign(&mut graph).unwrap();
        let (weights, zero) = (Tensor::read(&graph[1]).unwrap(), Tensor::read(&graph[2]).unwrap());
        assert_eq!((weights.kind, weights.bytes), (INT8, vec![128, 0, 127]));
        assert_eq!((zero.kind, zero.bytes), (INT8, vec![0]));
    }

    #[test]
    fn what_another_node_reads_stays() {
        let mut graph = vec![
            made("MatMulInteger", &["x", "w", "xz", "wz"], &["y"]),
            made("Gather", &["w", "i"], &["z"]),
            tensor("w", &[0, 128, 255]),
            tensor("wz", &[128]),
        ];
        sign(&mut graph).unwrap();
        assert_eq!(Tensor::read(&graph[2]).unwrap().kind, UINT8);
        assert_eq!(Tensor::read(&graph[3]).unwrap().kind, UINT8);
    }
}
