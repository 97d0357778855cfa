//! A layer of CAM++'s dense blocks: it reads all channels of the layers before and adds 32 channels.
//!
//! Each added channel is multiplied by a mask between 0 and 1 that depends on the context: the mean of the whole
//! recording and the mean of the surrounding second.

use auris_kernels::{FloatLinear, add, relu, sigmoid};
use auris_weights::WeightsError;

use super::graph::Graph;
use super::norms::Affine;

/// Frames that share a mask.
const SEGMENT: usize = 100;
/// Taps of the convolution.
const TAPS: usize = 3;

/// Rows of channels with room for the channels that later layers add.
pub(super) struct DenseRows {
    pub(super) floats: Vec<f32>,
    /// Floats from one row to the next.
    pub(super) stride: usize,
    /// Channels that are filled.
    pub(super) channels: usize,
}

/// One layer.
pub(super) struct DenseLayer {
    norm: Affine,
    bottleneck: FloatLinear,
    /// For each tap all outputs.
    taps: FloatLinear,
    /// Frames from one tap to the next.
    dilation: usize,
    context: [FloatLinear; 2],
}

/// Buffers that are used by one layer after the other.
#[derive(Default)]
pub(super) struct DenseBuffers {
    activated: Vec<f32>,
    hidden: Vec<f32>,
    products: Vec<f32>,
}

impl DenseLayer {
    pub(super) fn load(graph: &Graph, module: &str, dilation: usize) -> Result<Self, WeightsError> {
        let product =
            |name: &str| graph.convolution(&format!("{module}/{name}")).map(|kernel| kernel.window_product());
        Ok(Self {
            norm: Affine::batch_norm(graph, &format!("{module}/nonlinear1/batchnorm"))?,
            bottleneck: product("linear1")?,
            taps: graph.convolution(&format!("{module}/cam_layer/linear_local"))?.tap_product(),
            dilation,
            context: [product("cam_layer/linear1")?, product("cam_layer/linear2")?],
        })
    }

    /// Channels that it reads.
    pub(super) fn inputs(&self) -> usize {
        self.norm.channels()
    }

    /// Adds the channels of this layer to all rows.
    pub(super) fn run(&self, rows: &mut DenseRows, buffers: &mut DenseBuffers) {
        let DenseBuffers { activated, hidden, products } = buffers;
        let count = rows.floats.len() / rows.stride;
        self.norm.activate(&rows.floats, rows.stride, activated);
        hidden.resize(count * self.bottleneck.outputs(), 0.0);
        self.bottleneck.run(activated, hidden);
        relu(hidden);
        products.resize(count * self.taps.outputs(), 0.0);
        self.taps.run(hidden, products);
        self.add_channels(products, &self.masks(hidden), rows);
    }

    /// Sums up the taps of each row and multiplies them by the mask of its segment.
    fn add_channels(&self, products: &[f32], masks: &[f32], rows: &mut DenseRows) {
        let width = self.taps.outputs();
        let outputs = width / TAPS;
        let before = rows.channels;
        let product = |row: usize, tap: usize| {
            products.get(row * width + tap * outputs..).and_then(|products| products.get(..outputs))
        };
        for (row, floats) in rows.floats.chunks_exact_mut(rows.stride).enumerate() {
            let out = &mut floats[before..before + outputs];
            out.fill(0.0);
            let earlier = row.checked_sub(self.dilation).and_then(|row| product(row, 0));
            for product in [earlier, product(row, 1), product(row + self.dilation, 2)].into_iter().flatten() {
                add(out, product);
            }
            let mask = &masks[row / SEGMENT * outputs..][..outputs];
            out.iter_mut().zip(mask).for_each(|(value, mask)| *value *= mask);
        }
        rows.channels += outputs;
    }

    /// The masks of the segments.
    fn masks(&self, hidden: &[f32]) -> Vec<f32> {
        let [first, second] = &self.context;
        let contexts = contexts(hidden, first.inputs());
        let segments = contexts.len() / first.inputs();
        let mut between = vec![0.0; segments * first.outputs()];
        first.run(&contexts, &mut between);
        relu(&mut between);
        let mut masks = vec![0.0; segments * second.outputs()];
        second.run(&between, &mut masks);
        sigmoid(&mut masks);
        masks
    }
}

/// For each segment its mean plus the mean of everything.
fn contexts(rows: &[f32], width: usize) -> Vec<f32> {
    let mut contexts = Vec::with_capacity(rows.len() / SEGMENT + width);
    let mut whole = vec![0.0; width];
    for segment in rows.chunks(SEGMENT * width) {
        let mut sum = vec![0.0; width];
        segment.chunks_exact(width).for_each(|row| add(&mut sum, row));
        add(&mut whole, &sum);
        let count = (segment.len() / width) as f32;
        contexts.extend(sum.iter().map(|sum| sum / count));
    }
    let count = (rows.len() / width).max(1) as f32;
    whole.iter_mut().for_each(|sum| *sum /= count);
    contexts.chunks_exact_mut(width).for_each(|context| add(context, &whole));
    contexts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_may_be_shorter() {
        let rows: Vec<f32> =
            (0..SEGMENT + 50).flat_map(|row| [if row < SEGMENT { 1.0 } else { 4.0 }, 0.5]).collect();
        let contexts = contexts(&rows, 2);
        assert_eq!(contexts, [1.0 + 2.0, 1.0, 4.0 + 2.0, 1.0]);
    }
}
