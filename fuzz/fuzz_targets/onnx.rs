//! Reads arbitrary bytes as an ONNX file of weights, and everything in it. It finds panics and unbounded memory.

#![no_main]

use auris_weights::{Family, OnnxFile, OnnxModel, TensorSource, expected_tensors};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = OnnxFile::from_bytes(bytes.to_vec()) else { return };
    for node in file.nodes() {
        for input in &node.inputs {
            let _ = file.floats(input);
            let _ = auris_weights::linear(&file, &[input], &[]);
        }
    }
    for family in [Family::Moonshine, Family::Whisper] {
        let Ok(decoder) = OnnxFile::from_bytes(bytes.to_vec()) else { return };
        let Ok(encoder) = OnnxFile::from_bytes(bytes.to_vec()) else { return };
        let model = OnnxModel::new(encoder, decoder, family);
        let Ok(config) = model.config() else { continue };
        for tensor in expected_tensors(&config) {
            let _ = model.floats(&tensor.name);
        }
    }
});
