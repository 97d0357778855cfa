//! Deterministic engines for tests: real audio decoding, invented words, answers in the documented format.

mod directives;
mod schema;
mod speech;
mod text;

pub(crate) use speech::{FakeDiarizer, FakeSpeech};
pub(crate) use text::FakeText;
