//! CAM++: an embedding of the voice in rows of filterbank features.

use auris_kernels::{FloatLinear, add, relu};
use auris_weights::WeightsError;

use super::dense_layer::{DenseBuffers, DenseLayer, DenseRows};
use super::front_end::{FrontEnd, REDUCED_BANDS};
use super::graph::Graph;
use super::norms::Affine;

/// The dense blocks: the number of layers, and the frames from one tap of their convolutions to the next.
const BLOCKS: [(usize, usize); 3] = [(12, 1), (24, 2), (16, 2)];
/// Frames on both sides of a frame that the first layer reads, and frames from one of its outputs to the next.
const PADDING: usize = 2;
const STRIDE: usize = 2;

static FILE: &[u8] = include_bytes!("../../../../models/campplus_zh_en_16k_common_advanced.onnx");

/// The loaded net.
pub(crate) struct Campplus {
    front_end: FrontEnd,
    first: FloatLinear,
    blocks: Vec<DenseBlock>,
    output: FloatLinear,
    output_norm: Affine,
}

struct DenseBlock {
    layers: Vec<DenseLayer>,
    norm: Affine,
    /// Mixes the channels of all layers.
    transition: FloatLinear,
}

impl Campplus {
    pub(crate) fn load() -> Result<Self, WeightsError> {
        let graph = Graph::open(FILE)?;
        let blocks = BLOCKS
            .iter()
            .enumerate()
            .map(|(nth, (layers, dilation))| DenseBlock::load(&graph, nth + 1, *layers, *dilation));
        Ok(Self {
            front_end: FrontEnd::load(&graph)?,
            first: first_layer(&graph)?,
            blocks: blocks.collect::<Result<_, _>>()?,
            output: graph.convolution("xvector/dense/linear")?.window_product(),
            output_norm: Affine::batch_norm(&graph, "xvector/dense/nonlinear/batchnorm")?,
        })
    }

    /// The embedding of rows of features whose mean is zero.
    pub(crate) fn embedding(&self, features: &[f32]) -> Vec<f32> {
        let mut rows = self.first_rows(&self.front_end.run(features));
        let mut buffers = DenseBuffers::default();
        for block in &self.blocks {
            rows = block.run(&rows, &mut buffers);
        }
        relu(&mut rows);
        let channels = self.output.inputs() / 2;
        let mut embedding = vec![0.0; self.output.outputs()];
        self.output.run(&statistics(&rows, channels), &mut embedding);
        self.output_norm.apply(&mut embedding);
        relu(&mut embedding);
        embedding
    }

    /// A convolution of five frames, with half as many rows.
    fn first_rows(&self, rows: &[f32]) -> Vec<f32> {
        let width = self.first.inputs() / (2 * PADDING + 1);
        let mut padded = vec![0.0; rows.len() + 2 * PADDING * width];
        padded[PADDING * width..][..rows.len()].copy_from_slice(rows);
        let count = (rows.len() / width).div_ceil(STRIDE);
        let mut y = vec![0.0; count * self.first.outputs()];
        self.first.run_windows(&padded, STRIDE * width, &mut y);
        relu(&mut y);
        y
    }
}

/// The file has the bands of each channel side by side, the front end the channels of each band.
fn first_layer(graph: &Graph) -> Result<FloatLinear, WeightsError> {
    let kernel = graph.convolution("xvector/tdnn/linear")?;
    let channels = kernel.channels / REDUCED_BANDS;
    let of_file = |at: usize| at % channels * REDUCED_BANDS + at / channels;
    Ok(kernel.with_channels(of_file).window_product())
}

impl DenseBlock {
    fn load(graph: &Graph, number: usize, layers: usize, dilation: usize) -> Result<Self, WeightsError> {
        let layer =
            |nth: usize| DenseLayer::load(graph, &format!("xvector/block{number}/tdnnd{nth}"), dilation);
        let transition = format!("xvector/transit{number}");
        Ok(Self {
            layers: (1..=layers).map(layer).collect::<Result<_, _>>()?,
            norm: Affine::batch_norm(graph, &format!("{transition}/nonlinear/batchnorm"))?,
            transition: graph.convolution(&format!("{transition}/linear"))?.window_product(),
        })
    }

    fn run(&self, input: &[f32], buffers: &mut DenseBuffers) -> Vec<f32> {
        let mut rows = self.rows(input);
        for layer in &self.layers {
            layer.run(&mut rows, buffers);
        }
        let mut activated = Vec::new();
        self.norm.activate(&rows.floats, rows.stride, &mut activated);
        let count = rows.floats.len() / rows.stride;
        let mut y = vec![0.0; count * self.transition.outputs()];
        self.transition.run(&activated, &mut y);
        y
    }

    /// The input, with room for the channels of all layers.
    fn rows(&self, input: &[f32]) -> DenseRows {
        let channels = self.layers.first().map_or(0, DenseLayer::inputs);
        let stride = self.norm.channels();
        let mut floats = vec![0.0; input.len() / channels.max(1) * stride];
        for (row, input) in floats.chunks_exact_mut(stride).zip(input.chunks_exact(channels.max(1))) {
            row[..channels].copy_from_slice(input);
        }
        DenseRows { floats, stride, channels }
    }
}

/// The mean of each channel, followed by the standard deviation of each.
fn statistics(rows: &[f32], channels: usize) -> Vec<f32> {
    let count = rows.len() / channels;
    let mut mean = vec![0.0f32; channels];
    for row in rows.chunks_exact(channels) {
        add(&mut mean, row);
    }
    mean.iter_mut().for_each(|sum| *sum /= count.max(1) as f32);
    let mut squares = vec![0.0f32; channels];
    for row in rows.chunks_exact(channels) {
        let differences = row.iter().zip(&mean).map(|(value, mean)| value - mean);
        squares.iter_mut().zip(differences).for_each(|(sum, difference)| *sum += difference * difference);
    }
    let others = count.saturating_sub(1).max(1) as f32;
    mean.extend(squares.iter().map(|sum| (sum / others).sqrt()));
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_means_and_standard_deviations() {
        let found = statistics(&[1.0, 5.0, 3.0, 5.0, 5.0, 5.0], 2);
        assert_eq!(found, [3.0, 5.0, 2.0, 0.0]);
    }
}
