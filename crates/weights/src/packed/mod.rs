//! The packed copy: the parts of a model as the kernels need them, in a file beside the weights. The next load maps it
//! and is done in milliseconds.
//!
//! The file, in little-endian order:
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `AURISPCK` |
//! | 8 to 15 | version of the format |
//! | 16 to 23 | position of the directory |
//! | 24 to 31 | length of the directory, which is the end of the file |
//! | 32 to 63 | SHA-256 of bytes 0 to 31 and of the directory |
//! | 64 to the directory | parts, each at a multiple of 64 |
//! | directory | JSON: fingerprint of the source, sizes of the model, name and position of each part |
//!
//! A copy is used only if its fingerprint is that of the source files (see `fingerprint.rs`) and its structure is intact:
//! magic number, version, checksum, length of the file, every position and every length. The content of the parts has a
//! checksum too, but only `auris models verify` compares it: reading all of it would take longer than a load is meant to.
//! Damage there, which only a failing disk or somebody with the right to write to the folder can cause, changes what is
//! recognized, but no access leaves the file.
//!
//! Everything is written to disk before the file gets its name, so that a crash leaves no half of a copy. Each process
//! writes a separate temporary file, so that two of them do not disturb each other: the last one to rename its file wins,
//! and both have the same content. A copy that is not used is replaced. `auris models remove` deletes it with the model.

mod copy;
mod directory;
mod fingerprint;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};

pub(crate) use copy::PackedCopy;
pub use copy::{check_copy, verify_copy};
pub(crate) use directory::linear_key;
pub(crate) use fingerprint::fingerprint;
pub(crate) use writer::CopyWriter;

/// Changes with the format and with the layout of packed weights.
const VERSION: u64 = 1;
const MAGIC: [u8; 8] = *b"AURISPCK";
const HEADER: usize = 64;
/// Where the checksum is in the header.
const CHECKSUM: std::ops::Range<usize> = 32..64;
/// Parts start at multiples of this.
const ALIGNMENT: usize = 64;

/// Whether to use and to write the packed copy of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyPolicy {
    /// Map the copy if it fits to the source; otherwise read the source and write a copy, if the folder allows it.
    Use,
    /// Read the source, and write nothing.
    Ignore,
}

/// Where the packed copy of the model in this folder is, if it exists. It is not part of the model: it is written by the
/// first load, and can be deleted at any time.
pub fn packed_copy_path(folder: &Path) -> PathBuf {
    folder.join(copy_name(VERSION))
}

fn copy_name(version: u64) -> String {
    format!("packed-{version}.auris")
}
