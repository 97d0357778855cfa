//! What every kind of file gives: tensors by name.

use crate::error::WeightsError;
use crate::matrix::Matrix;

/// A file that weights are read from, tensor by tensor.
///
/// Nothing is kept of a tensor after it was read, so that loading a model never holds all of its floats.
pub trait TensorSource: Send + Sync {
    /// Whether there is a tensor with this name.
    fn contains(&self, name: &str) -> bool;

    /// The sizes of a tensor, the outermost first. A matrix has outputs × inputs, a convolution outputs × channels ×
    /// window.
    fn shape(&self, name: &str) -> Result<Vec<usize>, WeightsError>;

    /// A vector, a norm, a table or a convolution as floats, in the order of its shape.
    fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError>;

    /// The weights of a product: a row of inputs per output. Integers of the file stay integers. The rows of a
    /// convolution are window × channel, so that they match a window of rows of channels.
    fn matrix(&self, name: &str) -> Result<Matrix, WeightsError>;
}
