//! The progress of a pull.

use auris_engine_core::Ignore;

/// Receives the progress of a pull.
pub trait PullSink {
    /// The download of a file of a model starts; `bytes` is its size.
    fn file(&mut self, model: &str, file: &str, bytes: u64);
    /// The bytes of the file that are on disk.
    fn progress(&mut self, bytes_done: u64);
    /// A source failed; the next one is tried.
    fn warning(&mut self, message: &str);
}

impl PullSink for Ignore {
    fn file(&mut self, _: &str, _: &str, _: u64) {}
    fn progress(&mut self, _: u64) {}
    fn warning(&mut self, _: &str) {}
}
