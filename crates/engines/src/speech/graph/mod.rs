//! Changes to published nets, made when they are loaded, that save work without changing what they say.

mod onnx;
mod protobuf;
mod signed;
mod table;

use onnx::{GRAPH, MODEL_GRAPH};
use protobuf::{Field, parse, write};

/// The improved file, or `None` where it is not built as expected; then it is run as it is.
pub(crate) fn improve(file: &[u8]) -> Option<Vec<u8>> {
    let mut model = parse(file)?;
    let graph = model.iter_mut().find(|field| field.number == MODEL_GRAPH)?;
    let mut changed = parse(graph.content(MODEL_GRAPH)?)?;
    // An encoder has no table; the rest holds for it all the same.
    if let Some(without) = table::lifted(&changed) {
        changed = without;
    }
    signed::sign(&mut changed)?;
    *graph = Field::bytes(GRAPH, write(&changed));
    Some(write(&model))
}
