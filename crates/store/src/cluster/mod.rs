//! What several nodes on one database share.

pub(crate) mod orphan_blobs;
pub(crate) mod shared_values;
pub(crate) mod tasks;
