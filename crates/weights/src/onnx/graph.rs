//! Walks the graphs of an ONNX file: the main one, and those of the branches of `If` nodes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use crate::error::WeightsError;
use crate::onnx::initializer::Initializer;
use crate::onnx::node::{Node, NodeParts};
use crate::onnx::protobuf::{Field, Fields, Wire};

const MODEL_GRAPH: u64 = 7;
const GRAPH_NODE: u64 = 1;
const GRAPH_INITIALIZER: u64 = 5;

/// Graphs inside graphs. Merged decoders have two levels.
const MAX_DEPTH: usize = 8;
/// Nodes, tensors and names of values. Exports of speech nets have ten thousand. An entry takes more memory than its two
/// bytes in a hostile file.
const MAX_ITEMS: usize = 1 << 20;

/// Everything that was found in a file.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) initializers: HashMap<String, Initializer>,
    pub(super) nodes: Vec<Node>,
    items: usize,
}

impl Graph {
    pub(super) fn read(file: &[u8]) -> Result<Self, WeightsError> {
        let mut graph = Self::default();
        for field in Fields::new(file, 0..file.len()) {
            if let Field { number: MODEL_GRAPH, value: Wire::Bytes(range) } = field? {
                graph.walk(file, range, 0)?;
            }
        }
        if graph.nodes.is_empty() {
            return Err(WeightsError::damaged("it is not an ONNX file: it has no graph"));
        }
        Ok(graph)
    }

    /// Initializers first, so that a name of an outer graph wins over the same name in a branch.
    fn walk(&mut self, file: &[u8], graph: Range<usize>, depth: usize) -> Result<(), WeightsError> {
        if depth > MAX_DEPTH {
            return Err(WeightsError::damaged("its graphs are nested too deeply"));
        }
        let mut nodes = Vec::new();
        let mut own = HashMap::new();
        for field in Fields::new(file, graph) {
            let Field { number, value: Wire::Bytes(range) } = field? else { continue };
            match number {
                GRAPH_INITIALIZER => {
                    let initializer = Initializer::read(file, range)?;
                    self.count(1)?;
                    if let Some(first) = own.insert(initializer.name.clone(), initializer) {
                        let what = format!("it has two tensors with the name `{}`", first.name);
                        return Err(WeightsError::damaged(what));
                    }
                }
                GRAPH_NODE => {
                    self.count(1)?;
                    nodes.push(range);
                }
                _ => {}
            }
        }
        own.into_values().for_each(|initializer| self.add_initializer(initializer));
        nodes.into_iter().try_for_each(|node| self.add_node(file, node, depth))
    }

    fn add_node(&mut self, file: &[u8], node: Range<usize>, depth: usize) -> Result<(), WeightsError> {
        let parts = NodeParts::read(file, node)?;
        self.count(parts.node.inputs.len() + parts.node.outputs.len() + parts.node.attributes.len())?;
        if let Some(constant) = parts.constant {
            self.add_initializer(constant);
        }
        self.nodes.push(parts.node);
        parts.graphs.into_iter().try_for_each(|graph| self.walk(file, graph, depth + 1))
    }

    fn add_initializer(&mut self, initializer: Initializer) {
        if let Entry::Vacant(place) = self.initializers.entry(initializer.name.clone()) {
            place.insert(initializer);
        }
    }

    fn count(&mut self, items: usize) -> Result<(), WeightsError> {
        self.items += items;
        if self.items > MAX_ITEMS {
            return Err(WeightsError::unsupported(format!("it has more than {MAX_ITEMS} nodes and tensors")));
        }
        Ok(())
    }
}
