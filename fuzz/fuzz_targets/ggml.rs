//! Reads arbitrary bytes as a file of whisper.cpp, and every tensor in it. It finds panics and unbounded memory.

#![no_main]

use auris_weights::{GgmlFile, TensorSource, expected_tensors};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = GgmlFile::from_bytes(bytes.to_vec()) else { return };
    assert!(file.vocabulary().len() <= file.config().vocabulary);
    let _ = file.mel_filters();
    for tensor in expected_tensors(file.config()) {
        let Ok(shape) = file.shape(&tensor.name) else { continue };
        let floats = file.floats(&tensor.name).expect("a tensor with a shape");
        assert_eq!(floats.len(), shape.iter().product::<usize>());
        let _ = auris_weights::linear(&file, &[&tensor.name], &[]);
    }
});
