//! Reads the parts of a model and checks their sizes, so that a wrong file is an error here and not a panic later.

use auris_engine_core::EngineError;
use auris_kernels::Linear;
use auris_weights::ModelParts;

/// The parts of a model while it is loaded.
pub(super) struct Loader<'a> {
    parts: &'a mut dyn ModelParts,
    bytes: usize,
}

impl<'a> Loader<'a> {
    pub(super) fn new(parts: &'a mut dyn ModelParts) -> Self {
        Self { parts, bytes: 0 }
    }

    /// The memory of all parts that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.parts.contains(name)
    }

    /// A tensor as floats. Fails if it does not have this number of them.
    pub(super) fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f32>, EngineError> {
        let floats = self.parts.floats(name).map_err(EngineError::internal)?;
        check(&format!("`{name}`"), "numbers", floats.len(), length)?;
        self.bytes += size_of_val(floats.as_slice());
        Ok(floats)
    }

    /// The products with these names, of the same input, joined into one. Fails if it has other sizes; any number of
    /// outputs is right if none is given. A product without a bias in the file has none.
    pub(super) fn linear(
        &mut self,
        names: &[String],
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<Linear, EngineError> {
        let weights: Vec<String> = names.iter().map(|name| format!("{name}.weight")).collect();
        let biases: Vec<String> = names.iter().map(|name| format!("{name}.bias")).collect();
        let weights: Vec<&str> = weights.iter().map(String::as_str).collect();
        let biases: Vec<Option<&str>> =
            biases.iter().map(|bias| self.parts.contains(bias).then_some(bias.as_str())).collect();
        let linear = self.parts.linear(&weights, &biases).map_err(EngineError::internal)?;
        let name = format!("`{}`", names.join("`, `"));
        check(&name, "inputs", linear.inputs(), inputs)?;
        check(&name, "outputs", linear.outputs(), outputs.unwrap_or(linear.outputs()))?;
        self.bytes += linear.bytes();
        Ok(linear)
    }
}

/// Fails if a size is not as expected.
pub(super) fn check(name: &str, unit: &str, size: usize, expected: usize) -> Result<(), EngineError> {
    if size == expected {
        return Ok(());
    }
    Err(EngineError::internal(format!("the weights {name} have {size} {unit} instead of {expected}")))
}
