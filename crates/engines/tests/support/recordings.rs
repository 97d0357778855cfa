//! The reference transcripts and word error rates in `recordings.toml`, which `scripts/accuracy` reads too.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One recording and its reference transcript.
#[derive(Debug, Deserialize)]
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) sha256: String,
    pub(crate) language: String,
    pub(crate) text: String,
}

/// The contents of `recordings.toml`.
#[derive(Debug, Deserialize)]
pub(crate) struct Recordings {
    pub(crate) recording: Vec<Recording>,
    /// Word error rate in percent by model, of another engine with the same weights.
    pub(crate) peers: BTreeMap<String, f64>,
}

impl Recordings {
    pub(crate) fn read() -> Self {
        toml::from_str(include_str!("../recordings.toml")).unwrap()
    }
}
