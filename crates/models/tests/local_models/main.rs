//! Models from the operator's own files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod added;
mod gguf_file;
mod language;
mod live;
mod machine;
