//! Transcription with models in this process: Moonshine and Whisper.

mod auto;
mod decoder;
mod local;
mod moonshine;
mod repetition_guards;
mod speech_net;
mod tokenizer;
mod whisper;
mod words;

pub use auto::AutoSpeech;
pub use local::LocalSpeech;
