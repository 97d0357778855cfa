//! Records the statements that an operation runs. Only the benchmarks use it: they compare the store with a bare loop of
//! the statements that it really sends to the database.

use std::cell::RefCell;

pub use super::arguments::Argument;

/// One step of an operation, in the order in which the database got it.
#[derive(Debug, Clone)]
pub enum Recorded {
    Begin,
    Statement { text: String, arguments: Vec<Argument> },
    Commit,
}

tokio::task_local! {
    static RECORDED: RefCell<Vec<Recorded>>;
}

/// Runs the operation and returns its result with the statements that it ran in this task.
pub async fn record<T>(operation: impl Future<Output = T>) -> (T, Vec<Recorded>) {
    let recording = async {
        let result = operation.await;
        (result, RECORDED.with(RefCell::take))
    };
    RECORDED.scope(RefCell::default(), recording).await
}

/// Adds a step if the current task records.
pub(crate) fn note(step: impl FnOnce() -> Recorded) {
    // An error means that nothing records, which is always so outside of the benchmarks.
    let _ = RECORDED.try_with(|recorded| recorded.borrow_mut().push(step()));
}

pub(crate) fn note_statement(text: &str, arguments: &[Argument]) {
    note(|| Recorded::Statement { text: text.to_owned(), arguments: arguments.to_vec() });
}
