//! A file of whisper.cpp.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use auris_weights::{ModelConfig, TensorShape, TensorSource, expected_tensors};

use super::blocks::{f32_to_f16, q4_0, q4_1, q5_0, q5_1, q8_0};
use super::k_blocks::{self, q2_k, q3_k, q4_k, q5_k, q6_k};

const FREQUENCIES: usize = 201;

/// Appends the bytes of a block of weights.
type EncodeBlock = fn(&[f32], &mut Vec<u8>);

/// How the products of a file are stored. Vectors are floats and convolutions halves, as in the published files. Products
/// whose rows are not whole blocks of a K type have 8 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GgmlType {
    F32,
    F16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2K,
    Q3K,
    Q4K,
    Q5K,
    Q6K,
}

impl GgmlType {
    /// The number in ggml.h.
    fn number(self) -> u32 {
        match self {
            Self::F32 => 0,
            Self::F16 => 1,
            Self::Q4_0 => 2,
            Self::Q4_1 => 3,
            Self::Q5_0 => 6,
            Self::Q5_1 => 7,
            Self::Q8_0 => 8,
            Self::Q2K => 10,
            Self::Q3K => 11,
            Self::Q4K => 12,
            Self::Q5K => 13,
            Self::Q6K => 14,
        }
    }

    fn encode(self, floats: &[f32]) -> Vec<u8> {
        let (size, block): (usize, EncodeBlock) = match self {
            Self::F32 => return floats.iter().flat_map(|float| float.to_le_bytes()).collect(),
            Self::F16 => return floats.iter().flat_map(|float| f32_to_f16(*float).to_le_bytes()).collect(),
            Self::Q4_0 => (32, q4_0),
            Self::Q4_1 => (32, q4_1),
            Self::Q5_0 => (32, q5_0),
            Self::Q5_1 => (32, q5_1),
            Self::Q8_0 => (32, q8_0),
            Self::Q2K => (k_blocks::SIZE, q2_k),
            Self::Q3K => (k_blocks::SIZE, q3_k),
            Self::Q4K => (k_blocks::SIZE, q4_k),
            Self::Q5K => (k_blocks::SIZE, q5_k),
            Self::Q6K => (k_blocks::SIZE, q6_k),
        };
        let mut bytes = Vec::with_capacity(floats.len());
        floats.chunks_exact(size).for_each(|weights| block(weights, &mut bytes));
        bytes
    }

    /// The type of a product with this number of inputs.
    fn fitting(self, inputs: usize) -> Self {
        match self {
            Self::Q2K | Self::Q3K | Self::Q4K | Self::Q5K | Self::Q6K => {
                if inputs.is_multiple_of(k_blocks::SIZE) { self } else { Self::Q8_0 }
            }
            Self::F32 | Self::F16 | Self::Q4_0 | Self::Q4_1 | Self::Q5_0 | Self::Q5_1 | Self::Q8_0 => self,
        }
    }
}

/// Writes a Whisper model as a file of whisper.cpp, with the bytes of each token.
pub fn write_ggml(
    path: &Path,
    (source, config): (&dyn TensorSource, &ModelConfig),
    kind: GgmlType,
    tokens: &[Vec<u8>],
) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let mut write = |bytes: &[u8]| file.write_all(bytes).unwrap();
    write(b"lmgg");
    for number in header(config, kind) {
        write(&(number as u32).to_le_bytes());
    }
    write(&(config.mel_bins as u32).to_le_bytes());
    write(&(FREQUENCIES as u32).to_le_bytes());
    mel_filters(config.mel_bins).iter().for_each(|weight| write(&weight.to_le_bytes()));
    write(&(tokens.len() as u32).to_le_bytes());
    for token in tokens {
        write(&(token.len() as u32).to_le_bytes());
        write(token);
    }
    for tensor in expected_tensors(config) {
        let (kind, sizes) = stored_as(&tensor, kind);
        for number in [sizes.len(), tensor.name.len(), kind.number() as usize].into_iter().chain(sizes) {
            write(&(number as u32).to_le_bytes());
        }
        write(tensor.name.as_bytes());
        write(&kind.encode(&source.floats(&tensor.name).unwrap()));
    }
    file.flush().unwrap();
}

/// The type and the sizes of a tensor in a file whose matrices are of this type. The innermost size comes first.
fn stored_as(tensor: &TensorShape, kind: GgmlType) -> (GgmlType, Vec<usize>) {
    match tensor.shape[..] {
        [size] if tensor.name.starts_with("encoder.conv") => (GgmlType::F32, vec![1, size]),
        [size] => (GgmlType::F32, vec![size]),
        [outputs, inputs] if tensor.name.ends_with("weight") => (kind.fitting(inputs), vec![inputs, outputs]),
        [outputs, inputs] => (GgmlType::F32, vec![inputs, outputs]),
        _ => (GgmlType::F16, tensor.shape.iter().rev().copied().collect()),
    }
}

fn header(config: &ModelConfig, kind: GgmlType) -> [usize; 11] {
    [
        config.vocabulary,
        config.audio_positions,
        config.width,
        config.heads,
        config.encoder_layers,
        config.text_positions,
        config.width,
        config.heads,
        config.decoder_layers,
        config.mel_bins,
        kind.number() as usize,
    ]
}

/// Triangles on the scale of Slaney, each of the same area, for 16 kHz and windows of 400 samples.
fn mel_filters(bands: usize) -> Vec<f32> {
    let hertz =
        |mel: f64| if mel < 15.0 { mel * 200.0 / 3.0 } else { 1_000.0 * 6.4f64.powf((mel - 15.0) / 27.0) };
    let highest = 15.0 + 27.0 * 8f64.ln() / 6.4f64.ln();
    let edges: Vec<f64> = (0..bands + 2).map(|at| hertz(highest * at as f64 / (bands + 1) as f64)).collect();
    let mut filters = Vec::with_capacity(bands * FREQUENCIES);
    for edge in edges.windows(3) {
        filters.extend((0..FREQUENCIES).map(|bin| {
            let frequency = bin as f64 * 40.0;
            let rising = (frequency - edge[0]) / (edge[1] - edge[0]);
            let falling = (edge[2] - frequency) / (edge[2] - edge[1]);
            (rising.min(falling).max(0.0) * 2.0 / (edge[2] - edge[0])) as f32
        }));
    }
    filters
}
