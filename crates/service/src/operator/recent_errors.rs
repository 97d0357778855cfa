//! The last errors that this process logged, in memory.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use auris_domain::time::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;

/// Errors that are kept; an older one is dropped for each new one.
const KEPT: usize = 50;
/// Maximum length of a message that is kept.
const MAX_CHARACTERS: usize = 500;

/// The log of a process is one, and so is this list.
static OF_PROCESS: LazyLock<RecentErrors> = LazyLock::new(RecentErrors::default);

/// An error that was logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoggedError {
    pub at: Timestamp,
    pub message: String,
    /// The module that logged it.
    pub target: String,
}

/// A bounded list of logged errors. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct RecentErrors(Arc<Mutex<VecDeque<LoggedError>>>);

impl RecentErrors {
    /// The list that the log of this process fills.
    pub fn of_process() -> Self {
        OF_PROCESS.clone()
    }

    /// Adds an error, with a long message cut.
    pub fn add(&self, mut error: LoggedError) {
        if let Some((end, _)) = error.message.char_indices().nth(MAX_CHARACTERS) {
            error.message.truncate(end);
        }
        let mut errors = self.0.lock();
        if errors.len() == KEPT {
            errors.pop_front();
        }
        errors.push_back(error);
    }

    /// The newest error first.
    pub fn list(&self) -> Vec<LoggedError> {
        self.0.lock().iter().rev().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(at: i64, message: &str) -> LoggedError {
        LoggedError { at: Timestamp(at), message: message.into(), target: "test".into() }
    }

    #[test]
    fn only_the_last_errors_are_kept_and_the_newest_comes_first() {
        let errors = RecentErrors::default();
        for second in 0..KEPT as i64 + 3 {
            errors.clone().add(error(second, "failed"));
        }
        let listed = errors.list();
        assert_eq!(listed.len(), KEPT);
        assert_eq!((listed[0].at, listed[KEPT - 1].at), (Timestamp(KEPT as i64 + 2), Timestamp(3)));
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let errors = RecentErrors::default();
        errors.add(error(1, &"ü".repeat(MAX_CHARACTERS + 1)));
        errors.add(error(2, &"ü".repeat(MAX_CHARACTERS)));
        let lengths: Vec<usize> = errors.list().iter().map(|error| error.message.chars().count()).collect();
        assert_eq!(lengths, [MAX_CHARACTERS, MAX_CHARACTERS]);
    }
}
