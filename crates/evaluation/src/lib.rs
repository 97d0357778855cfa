//! Compares transcripts with reference texts: word errors, word times and speakers. Pure: it reads and writes no files.

mod alignment;
mod assignment;
mod attribution;
mod bootstrap;
mod diarization;
mod edits;
mod html;
mod language;
mod normalization;
mod passages;
mod plain_words;
mod quantiles;
mod recording;
pub mod reference;
mod report;
mod spoken_word;
mod word_times;

pub use alignment::{MAX_CELLS, Step, align};
pub use attribution::{AttributedWord, Attribution, attribution};
pub use diarization::{DiarizationErrors, Turn, diarization_errors, speaker_count};
pub use edits::EditCounts;
pub use html::{Page, page};
pub use language::{counts_characters, guess};
pub use normalization::{Token, tokens};
pub use passages::{Change, Passage};
pub use plain_words::{plain_word_errors, plain_words};
pub use recording::{RecordingScore, Scorer, TooLong};
pub use reference::{Reference, ReferenceError};
pub use report::{
    DiarizationReport, DiarizedRecording, Difference, Evaluation, LanguageReport, LeftOut, MachineReport,
    ModelReport, RecordingOutcome, RecordingReport, RecordingResult, Resampled, ScoredRecording, SpeedReport,
    Transcriptions, WorstPassage, evaluation,
};
pub use spoken_word::SpokenWord;
pub use word_times::{TimedParts, WordTimeErrors};
