//! Transcription with models in this process: Moonshine and Whisper.

mod alignment;
mod auto;
mod cut_recording;
mod local;
mod moonshine_model;
mod moonshine_task;
mod net;
mod nets;
mod queue;
mod repetition_guards;
mod speech_model;
mod task;
mod token_choice;
mod tokenizer;
mod vocabulary;
mod whisper_model;
mod whisper_task;
mod words;

pub use auto::AutoSpeech;
pub use cut_recording::CutRecording;
pub use local::LocalSpeech;
