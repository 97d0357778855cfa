//! A recording on disk.

use std::path::PathBuf;

/// A recording and the duration above which it is rejected.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioSource {
    pub path: PathBuf,
    pub max_seconds: f64,
}

impl AudioSource {
    pub fn new(path: impl Into<PathBuf>, max_seconds: f64) -> Self {
        Self { path: path.into(), max_seconds }
    }
}
