//! Loads and runs a model. Each run uses one thread, so that several runs work side by side.

use std::path::Path;
use std::sync::Arc;

use auris_engine_core::EngineError;
use rten::{Dimension, Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView};

use crate::graph::{self, AudioLayout, Kind};
use crate::logits::Projection;

thread_local! {
    /// A pool with one thread for each worker: a second thread inside a model doubles the CPU time for little speed.
    static POOL: Arc<ThreadPool> = Arc::new(ThreadPool::with_num_threads(1));
}

/// A loaded ONNX model.
pub struct Net {
    model: Model,
    projection: Option<Projection>,
    audio: AudioLayout,
}

impl Net {
    /// Loads a model and improves its graph if it has the expected form.
    pub fn load(path: &Path) -> Result<Self, EngineError> {
        Self::load_as(path, Kind::Other)
    }

    /// Loads the encoder of a Whisper model.
    pub fn load_whisper_encoder(path: &Path) -> Result<Self, EngineError> {
        Self::load_as(path, Kind::WhisperEncoder)
    }

    fn load_as(path: &Path, kind: Kind) -> Result<Self, EngineError> {
        let broken = |error: &dyn std::fmt::Display| {
            EngineError::internal(format!("cannot load `{}`: {error}", path.display()))
        };
        let file = std::fs::read(path).map_err(|error| broken(&error))?;
        let (file, projection, audio) = match graph::improve(&file, kind) {
            Some(improved) => (improved.file, improved.projection, improved.audio),
            None => (file, None, AudioLayout::Unchanged),
        };
        let model = Model::load(file).map_err(|error| broken(&error))?;
        Ok(Self { model, projection, audio })
    }

    pub fn from_bytes(bytes: &'static [u8]) -> Result<Self, EngineError> {
        let model = Model::load_static_slice(bytes).map_err(EngineError::internal)?;
        Ok(Self { model, projection: None, audio: AudioLayout::Unchanged })
    }

    /// The last product of a decoder, if it was removed from the graph: it must be applied to the output `logits`.
    pub fn projection(&self) -> Option<&Projection> {
        self.projection.as_ref()
    }

    /// The layout in which the model expects the cross-attention cache.
    pub fn audio_layout(&self) -> AudioLayout {
        self.audio
    }

    pub fn node(&self, name: &str) -> Result<NodeId, EngineError> {
        self.model.node_id(name).map_err(EngineError::internal)
    }

    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.model.find_node(name)
    }

    /// The size of an input's dimension, if the file defines it.
    pub fn fixed_dimension(&self, node: NodeId, dimension: usize) -> Option<usize> {
        match self.model.node_info(node)?.shape()?.get(dimension)? {
            Dimension::Fixed(size) => Some(*size),
            Dimension::Symbolic(_) => None,
        }
    }

    pub fn run(
        &self,
        inputs: Vec<(NodeId, ValueOrView)>,
        outputs: &[NodeId],
    ) -> Result<Vec<Value>, EngineError> {
        let options = POOL.with(|pool| RunOptions::default().with_thread_pool(Some(pool.clone())));
        self.model.run(inputs, outputs, Some(options)).map_err(EngineError::internal)
    }
}

/// The values of a float output, in row order.
pub fn floats(value: Value) -> Result<Vec<f32>, EngineError> {
    let tensor = value.into_tensor::<f32>();
    let tensor =
        tensor.ok_or_else(|| EngineError::internal("a model returned something other than floats"))?;
    Ok(tensor.into_data())
}
