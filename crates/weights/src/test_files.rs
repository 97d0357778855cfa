//! The smallest possible Whisper in every kind of file, and damage to such files, for the tests of this crate.

use auris_kernels::Linear;

use crate::config::{Family, ModelConfig};
use crate::error::WeightsError;
use crate::onnx::{OnnxFile, OnnxModel};
use crate::pack::linear;
use crate::source::TensorSource;
use crate::tensor_list::{check_tensors, expected_tensors};

pub(crate) const CONFIG: ModelConfig = ModelConfig {
    family: Family::Whisper,
    width: 64,
    encoder_layers: 1,
    decoder_layers: 1,
    heads: 1,
    head_width: 64,
    encoder_feed_forward: 32,
    decoder_feed_forward: 32,
    mel_bins: 2,
    vocabulary: 40,
    audio_positions: 3,
    text_positions: 4,
    rotary_width: 0,
    rotary_base: 0.0,
};

/// Random numbers that are the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }
}

/// The weights of a tensor: small integers, so that every format stores them exactly.
pub(crate) fn weights(name: &str, count: usize) -> Vec<f32> {
    let seed = name.bytes().fold(77u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut random = Random(seed | 1);
    (0..count)
        .map(|at| if at.is_multiple_of(32) { 127.0 } else { random.below(255) as f32 - 127.0 })
        .collect()
}

/// A file of whisper.cpp with halves.
pub(crate) fn ggml() -> Vec<u8> {
    let number = |number: usize| (number as u32).to_le_bytes();
    let mut file = b"lmgg".to_vec();
    for size in [40, 3, 64, 1, 1, 4, 64, 1, 1, 2, 1, 2, 5] {
        file.extend(number(size));
    }
    file.extend([0.5f32; 10].iter().flat_map(|weight| weight.to_le_bytes()));
    file.extend(number(3));
    for token in ["a", " b", ""] {
        file.extend(number(token.len()));
        file.extend(token.as_bytes());
    }
    for tensor in expected_tensors(&CONFIG) {
        let floats = weights(&tensor.name, tensor.shape.iter().product());
        let is_half = tensor.shape.len() > 1;
        for size in [tensor.shape.len(), tensor.name.len(), usize::from(is_half)] {
            file.extend(number(size));
        }
        tensor.shape.iter().rev().for_each(|size| file.extend(number(*size)));
        file.extend(tensor.name.as_bytes());
        for float in floats {
            if is_half {
                file.extend(half(float).to_le_bytes());
            } else {
                file.extend(float.to_le_bytes());
            }
        }
    }
    file
}

/// An integer from −127 to 127 as a half.
fn half(integer: f32) -> u16 {
    let bits = integer.to_bits();
    let (sign, exponent) = ((bits >> 16 & 0x8000) as u16, (bits >> 23 & 255) as u16);
    if integer == 0.0 { 0 } else { sign | (exponent - 112) << 10 | (bits >> 13 & 1023) as u16 }
}

/// A file of Hugging Face with floats.
pub(crate) fn safetensors() -> Vec<u8> {
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for tensor in expected_tensors(&CONFIG) {
        let name = crate::names::hugging_face_name(Family::Whisper, &tensor.name).unwrap();
        let start = data.len();
        let floats = weights(&tensor.name, tensor.shape.iter().product());
        data.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
        let (shape, end) = (tensor.shape, data.len());
        entries
            .push(format!(r#""{name}":{{"dtype":"F32","shape":{shape:?},"data_offsets":[{start},{end}]}}"#));
    }
    let header = format!(r#"{{"__metadata__":{{"format":"pt"}},{}}}"#, entries.join(","));
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

pub(crate) const CONFIG_JSON: &str = r#"{"model_type":"whisper","activation_function":"gelu","d_model":64,
"encoder_layers":1,"decoder_layers":1,"encoder_attention_heads":1,"decoder_attention_heads":1,"encoder_ffn_dim":32,
"decoder_ffn_dim":32,"num_mel_bins":2,"vocab_size":40,"max_source_positions":3,"max_target_positions":4,"x":[1]}"#;

/// A message of protobuf.
#[derive(Default, Clone)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    pub(crate) fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    pub(crate) fn bytes(mut self, field: u64, content: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(content.len() as u64);
        self.0.extend(content);
        self
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// A tensor of an ONNX file.
pub(crate) fn onnx_tensor(name: &str, shape: &[usize], kind: u64, raw: &[u8]) -> Message {
    let sizes = shape.iter().fold(Message::default(), |message, size| message.number(1, *size as u64));
    sizes.number(2, kind).bytes(8, name.as_bytes()).bytes(9, raw)
}

pub(crate) fn onnx_node(name: &str, operator: &str, inputs: &[&str], outputs: &[&str]) -> Message {
    let node = inputs.iter().fold(Message::default(), |node, input| node.bytes(1, input.as_bytes()));
    let node = outputs.iter().fold(node, |node, output| node.bytes(2, output.as_bytes()));
    node.bytes(3, name.as_bytes()).bytes(4, operator.as_bytes())
}

pub(crate) fn onnx_file(nodes: &[Message], tensors: &[Message]) -> Vec<u8> {
    let graph = nodes.iter().fold(Message::default(), |graph, node| graph.bytes(1, &node.0));
    let graph = tensors.iter().fold(graph, |graph, tensor| graph.bytes(5, &tensor.0));
    Message::default().number(1, 8).bytes(7, &graph.0).0
}

/// One of the two quantized files of an export, as the exporter and the quantizer write them.
pub(crate) fn onnx(side: &str) -> Vec<u8> {
    let (mut nodes, mut tensors) = (Vec::new(), Vec::new());
    for tensor in expected_tensors(&CONFIG).iter().filter(|tensor| tensor.name.starts_with(side)) {
        let exported = crate::names::hugging_face_name(Family::Whisper, &tensor.name).unwrap();
        let name = exported.strip_prefix("model.encoder.").unwrap_or(&exported).to_owned();
        let floats = weights(&tensor.name, tensor.shape.iter().product());
        if tensor.shape.len() == 1 || name.contains("positions") {
            let raw: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
            tensors.push(onnx_tensor(&name, &tensor.shape, 1, &raw));
            continue;
        }
        let is_product = tensor.shape.len() == 2 && !name.contains("embed");
        let base = if is_product { format!("onnx::MatMul_{}", tensors.len()) } else { name.clone() };
        let mut shape = tensor.shape.clone();
        let mut numbers: Vec<u8> = floats.iter().map(|float| (*float + 128.0) as u8).collect();
        if is_product {
            let (outputs, inputs) = (shape[0], shape[1]);
            numbers = (0..numbers.len()).map(|at| numbers[at % outputs * inputs + at / outputs]).collect();
            shape.reverse();
            let node = format!("/{}/MatMul_quant", name.trim_end_matches(".weight").replace('.', "/"));
            let node = node.replace("layers/0", "layers.0");
            nodes.push(onnx_node(&node, "MatMulInteger", &["x", &format!("{base}_quantized")], &["y"]));
        }
        tensors.push(onnx_tensor(&format!("{base}_quantized"), &shape, 2, &numbers));
        tensors.push(onnx_tensor(&format!("{base}_scale"), &[], 1, &1f32.to_le_bytes()));
        tensors.push(
            Message::default().number(2, 2).bytes(8, format!("{base}_zero_point").as_bytes()).number(5, 128),
        );
    }
    onnx_file(&nodes, &tensors)
}

pub(crate) fn onnx_model() -> OnnxModel {
    let file = |side: &str| OnnxFile::from_bytes(onnx(side)).unwrap();
    OnnxModel::new(file("encoder"), file("decoder"), Family::Whisper)
}

/// Whether a source has every tensor of the small model with its weights.
pub(crate) fn expect_weights(source: &dyn TensorSource) {
    check_tensors(source, &CONFIG).unwrap();
    for tensor in expected_tensors(&CONFIG) {
        let expected = weights(&tensor.name, tensor.shape.iter().product());
        assert_eq!(source.floats(&tensor.name).unwrap(), expected, "{}", tensor.name);
        if tensor.shape.len() == 2 {
            let matrix = source.matrix(&tensor.name).unwrap();
            assert_eq!((matrix.outputs(), matrix.inputs()), (tensor.shape[0], tensor.shape[1]));
            assert_eq!(matrix.floats(), expected, "{}", tensor.name);
        }
    }
}

/// Reads everything of a source, as a net does. For damaged files: it must not panic.
pub(crate) fn read_all(source: &dyn TensorSource, config: &ModelConfig) -> Result<Vec<Linear>, WeightsError> {
    check_tensors(source, config)?;
    let mut linears = Vec::new();
    for tensor in expected_tensors(config) {
        source.floats(&tensor.name)?;
        if tensor.shape.len() > 1 {
            linears.push(linear(source, &[&tensor.name], &[])?);
        }
    }
    Ok(linears)
}

/// Calls the reader with every short file, many truncated ones, and many with changed bytes.
pub(crate) fn damage(file: &[u8], rounds: usize, mut read: impl FnMut(Vec<u8>)) {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for length in 0..file.len().min(600) {
        read(file[..length].to_vec());
    }
    for round in 0..rounds {
        let mut copy = file.to_vec();
        // Half of the changes are near the start, where sizes and names are.
        let reach = if round.is_multiple_of(2) { copy.len() } else { copy.len().min(1_500) };
        for _ in 0..=random.below(4) {
            let at = random.below(reach);
            copy[at] = match random.below(5) {
                0 => 0,
                1 => 0xFF,
                2 => 0x7F,
                3 => copy[at] ^ 1 << random.below(8),
                _ => random.below(256) as u8,
            };
        }
        match random.below(4) {
            0 => copy.truncate(random.below(file.len())),
            1 => copy.extend([1, 2, 3]),
            _ => {}
        }
        read(copy);
    }
}
