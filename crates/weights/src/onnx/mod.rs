//! ONNX files: the tensors of a graph by name, and where the graph uses them.

mod config;
mod file;
mod graph;
mod initializer;
mod model;
mod node;
mod protobuf;
mod quantized;
#[cfg(test)]
mod tests;

pub use file::OnnxFile;
pub use model::OnnxModel;
pub use node::{Attribute, Node};
