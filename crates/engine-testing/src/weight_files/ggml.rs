//! A file of whisper.cpp.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use auris_weights::{ModelConfig, TensorShape, TensorSource, expected_tensors};

use super::blocks::{f32_to_f16, q4_0, q5_1, q8_0};

const FREQUENCIES: usize = 201;

/// How the products of a file are stored. Vectors are floats and convolutions halves, as in the published files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GgmlType {
    F32,
    F16,
    Q4_0,
    Q5_1,
    Q8_0,
}

impl GgmlType {
    /// The number in ggml.h.
    fn number(self) -> u32 {
        match self {
            Self::F32 => 0,
            Self::F16 => 1,
            Self::Q4_0 => 2,
            Self::Q5_1 => 7,
            Self::Q8_0 => 8,
        }
    }

    fn encode(self, floats: &[f32]) -> Vec<u8> {
        let block = match self {
            Self::F32 => return floats.iter().flat_map(|float| float.to_le_bytes()).collect(),
            Self::F16 => return floats.iter().flat_map(|float| f32_to_f16(*float).to_le_bytes()).collect(),
            Self::Q4_0 => q4_0,
            Self::Q5_1 => q5_1,
            Self::Q8_0 => q8_0,
        };
        let mut bytes = Vec::with_capacity(floats.len());
        floats.chunks_exact(32).for_each(|weights| block(weights, &mut bytes));
        bytes
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
        [outputs, inputs] if tensor.name.ends_with("weight") => (kind, vec![inputs, outputs]),
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
