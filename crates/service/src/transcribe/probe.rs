//! Checks before a transcription: what the recording is, and whether the model supports its language.

use std::path::Path;
use std::sync::Arc;

use auris_domain::error::{ApiError, ErrorCode};
use auris_engines::AudioInfo;

use crate::error::{Outcome, refusal_of};
use crate::{Service, ServiceError};

impl Service {
    /// The recording's format and length. Fails in the same way as its transcription would.
    pub(crate) async fn probe(&self, path: &Path) -> Outcome<AudioInfo> {
        let engines = Arc::clone(self.engines());
        let path = path.to_owned();
        let probed = tokio::task::spawn_blocking(move || engines.probe(&path)).await;
        probed.map_err(ServiceError::internal)?.map_err(refusal_of)
    }
}

impl Service {
    /// Refuses a language that the model does not support.
    pub(crate) fn check_language(&self, model: &str, language: Option<&str>) -> Result<(), ApiError> {
        match language {
            Some(language) if !self.engines().knows_language(model, language) => {
                let message = format!(
                    "The model `{model}` does not support the language `{language}`; leave `language` out, or choose another model."
                );
                Err(ApiError::new(ErrorCode::UnsupportedLanguage, message).at("language"))
            }
            Some(_) | None => Ok(()),
        }
    }
}
