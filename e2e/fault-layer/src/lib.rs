//! A layer between a program and its files, for crash tests: it makes a chosen write fail, tears it, or forgets it.
//!
//! The program is started with `LD_PRELOAD` set to this library. The functions in `hooks` then take the place of those of
//! the C library. Calls on files in one folder are counted; at a chosen one the fault happens:
//!
//! | `AURIS_FAULT_KIND` | what happens at operation number `AURIS_FAULT_AT` |
//! |---|---|
//! | `eio` | it fails with EIO |
//! | `full` | it fails with ENOSPC, and so does all that needs disk space in the next `AURIS_FAULT_MS` milliseconds |
//! | `crash` | the process dies before it |
//! | `torn` | half of its bytes are written, then the process dies; any other operation is done before the process dies |
//! | `lost_fsync` | the process dies before it, and what was not synchronized until then is undone |
//!
//! `AURIS_FAULT_FOLDER` is the folder. `AURIS_FAULT_REPORT` is a file outside of it that gets one line for each operation.
//! Without a kind, the operations are only counted and reported.
//!
//! Programs that make system calls without the C library are not seen. In Auris that is the renaming of the address file
//! and of the master key by the crate `tempfile`.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![expect(unsafe_code, reason = "replaces functions of the C library, which take pointers")]

mod c_library;
mod counted_calls;
mod hooks;
mod layer;
mod operation;
mod plan;
mod system_calls;
mod undo_log;
