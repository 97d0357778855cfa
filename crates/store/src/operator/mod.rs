//! What operators do with a database: look at all projects together, inspect it, export it, import it.

pub(crate) mod inspect;
pub(crate) mod overview;
pub(crate) mod transfer;

pub use self::inspect::Inspection;
pub use self::overview::{JobCounts, JobFilter, ProjectQueue, RunningStep};
pub use self::transfer::{CarriedRow, Restoration, Snapshot};
