//! Finds the program under test next to the running test.

use std::path::PathBuf;

use crate::repository::build_folder;

/// The `auris` program of the same build; panics with instructions if it is not built.
pub fn auris_binary() -> PathBuf {
    if let Some(path) = std::env::var_os("AURIS_TEST_BINARY") {
        return PathBuf::from(path);
    }
    let binary = build_folder().join("auris");
    assert!(
        binary.is_file(),
        "`{}` is not built: run `scripts/test`, or `cargo build --workspace --all-targets` first",
        binary.display()
    );
    binary
}
