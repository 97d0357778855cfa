//! Reads arbitrary bytes as a safetensors file. It finds panics and unbounded memory.

#![no_main]

use auris_weights::{SafetensorsFile, TensorSource};
use libfuzzer_sys::fuzz_target;

/// Names in the first inputs.
const NAMES: [&str; 3] = ["a", "b", "model.encoder.conv1.weight"];

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = SafetensorsFile::from_bytes(bytes.to_vec()) else { return };
    for name in NAMES {
        let Ok(shape) = file.shape(name) else { continue };
        let floats = file.floats(name).expect("a tensor with a shape");
        assert_eq!(floats.len(), shape.iter().product::<usize>());
        let _ = auris_weights::linear(&file, &[name], &[]);
    }
});
