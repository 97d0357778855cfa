//! Recordings and model files that the tests fetch once, by hash.

use std::path::PathBuf;

/// The folder that `scripts/fetch-assets` fills, which is also a model mirror.
pub fn assets() -> PathBuf {
    let cache = std::env::var_os("AURIS_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::home_dir().map(|home| home.join(".cache/auris")));
    let folder = cache.expect("a home folder").join("assets");
    assert!(folder.is_dir(), "{} is missing: run scripts/fetch-assets", folder.display());
    folder
}
