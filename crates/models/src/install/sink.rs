//! The progress of an installation, and whether it is still wanted.

use auris_engine_core::Ignore;

/// Receives the progress of a pull, or of an added model.
pub trait PullSink {
    /// The download or copy of a file of a model starts; `bytes` is its size.
    fn file(&mut self, model: &str, file: &str, bytes: u64);
    /// The bytes of the file that are on disk.
    fn progress(&mut self, bytes_done: u64);
    /// A source failed; the next one is tried.
    fn warning(&mut self, message: &str);
    /// The files of a model are in place, and it is loaded and run for the first time.
    fn trial(&mut self, model: &str);
    /// Whether to stop. Asked often; what was fetched stays, and the next pull resumes with it.
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl PullSink for Ignore {
    fn file(&mut self, _: &str, _: &str, _: u64) {}
    fn progress(&mut self, _: u64) {}
    fn warning(&mut self, _: &str) {}
    fn trial(&mut self, _: &str) {}
}
