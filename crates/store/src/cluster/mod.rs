//! What several nodes on one database share.

pub(crate) mod model_tasks;
pub(crate) mod nodes;
pub(crate) mod orphan_blobs;
pub(crate) mod shared_values;
pub(crate) mod tasks;
