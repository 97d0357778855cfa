//! The progress of a task, from the thread that works to the one that records it.

use auris_domain::model_task::TaskProgress;
use auris_engines::PullSink;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Counts the bytes of all files of a task together.
pub(super) struct TaskSink {
    progress: watch::Sender<TaskProgress>,
    /// The bytes of the files before the current one.
    bytes_before: u64,
    /// The size of the current file.
    file_bytes: u64,
    cancel: CancellationToken,
}

impl TaskSink {
    /// The receiver always has the latest progress.
    pub(super) fn new(cancel: CancellationToken) -> (Self, watch::Receiver<TaskProgress>) {
        let (progress, latest) = watch::channel(TaskProgress::default());
        (Self { progress, bytes_before: 0, file_bytes: 0, cancel }, latest)
    }

    /// Sets the bytes of all files that will come.
    pub(super) fn expect_bytes(&self, total: u64) {
        self.progress.send_modify(|progress| progress.total_bytes = total);
    }
}

impl PullSink for TaskSink {
    fn file(&mut self, model: &str, file: &str, bytes: u64) {
        self.bytes_before += self.file_bytes;
        self.file_bytes = bytes;
        let before = self.bytes_before;
        let end = self.bytes_before + bytes;
        self.progress.send_modify(|progress| {
            progress.file = Some(format!("{model}/{file}"));
            progress.done_bytes = before;
            // Files may have disappeared since they were counted.
            progress.total_bytes = progress.total_bytes.max(end);
        });
    }

    fn progress(&mut self, bytes_done: u64) {
        let done = self.bytes_before + bytes_done;
        self.progress.send_modify(|progress| progress.done_bytes = done);
    }

    /// If all sources fail, the error of the task repeats this.
    fn warning(&mut self, message: &str) {
        tracing::debug!(message, "a source of a model file failed");
    }

    fn trial(&mut self, _: &str) {}

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_task_count_together() {
        let cancel = CancellationToken::new();
        let (mut sink, latest) = TaskSink::new(cancel.clone());
        sink.expect_bytes(30);
        sink.file("m", "one", 10);
        sink.progress(4);
        let expected = TaskProgress { file: Some("m/one".into()), done_bytes: 4, total_bytes: 30 };
        assert_eq!(*latest.borrow(), expected);
        sink.file("n", "two", 20);
        sink.progress(20);
        let expected = TaskProgress { file: Some("n/two".into()), done_bytes: 30, total_bytes: 30 };
        assert_eq!(*latest.borrow(), expected);
        sink.file("n", "uncounted", 5);
        assert_eq!(latest.borrow().total_bytes, 35);
        assert!(!sink.is_cancelled());
        cancel.cancel();
        assert!(sink.is_cancelled());
    }
}
