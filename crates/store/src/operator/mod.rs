//! What operators do with a database: inspect it, export it, import it.

pub(crate) mod inspect;
pub(crate) mod transfer;

pub use self::inspect::Inspection;
pub use self::transfer::{CarriedRow, Restoration, Snapshot};
