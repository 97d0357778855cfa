//! Running a net: one thread per net, so that pieces of speech run side by side.

use std::path::Path;
use std::sync::Arc;

use rten::{Dimension, Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView};

use super::graph;
use crate::EngineError;

thread_local! {
    /// Each worker has its own pool of one: two threads inside a net cost twice the CPU for little.
    static POOL: Arc<ThreadPool> = Arc::new(ThreadPool::with_num_threads(1));
}

/// A loaded ONNX file.
pub(crate) struct Net {
    model: Model,
}

impl Net {
    /// Loads a net, with improvements to its graph where it is built as expected.
    pub(crate) fn load(path: &Path) -> Result<Self, EngineError> {
        let broken = |error: &dyn std::fmt::Display| {
            EngineError::internal(format!("cannot load `{}`: {error}", path.display()))
        };
        let file = std::fs::read(path).map_err(|error| broken(&error))?;
        let file = graph::improve(&file).unwrap_or(file);
        Model::load(file).map(|model| Self { model }).map_err(|error| broken(&error))
    }

    pub(crate) fn from_bytes(bytes: &'static [u8]) -> Result<Self, EngineError> {
        Model::load_static_slice(bytes).map(|model| Self { model }).map_err(EngineError::internal)
    }

    pub(crate) fn node(&self, name: &str) -> Result<NodeId, EngineError> {
        self.model.node_id(name).map_err(EngineError::internal)
    }

    pub(crate) fn find(&self, name: &str) -> Option<NodeId> {
        self.model.find_node(name)
    }

    /// The size of one dimension of an input, where the file fixes it.
    pub(crate) fn fixed_dimension(&self, node: NodeId, dimension: usize) -> Option<usize> {
        match self.model.node_info(node)?.shape()?.get(dimension)? {
            Dimension::Fixed(size) => Some(*size),
            Dimension::Symbolic(_) => None,
        }
    }

    pub(crate) fn run(
        &self,
        inputs: Vec<(NodeId, ValueOrView)>,
        outputs: &[NodeId],
    ) -> Result<Vec<Value>, EngineError> {
        let options = POOL.with(|pool| RunOptions::default().with_thread_pool(Some(pool.clone())));
        self.model.run(inputs, outputs, Some(options)).map_err(EngineError::internal)
    }
}

/// The numbers of a float output, in row order.
pub(crate) fn floats(value: Value) -> Result<Vec<f32>, EngineError> {
    let tensor = value.into_tensor::<f32>();
    let tensor = tensor.ok_or_else(|| EngineError::internal("a net gave something else than numbers"))?;
    Ok(tensor.into_data())
}
