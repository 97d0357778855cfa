//! Neural networks in ONNX files: improved when loaded, then run with rten.

mod graph;
mod logits;
mod net;

pub use graph::AudioLayout;
pub use logits::Projection;
pub use net::{Net, floats};
