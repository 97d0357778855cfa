//! Finds the program under test beside the test that runs.

use std::path::PathBuf;

/// The `auris` program of the same build; panics with the way out when it is not built.
pub fn auris_binary() -> PathBuf {
    if let Some(path) = std::env::var_os("AURIS_TEST_BINARY") {
        return PathBuf::from(path);
    }
    let test = std::env::current_exe().expect("a running test has a path");
    // target/debug/deps/NAME-HASH lies two folders below the program's own.
    let folder = test.parent().and_then(|deps| deps.parent());
    let binary = folder.expect("a test lies in a build folder").join("auris");
    assert!(
        binary.is_file(),
        "`{}` is not built: run `scripts/test`, or `cargo build --workspace --all-targets` first",
        binary.display()
    );
    binary
}
