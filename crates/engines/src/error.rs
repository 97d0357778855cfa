//! Why engine work ended without a result.

/// What was wrong with a recording; the names are the API's error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AudioProblem {
    UnsupportedAudio,
    NoAudioStream,
    AudioTooLong,
}

impl AudioProblem {
    pub fn code(self) -> &'static str {
        match self {
            Self::UnsupportedAudio => "unsupported_audio",
            Self::NoAudioStream => "no_audio_stream",
            Self::AudioTooLong => "audio_too_long",
        }
    }
}

/// A variant for each thing that a caller does differently.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// The caller went away or cancelled.
    #[error("the call was cancelled")]
    Cancelled,
    /// The upload is at fault; the message is for its sender.
    #[error("{message}")]
    BadAudio { problem: AudioProblem, message: String },
    #[error(
        "the model `{model}` does not know the language `{language}`; choose another model, or leave `language` out where it is wrong"
    )]
    UnsupportedLanguage { model: String, language: String },
    /// Refused at once because the queue is full.
    #[error("the engine has no free place; try again later, or send async=true")]
    Overloaded,
    /// A language model answered twice what cannot be used, or was cut before the end.
    #[error("{message}")]
    BadAnswer { message: String, truncated: bool },
    /// The model, or the server behind it, failed. Transient failures are worth another try.
    #[error("{message}")]
    Backend { message: String, transient: bool },
    /// A defect or a broken installation; for the log, not for the caller.
    #[error("{0}")]
    Internal(String),
}

impl EngineError {
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::BadAudio { problem: AudioProblem::UnsupportedAudio, message: message.into() }
    }

    pub(crate) fn no_audio() -> Self {
        let message = "The file has no audio in it; send one with an audio track.".to_owned();
        Self::BadAudio { problem: AudioProblem::NoAudioStream, message }
    }

    pub(crate) fn too_long(max_seconds: f64) -> Self {
        let message =
            format!("The audio is longer than {max_seconds} seconds, the most that this server takes.");
        Self::BadAudio { problem: AudioProblem::AudioTooLong, message }
    }

    pub(crate) fn internal(error: impl std::fmt::Display) -> Self {
        Self::Internal(error.to_string())
    }
}
