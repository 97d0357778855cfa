//! What operators do with a database: look at all projects together, inspect it, export it, import it.

mod inspect;
mod overview;
mod transfer;

pub use self::inspect::Inspection;
pub use self::overview::{JobCounts, JobFilter, ProjectQueue, RunningStep};
pub use self::transfer::{CarriedRow, NamedBlob, Restoration, Snapshot};
use crate::sql::ListedStatement;

pub(crate) const STATEMENTS: &[&[ListedStatement]] =
    &[inspect::STATEMENTS, overview::STATEMENTS, transfer::STATEMENTS];
