//! Weights in an ONNX file. Exporters number some of them, so they are found by the operation that reads them.

use auris_audio::lstm::{Direction, Lstm, LstmWeights};
use auris_kernels::FloatLinear;
use auris_weights::{Node, OnnxFile, WeightsError};

/// An open file.
pub(super) struct Graph {
    file: OnnxFile,
}

/// The weights of a convolution.
pub(super) struct Kernel {
    /// For each output and channel its taps.
    pub(super) weights: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) outputs: usize,
    pub(super) channels: usize,
    /// Taps of all dimensions together.
    pub(super) taps: usize,
}

impl Graph {
    pub(super) fn open(bytes: &'static [u8]) -> Result<Self, WeightsError> {
        Ok(Self { file: OnnxFile::from_bytes(bytes)? })
    }

    /// The tensor with this name.
    pub(super) fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        self.file.floats(name)
    }

    /// The convolution of a module.
    pub(super) fn convolution(&self, module: &str) -> Result<Kernel, WeightsError> {
        let node = self.node(&format!("/{module}/Conv_output_0"))?;
        let weights = input(node, 1)?;
        let bias = node.inputs.get(2).map(|bias| self.file.floats(bias)).transpose()?.unwrap_or_default();
        let (outputs, channels, taps) = match self.file.shape(weights)?.as_slice() {
            [outputs, channels, taps @ ..] => (*outputs, *channels, taps.iter().product()),
            [] | [_] => return Err(missing(weights)),
        };
        let weights = self.file.floats(weights)?;
        Ok(Kernel { weights, bias, outputs, channels, taps })
    }

    /// Weight, bias, mean and variance of a batch norm.
    pub(super) fn batch_norm(&self, module: &str) -> Result<[Vec<f32>; 4], WeightsError> {
        let node = self.node(&format!("/{module}/BatchNormalization_output_0"))?;
        let floats = |nth: usize| self.file.floats(input(node, nth)?);
        Ok([floats(1)?, floats(2)?, floats(3)?, floats(4)?])
    }

    /// The product and the bias of a linear module.
    pub(super) fn linear(&self, module: &str) -> Result<FloatLinear, WeightsError> {
        let weights = self.file.floats(&format!("{module}.weight"))?;
        let bias = self.file.floats(&format!("{module}.bias"))?;
        Ok(FloatLinear::new(&weights, weights.len() / bias.len().max(1), &bias))
    }

    /// Both directions of every LSTM, in the order of the file.
    pub(super) fn bidirectional_lstms(&self) -> Result<Vec<[Lstm; 2]>, WeightsError> {
        self.file
            .nodes()
            .iter()
            .filter(|node| node.operator == "LSTM")
            .map(|node| self.bidirectional(node))
            .collect()
    }

    fn bidirectional(&self, node: &Node) -> Result<[Lstm; 2], WeightsError> {
        let floats = |nth: usize| self.file.floats(input(node, nth)?);
        let inputs = floats(1)?;
        let recurrents = floats(2)?;
        let biases = floats(3)?;
        let half =
            |floats: &[f32], nth: usize| floats[nth * (floats.len() / 2)..][..floats.len() / 2].to_vec();
        Ok([Direction::Forward, Direction::Backward].map(|direction| {
            let nth = usize::from(direction == Direction::Backward);
            let weights = LstmWeights {
                input: &half(&inputs, nth),
                recurrent: &half(&recurrents, nth),
                bias: &half(&biases, nth),
            };
            Lstm::new(weights, direction)
        }))
    }

    /// The operation with this output.
    fn node(&self, output: &str) -> Result<&Node, WeightsError> {
        let found = self.file.nodes().iter().find(|node| node.outputs.iter().any(|name| name == output));
        found.ok_or_else(|| missing(output))
    }
}

fn input(node: &Node, nth: usize) -> Result<&str, WeightsError> {
    node.inputs.get(nth).map(String::as_str).ok_or_else(|| missing(&node.operator))
}

fn missing(name: &str) -> WeightsError {
    WeightsError::Missing { name: name.to_owned() }
}

impl Kernel {
    /// The product with windows of rows: for each output and tap its channels.
    pub(super) fn window_product(&self) -> FloatLinear {
        let row = |output: usize| {
            let taps = (0..self.taps).map(move |tap| (output, tap));
            taps.flat_map(move |(output, tap)| {
                (0..self.channels).map(move |channel| self.weight(output, channel, tap))
            })
        };
        let weights: Vec<f32> = (0..self.outputs).flat_map(row).collect();
        FloatLinear::new(&weights, self.taps * self.channels, &self.bias)
    }

    /// The product of one row with all taps: for each tap and output its channels. There is no bias.
    pub(super) fn tap_product(&self) -> FloatLinear {
        let rows = (0..self.taps).flat_map(|tap| (0..self.outputs).map(move |output| (tap, output)));
        let weights: Vec<f32> = rows
            .flat_map(|(tap, output)| {
                (0..self.channels).map(move |channel| self.weight(output, channel, tap))
            })
            .collect();
        FloatLinear::new(&weights, self.channels, &[])
    }

    /// Changes the order of the channels: channel `n` of the result was channel `order(n)`.
    pub(super) fn with_channels(mut self, order: impl Fn(usize) -> usize) -> Self {
        let rows = self.weights.chunks_exact(self.channels * self.taps);
        let reordered = rows.flat_map(|row| {
            (0..self.channels)
                .flat_map(|channel| &row[order(channel) * self.taps..][..self.taps])
                .copied()
                .collect::<Vec<f32>>()
        });
        self.weights = reordered.collect();
        self
    }

    fn weight(&self, output: usize, channel: usize, tap: usize) -> f32 {
        self.weights[(output * self.channels + channel) * self.taps + tap]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Kernel {
        let weights = (0..12).map(|number| number as f32).collect();
        Kernel { weights, bias: vec![100.0, 200.0], outputs: 2, channels: 3, taps: 2 }
    }

    #[test]
    fn a_window_product_is_the_convolution() {
        let mut y = [0.0; 2];
        kernel().window_product().run(&[1.0, 0.0, 0.0, 0.0, 0.0, 10.0], &mut y);
        assert_eq!(y, [100.0 + 0.0 + 50.0, 200.0 + 6.0 + 110.0]);
    }

    #[test]
    fn a_tap_product_has_the_outputs_of_each_tap() {
        let mut y = [0.0; 4];
        kernel().tap_product().run(&[1.0, 10.0, 100.0], &mut y);
        assert_eq!(y, [420.0, 1_086.0, 531.0, 1_197.0]);
    }

    #[test]
    fn channels_are_reordered() {
        let kernel = kernel().with_channels(|channel| 2 - channel);
        assert_eq!(kernel.weights[..6], [4.0, 5.0, 2.0, 3.0, 0.0, 1.0]);
    }
}
