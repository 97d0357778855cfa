//! Changes to published nets, made when they are loaded, that save work or errors of rounding.

mod attention;
mod cross;
mod floats;
mod onnx;
mod protobuf;
mod signed;
mod table;
mod turned;

use onnx::{GRAPH, MODEL_GRAPH};
use protobuf::{Field, parse, write};

use super::projection::Projection;

/// A changed net.
pub(crate) struct Improved {
    pub(crate) file: Vec<u8>,
    /// What was taken out of a decoder: its outputs named `logits` are to go through it.
    pub(crate) projection: Option<Projection>,
    pub(crate) audio: Audio,
}

/// The shape in which a decoder wants back what it remembers of the audio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audio {
    /// As it gave it: batch × head × frame × width.
    AsGiven,
    /// The keys with their last two dimensions turned.
    Turned,
    /// The same without the batch, and the values too.
    TurnedWithoutBatch,
}

/// What a file is, where more can be done for it than for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    WhisperEncoder,
    Other,
}

/// The improved file, or `None` where it is not built as expected; then it is run as it is.
pub(crate) fn improve(file: &[u8], kind: Kind) -> Option<Improved> {
    let mut model = parse(file)?;
    let graph = model.iter_mut().find(|field| field.number == MODEL_GRAPH)?;
    let mut changed = parse(graph.content(MODEL_GRAPH)?)?;
    let mut projection = None;
    // An encoder has no table; the rest holds for it all the same.
    if let Some((without, lifted)) = table::lifted(&changed) {
        (changed, projection) = (without, Some(lifted));
    }
    let mut audio = Audio::AsGiven;
    if let Some(without) = cross::ready(&changed) {
        (changed, audio) = (without, Audio::TurnedWithoutBatch);
    } else if let Some(without) = turned::turned(&changed) {
        (changed, audio) = (without, Audio::Turned);
    }
    if kind == Kind::WhisperEncoder {
        changed = floats::floated(&changed).unwrap_or(changed);
        changed = attention::in_blocks(&changed).unwrap_or(changed);
    }
    signed::sign(&mut changed)?;
    let bytes = write(&changed);
    // Weights in floats are large: no more copies than needed at a time.
    drop(changed);
    *graph = Field::bytes(GRAPH, bytes);
    Some(Improved { file: write(&model), projection, audio })
}
