//! Two-dimensional convolutions: bands of the spectrum × frames × channels.

use auris_kernels::{FloatLinear, add, relu};

use super::graph::Kernel;

/// Taps in each direction.
const TAPS: usize = 3;
/// Windows that are copied side by side for one product: few enough for the cache of a core.
const BLOCK: usize = 48;

/// Numbers of bands × frames × channels, with zeros around bands and frames.
pub(super) struct Plane {
    floats: Vec<f32>,
    bands: usize,
    frames: usize,
    channels: usize,
}

impl Plane {
    pub(super) fn new(bands: usize, frames: usize, channels: usize) -> Self {
        Self { floats: vec![0.0; (bands + 2) * (frames + 2) * channels], bands, frames, channels }
    }

    /// A plane with one channel, from rows of bands.
    pub(super) fn of_rows(rows: &[f32], bands: usize) -> Self {
        let mut plane = Self::new(bands, rows.len() / bands, 1);
        for band in 0..bands {
            let values = rows.iter().skip(band).step_by(bands);
            plane.band_mut(band).iter_mut().zip(values).for_each(|(to, from)| *to = *from);
        }
        plane
    }

    /// For each frame the channels of all bands, band by band.
    pub(super) fn to_rows(&self) -> Vec<f32> {
        let width = self.bands * self.channels;
        let mut rows = vec![0.0; self.frames * width];
        for band in 0..self.bands {
            let frames = self.band(band).chunks_exact(self.channels);
            for (row, channels) in rows.chunks_exact_mut(width).zip(frames) {
                row[band * self.channels..][..self.channels].copy_from_slice(channels);
            }
        }
        rows
    }

    /// Adds another plane of the same size.
    pub(super) fn add(&mut self, other: &Self) {
        add(&mut self.floats, &other.floats);
    }

    /// ReLU; the zeros around stay zeros.
    pub(super) fn relu(mut self) -> Self {
        relu(&mut self.floats);
        self
    }

    /// A band with the zeros around its frames. The first band of zeros is number 0.
    fn padded_band(&self, number: usize) -> &[f32] {
        let length = (self.frames + 2) * self.channels;
        &self.floats[number * length..][..length]
    }

    /// The frames of a band.
    fn band(&self, band: usize) -> &[f32] {
        &self.padded_band(band + 1)[self.channels..][..self.frames * self.channels]
    }

    fn band_mut(&mut self, band: usize) -> &mut [f32] {
        let start = (band + 1) * (self.frames + 2) * self.channels + self.channels;
        &mut self.floats[start..][..self.frames * self.channels]
    }
}

/// A convolution of three bands and three frames with a padding of one, or of single points.
pub(super) struct PlaneConvolution {
    product: FloatLinear,
    /// Bands from one output band to the next.
    stride: usize,
    is_pointwise: bool,
}

impl PlaneConvolution {
    pub(super) fn new(kernel: &Kernel, stride: usize) -> Self {
        Self { product: kernel.window_product(), stride, is_pointwise: kernel.taps == 1 }
    }

    pub(super) fn run(&self, x: &Plane) -> Plane {
        let mut y = Plane::new(x.bands.div_ceil(self.stride), x.frames, self.product.outputs());
        let mut windows = Vec::new();
        for band in 0..y.bands {
            if self.is_pointwise {
                self.product.run(x.band(band * self.stride), y.band_mut(band));
            } else {
                self.run_band(x, band * self.stride, y.band_mut(band), &mut windows);
            }
        }
        y
    }

    /// One output band, around `band` of `x`.
    fn run_band(&self, x: &Plane, band: usize, y: &mut [f32], windows: &mut Vec<f32>) {
        let around: [&[f32]; TAPS] = std::array::from_fn(|tap| x.padded_band(band + tap));
        let width = TAPS * x.channels;
        for (block, y) in y.chunks_mut(BLOCK * self.product.outputs()).enumerate() {
            windows.clear();
            for frame in block * BLOCK..block * BLOCK + y.len() / self.product.outputs() {
                for band in around {
                    windows.extend_from_slice(&band[frame * x.channels..][..width]);
                }
            }
            self.product.run(windows, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| ((at + seed) * 7_919 % 1_009) as f32 / 1_009.0 - 0.5).collect()
    }

    fn kernel(channels: usize, taps: usize) -> Kernel {
        let outputs = 4;
        Kernel {
            weights: numbers(outputs * channels * taps, 1),
            bias: numbers(outputs, 2),
            outputs,
            channels,
            taps,
        }
    }

    /// The definition, number by number.
    fn plain(x: &Plane, kernel: &Kernel, stride: usize) -> Vec<f32> {
        let side = if kernel.taps == 1 { 1 } else { TAPS };
        let value = |band: usize, frame: usize, channel: usize| {
            let inside = (1..=x.bands).contains(&band) && (1..=x.frames).contains(&frame);
            if inside { x.band(band - 1)[(frame - 1) * x.channels + channel] } else { 0.0 }
        };
        let mut rows = Vec::new();
        for frame in 0..x.frames {
            for band in (0..x.bands).step_by(stride) {
                for output in 0..kernel.outputs {
                    let mut sum = kernel.bias[output];
                    for (tap, channel) in
                        (0..kernel.taps).flat_map(|tap| (0..x.channels).map(move |at| (tap, at)))
                    {
                        let up = tap / side + 1 - side / 2;
                        let right = tap % side + 1 - side / 2;
                        let weight = kernel.weights[(output * x.channels + channel) * kernel.taps + tap];
                        sum += weight * value(band + up, frame + right, channel);
                    }
                    rows.push(sum);
                }
            }
        }
        rows
    }

    #[test]
    fn convolutions_follow_the_definition() {
        for (channels, taps, stride) in [(1, 9, 1), (3, 9, 1), (3, 9, 2), (3, 1, 2)] {
            let bands = 7;
            let frames = BLOCK + 5;
            let mut x = Plane::new(bands, frames, channels);
            (0..bands).for_each(|band| x.band_mut(band).copy_from_slice(&numbers(frames * channels, band)));
            let kernel = kernel(channels, taps);
            let ours = PlaneConvolution::new(&kernel, stride).run(&x).to_rows();
            let plain = plain(&x, &kernel, stride);
            assert_eq!(ours.len(), plain.len());
            assert!(
                ours.iter().zip(&plain).all(|(one, other)| (one - other).abs() < 1e-4),
                "{channels} {taps} {stride}"
            );
        }
    }

    #[test]
    fn rows_become_a_plane_and_rows_again() {
        let rows = numbers(6 * 5, 3);
        assert_eq!(Plane::of_rows(&rows, 5).to_rows(), rows);
    }
}
