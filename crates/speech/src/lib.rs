//! Transcription with models in this process: Moonshine and Whisper.

mod alignment;
mod auto;
mod auto_candidates;
mod confidence;
mod cut_recording;
mod language_check;
mod language_scores;
mod local;
mod moonshine_model;
mod moonshine_task;
mod net;
mod nets;
mod opening_language;
mod queue;
mod repetition_guards;
mod running_transcription;
mod sampling;
mod speech_evidence;
mod speech_model;
mod task;
mod token_choice;
mod tokenizer;
mod vocabulary;
mod whisper_model;
mod whisper_task;
mod words;

pub use auto::AutoSpeech;
pub use auto_candidates::Candidate;
pub use cut_recording::CutRecording;
pub use local::LocalSpeech;
