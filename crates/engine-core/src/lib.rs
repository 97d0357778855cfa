//! What all engines share: the three blocking traits and their types, errors, the scheduler and the cache of loaded
//! models.
//!
//! Engine calls block. They run on the scheduler's threads; the async side of the program awaits the result.

mod audio_source;
pub mod byte_level;
mod context;
pub mod diarization;
mod error;
pub mod language_code;
mod loaded_models;
pub mod low_priority;
mod memory_budget;
pub mod repetition;
mod rounding;
mod runtime;
mod scheduler;
mod sink;
pub mod speech;
pub mod text;

pub use audio_source::AudioSource;
pub use context::{CallContext, Priority};
pub use diarization::Diarizer;
pub use error::{AudioProblem, EngineError};
pub use loaded_models::{LoadedModel, LoadedModels, ModelKey, UnloadPolicy};
pub use memory_budget::{MemoryBudget, WorkMemory};
pub use rounding::{round_to_hundredths, round_to_thousandths};
pub use runtime::Runtime;
pub use scheduler::{Admission, FairQueue, Reply, Scheduler, Ticket, Worker};
pub use sink::{Ignore, ProgressSink, SpeechSink, TextSink};
pub use speech::Transcriber;
pub use text::TextModel;
