//! Running a net: one thread per net, so that pieces of speech run side by side.

use std::path::Path;
use std::sync::Arc;

use rten::{Dimension, Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView};

use super::graph::{self, Audio, Kind};
use super::projection::Projection;
use crate::EngineError;

thread_local! {
    /// Each worker has its own pool of one: two threads inside a net cost twice the CPU for little.
    static POOL: Arc<ThreadPool> = Arc::new(ThreadPool::with_num_threads(1));
}

/// A loaded ONNX file.
pub(crate) struct Net {
    model: Model,
    projection: Option<Projection>,
    audio: Audio,
}

impl Net {
    /// Loads a net, with improvements to its graph where it is built as expected.
    pub(crate) fn load(path: &Path) -> Result<Self, EngineError> {
        Self::load_as(path, Kind::Other)
    }

    /// The same for the encoder of a Whisper model.
    pub(crate) fn load_whisper_encoder(path: &Path) -> Result<Self, EngineError> {
        Self::load_as(path, Kind::WhisperEncoder)
    }

    fn load_as(path: &Path, kind: Kind) -> Result<Self, EngineError> {
        let broken = |error: &dyn std::fmt::Display| {
            EngineError::internal(format!("cannot load `{}`: {error}", path.display()))
        };
        let file = std::fs::read(path).map_err(|error| broken(&error))?;
        let (file, projection, audio) = match graph::improve(&file, kind) {
            Some(improved) => (improved.file, improved.projection, improved.audio),
            None => (file, None, Audio::AsGiven),
        };
        let model = Model::load(file).map_err(|error| broken(&error))?;
        Ok(Self { model, projection, audio })
    }

    pub(crate) fn from_bytes(bytes: &'static [u8]) -> Result<Self, EngineError> {
        let model = Model::load_static_slice(bytes).map_err(EngineError::internal)?;
        Ok(Self { model, projection: None, audio: Audio::AsGiven })
    }

    /// What is to be done with the outputs named `logits`, where it was taken out of the graph.
    pub(crate) fn projection(&self) -> Option<&Projection> {
        self.projection.as_ref()
    }

    /// How keys and values of the audio are wanted.
    pub(crate) fn audio(&self) -> Audio {
        self.audio
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
