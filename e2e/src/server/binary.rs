//! Finds the program under test next to the running test.

use std::path::PathBuf;

/// The `auris` program of the same build; panics with instructions if it is not built.
pub fn auris_binary() -> PathBuf {
    if let Some(path) = std::env::var_os("AURIS_TEST_BINARY") {
        return PathBuf::from(path);
    }
    let test = std::env::current_exe().expect("a running test has a path");
    // The test is target/debug/deps/NAME-HASH, the program target/debug/auris.
    let folder = test.parent().and_then(|deps| deps.parent());
    let binary = folder.expect("a test is in a build folder").join("auris");
    assert!(
        binary.is_file(),
        "`{}` is not built: run `scripts/test`, or `cargo build --workspace --all-targets` first",
        binary.display()
    );
    binary
}
