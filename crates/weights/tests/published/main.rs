//! The published models of the catalogue, as they are and converted to other formats. Needs `scripts/fetch-assets`.
#![expect(clippy::unwrap_used, reason = "in a test a broken expectation is a failed test")]

mod converted;
#[cfg(target_os = "linux")]
mod memory;
mod models;
mod support;
