//! What several nodes on one database share.

pub(crate) mod shared_values;
pub(crate) mod tasks;
