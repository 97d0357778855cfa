//! The rules of ARCHITECTURE.md that can be read from the files of the checkout.
#![expect(clippy::expect_used, reason = "in a test a broken expectation is a failed test")]

mod conflict_markers;
mod dependencies;
mod module_cycles;
mod module_paths;
mod source;
mod store_modules;
mod type_names;
mod workspace;
