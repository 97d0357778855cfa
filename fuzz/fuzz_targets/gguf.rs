//! Reads arbitrary bytes as a GGUF file. It finds panics and unbounded memory.

#![no_main]

use auris_weights::GgufFile;
use libfuzzer_sys::fuzz_target;

/// Keys in the first inputs.
const KEYS: [&str; 6] = ["general.alignment", "f", "b", "t", "tokens", "types"];
/// Tensors in the first inputs.
const TENSORS: [&str; 5] = ["a", "h", "q8", "q4", "q6"];

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = GgufFile::from_memory(bytes.to_vec()) else { return };
    for key in KEYS {
        let _ = (file.text(key), file.number(key), file.float(key), file.flag(key));
        let _ = (file.texts(key), file.numbers(key));
    }
    for name in TENSORS {
        let Some(shape) = file.shape(name) else { continue };
        let floats = file.floats(name).expect("a tensor with a shape");
        assert_eq!(floats.len(), shape.iter().product::<usize>());
        let _ = file.linear(name);
    }
});
