//! Where the files of this checkout and of its build are.

use std::path::PathBuf;

/// The root of the checkout that the tests run in.
///
/// Read at run time, not with `env!`: CI reuses a build folder for checkouts in different places, and a path that is
/// compiled in would belong to an earlier one. `cargo test` and `cargo nextest` set the variable for every test.
pub fn repository() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package =
        package.expect("CARGO_MANIFEST_DIR is not set: run the tests with `cargo test` or `cargo nextest`");
    package.parent().expect("the package is in a folder of the checkout").to_owned()
}

/// The folder of the running build, which contains the program under test.
pub(crate) fn build_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    // The test is target/debug/deps/NAME-HASH, the program target/debug/auris.
    let folder = test.parent().and_then(|deps| deps.parent());
    folder.expect("a test is in a build folder").to_owned()
}
