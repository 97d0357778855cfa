//! Reads arbitrary bytes as a folder of Hugging Face: `config.json`, the index of its files, and a file of tensors, with a
//! zero byte behind each of the first two. It finds panics and unbounded memory.

#![no_main]

use auris_weights::{SafetensorsFile, SafetensorsModel, TensorSource, expected_tensors};
use libfuzzer_sys::fuzz_target;

/// Names in the first inputs.
const NAMES: [&str; 3] = ["a", "b", "model.encoder.conv1.weight"];
/// Tensors of a model that are read: the others differ only in their names.
const MODEL_TENSORS: usize = 40;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let mut part = || parts.next().unwrap_or_default();
    let (config, index, tensors) = (part(), part(), part());
    if let Ok(names) = SafetensorsFile::names_in_index(&String::from_utf8_lossy(index)) {
        let folder = std::path::Path::new("/model");
        names.iter().for_each(|name| assert_eq!(folder.join(name).parent(), Some(folder), "{name}"));
    }
    let file = SafetensorsFile::from_bytes(tensors.to_vec());
    if let Ok(file) = &file {
        read_all(file, &NAMES);
    }
    // A config without tensors is a model too, from which everything is missing.
    let file = file.unwrap_or_default();
    let Ok(model) = SafetensorsModel::from_memory(&String::from_utf8_lossy(config), file) else { return };
    let expected = expected_tensors(model.config());
    let names: Vec<&str> = expected.iter().take(MODEL_TENSORS).map(|tensor| tensor.name.as_str()).collect();
    read_all(&model, &names);
});

fn read_all(source: &dyn TensorSource, names: &[&str]) {
    for name in names {
        let Ok(shape) = source.shape(name) else { continue };
        let floats = source.floats(name).expect("a tensor with a shape");
        assert_eq!(floats.len(), shape.iter().product::<usize>());
        let _ = auris_weights::linear(source, &[name], &[]);
    }
}
