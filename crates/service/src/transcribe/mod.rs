//! Transcription: uploads, the task that runs the engine, and calls that wait for the text.

mod probe;
mod stream;
mod synchronous;
mod upload;

pub use stream::StreamEvent;
pub use synchronous::Call;
pub use upload::{Spool, SpoolWriter};
