//! What is said in the recordings, and how well others read them: the file that `scripts/accuracy` reads too.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One recording and its words.
#[derive(Debug, Deserialize)]
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) sha256: String,
    pub(crate) language: String,
    pub(crate) text: String,
}

/// All of them.
#[derive(Debug, Deserialize)]
pub(crate) struct Recordings {
    pub(crate) recording: Vec<Recording>,
    /// Wrong words of a hundred, by model: ONNX Runtime on the same files.
    pub(crate) peers: BTreeMap<String, f64>,
}

impl Recordings {
    pub(crate) fn read() -> Self {
        toml::from_str(include_str!("../recordings.toml")).unwrap()
    }
}
