//! Convolutions over the few frames of one window, computed for many windows at once.

use auris_kernels::{FloatLinear, relu};

/// Frames that one output frame is computed from.
const TAPS: usize = 3;

/// A convolution of three frames with one frame of padding, followed by ReLU. Each output frame has its own product:
/// frames outside of the window are zeros, so their weights are left out.
pub(super) struct WindowConvolution {
    /// For each output frame the first frame that it reads and the weights.
    products: Vec<(usize, FloatLinear)>,
    /// Floats of a window: frames × channels.
    width: usize,
    channels: usize,
}

/// How the window is divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowFrames {
    pub(super) frames: usize,
    /// Frames from one output frame to the next.
    pub(super) stride: usize,
}

impl WindowConvolution {
    /// `weights` has three taps for each channel of each output.
    pub(super) fn new(weights: &[f32], bias: &[f32], window: WindowFrames) -> Self {
        let channels = weights.len() / TAPS / bias.len().max(1);
        let outputs = (0..window.frames).step_by(window.stride);
        let products = outputs.map(|middle| {
            let first = middle.saturating_sub(1);
            let last = (middle + 1).min(window.frames - 1);
            let taps = first + 1 - middle..=last + 1 - middle;
            let by_tap = weights.chunks_exact(channels * TAPS).flat_map(|output| {
                taps.clone()
                    .flat_map(move |tap| (0..channels).map(move |channel| output[channel * TAPS + tap]))
            });
            let by_tap: Vec<f32> = by_tap.collect();
            (first, FloatLinear::new(&by_tap, (last + 1 - first) * channels, bias))
        });
        Self { products: products.collect(), width: window.frames * channels, channels }
    }

    /// Output frames of a window.
    pub(super) fn frames(&self) -> usize {
        self.products.len()
    }

    /// Runs over windows of frames and writes windows of output frames.
    pub(super) fn run(&self, x: &[f32], y: &mut Vec<f32>) {
        let windows = x.len() / self.width;
        let outputs = self.products.first().map_or(0, |(_, product)| product.outputs());
        y.resize(windows * self.frames() * outputs, 0.0);
        if let [(first, product)] = &self.products[..] {
            product.run_windows(&x[first * self.channels..], self.width, y);
        } else {
            self.run_frames(x, y, outputs);
        }
        relu(y);
    }

    /// One output frame of all windows after the other.
    fn run_frames(&self, x: &[f32], y: &mut [f32], outputs: usize) {
        let width = self.frames() * outputs;
        let mut column = vec![0.0; y.len() / self.frames()];
        for (frame, (first, product)) in self.products.iter().enumerate() {
            product.run_windows(&x[first * self.channels..], self.width, &mut column);
            for (window, row) in y.chunks_exact_mut(width).zip(column.chunks_exact(outputs)) {
                window[frame * outputs..][..outputs].copy_from_slice(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| ((at + seed) * 7_919 % 1_009) as f32 / 1_009.0 - 0.5).collect()
    }

    /// The definition, number by number, of one window.
    fn plain(weights: &[f32], bias: &[f32], x: &[f32], window: WindowFrames) -> Vec<f32> {
        let channels = x.len() / window.frames;
        let mut y = Vec::new();
        for middle in (0..window.frames).step_by(window.stride) {
            for (output, bias) in bias.iter().enumerate() {
                let mut sum = *bias;
                for tap in 0..TAPS {
                    let Some(frame) = (middle + tap).checked_sub(1).filter(|at| *at < window.frames) else {
                        continue;
                    };
                    for channel in 0..channels {
                        sum += weights[(output * channels + channel) * TAPS + tap]
                            * x[frame * channels + channel];
                    }
                }
                y.push(sum.max(0.0));
            }
        }
        y
    }

    #[test]
    fn every_shape_of_the_model_follows_the_definition() {
        for (frames, stride) in [(4, 1), (4, 2), (2, 2), (1, 1)] {
            let window = WindowFrames { frames, stride };
            let (channels, outputs, windows) = (5, 7, 9);
            let (weights, bias) = (numbers(outputs * channels * TAPS, 1), numbers(outputs, 2));
            let x = numbers(windows * frames * channels, 3);
            let mut y = Vec::new();
            WindowConvolution::new(&weights, &bias, window).run(&x, &mut y);
            let plain: Vec<f32> =
                x.chunks_exact(frames * channels).flat_map(|x| plain(&weights, &bias, x, window)).collect();
            assert_eq!(y.len(), plain.len());
            assert!(y.iter().zip(&plain).all(|(one, other)| (one - other).abs() < 1e-4), "{window:?}");
        }
    }
}
