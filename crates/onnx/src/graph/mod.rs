//! Changes to the graphs of published models when they are loaded, which save work or rounding errors.

mod attention_blocks;
mod drop_batch_axis;
mod float_products;
mod lift_embeddings;
mod messages;
mod protobuf;
mod signed_weights;
mod transpose_keys;

use crate::logits::Projection;
use messages::{GRAPH, MODEL_GRAPH};
use protobuf::{Field, parse, write};

/// A changed model.
pub(crate) struct Improved {
    pub(crate) file: Vec<u8>,
    /// The last product of a decoder, if it was removed: it must be applied to the output `logits`.
    pub(crate) projection: Option<Projection>,
    pub(crate) audio: AudioLayout,
}

/// The layout in which a decoder expects the cross-attention cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AudioLayout {
    /// As the decoder returns it: batch × head × frame × width.
    Unchanged,
    /// With the last two axes of the keys transposed.
    TransposedKeys,
    /// The same, with keys and values without the batch axis.
    TransposedKeysWithoutBatch,
}

/// The kind of model, if there are special changes for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    WhisperEncoder,
    Other,
}

/// The changed file; `None` if it does not have the expected form and should be used as it is.
pub(crate) fn improve(file: &[u8], kind: Kind) -> Option<Improved> {
    let mut model = parse(file)?;
    let graph = model.iter_mut().find(|field| field.number == MODEL_GRAPH)?;
    let mut changed = parse(graph.content(MODEL_GRAPH)?)?;
    let mut projection = None;
    if let Some((without, lifted)) = lift_embeddings::without_projection(&changed) {
        (changed, projection) = (without, Some(lifted));
    }
    let mut audio = AudioLayout::Unchanged;
    if let Some(without) = drop_batch_axis::without_copies(&changed) {
        (changed, audio) = (without, AudioLayout::TransposedKeysWithoutBatch);
    } else if let Some(without) = transpose_keys::with_transposed_keys(&changed) {
        (changed, audio) = (without, AudioLayout::TransposedKeys);
    }
    if kind == Kind::WhisperEncoder {
        changed = float_products::in_floats(&changed).unwrap_or(changed);
        changed = attention_blocks::split_attention(&changed).unwrap_or(changed);
    }
    signed_weights::sign(&mut changed)?;
    let bytes = write(&changed);
    // Weights in floats are large, so a copy is dropped as early as possible.
    drop(changed);
    *graph = Field::bytes(GRAPH, bytes);
    Some(Improved { file: write(&model), projection, audio })
}
