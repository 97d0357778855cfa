//! The files in the folder of the models that are not models.

/// The models that the operator added.
pub(super) const LOCAL_CATALOG: &str = "local.toml";

/// The measured speed of the models.
pub const BENCH: &str = "bench.json";
