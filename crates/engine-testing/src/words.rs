//! Word errors of a transcript.

pub use auris_evaluation::{plain_word_errors as word_errors, plain_words as words};
