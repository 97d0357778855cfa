//! Reads arbitrary bytes as the packed copy of a model, with a right checksum. It finds panics and unbounded memory.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = auris_weights::check_copy(bytes);
});
