//! The published models of the catalogue, in folders as the installer makes them.

use std::path::Path;

use auris_engine_testing::asset;
use tempfile::TempDir;

pub(crate) const MOONSHINE_TINY: [(&str, &str); 2] = [
    ("encoder_model.onnx", "c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a"),
    ("decoder_model_merged.onnx", "eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367"),
];
pub(crate) const MOONSHINE_BASE: [(&str, &str); 2] = [
    ("encoder_model.onnx", "1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751"),
    ("decoder_model_merged.onnx", "cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3"),
];
pub(crate) const WHISPER_TINY: [(&str, &str); 2] = [
    ("encoder_model_quantized.onnx", "fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e"),
    (
        "decoder_model_merged_quantized.onnx",
        "6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0",
    ),
];
pub(crate) const WHISPER_TOKENIZER: &str = "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566";

/// A folder with the files of a model.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, hash) in files {
        link(&asset(hash), &folder.path().join(name));
    }
    folder
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).unwrap();
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) {
    std::fs::copy(from, to).unwrap();
}
