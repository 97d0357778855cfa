//! Why engine work ended without a result.

/// What is wrong with a recording; the names are the API's error codes.
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

/// One variant for each case that callers handle differently.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// The caller disconnected or cancelled.
    #[error("the call was cancelled")]
    Cancelled,
    /// The uploaded file is at fault; the message is for the client.
    #[error("{message}")]
    BadAudio { problem: AudioProblem, message: String },
    #[error(
        "the model `{model}` does not support the language `{language}`; choose another model, or leave `language` out if it is wrong"
    )]
    UnsupportedLanguage { model: String, language: String },
    /// Too many synchronous calls are running or waiting.
    #[error("the engine has no free slot; try again later, or send async=true")]
    Overloaded,
    /// A language model gave two unusable answers, or its answer was truncated.
    #[error("{message}")]
    BadAnswer { message: String, truncated: bool },
    /// The model or its server failed. A transient failure is worth a retry.
    #[error("{message}")]
    Backend { message: String, transient: bool },
    /// A bug or a broken installation; for the log, not for the client.
    #[error("{0}")]
    Internal(String),
}

impl EngineError {
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::BadAudio { problem: AudioProblem::UnsupportedAudio, message: message.into() }
    }

    pub fn no_audio() -> Self {
        let message = "The file has no audio in it; send one with an audio track.".to_owned();
        Self::BadAudio { problem: AudioProblem::NoAudioStream, message }
    }

    pub fn too_long(max_seconds: f64) -> Self {
        let message = format!("The audio is longer than {max_seconds} seconds, the maximum of this server.");
        Self::BadAudio { problem: AudioProblem::AudioTooLong, message }
    }

    pub fn internal(error: impl std::fmt::Display) -> Self {
        Self::Internal(error.to_string())
    }
}
