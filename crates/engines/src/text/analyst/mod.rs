//! The built-in text stages for English: rules, lexicons and one small net that reads meaning.

mod chapters;
mod desk;
mod embedder;
mod entities;
mod formatting;
mod gazetteer;
mod key_phrases;
pub(crate) mod language;
mod passages;
mod phrases;
mod positions;
mod reading;
mod sentences;
mod sentiment;
mod spoken;
mod stop_words;
mod summary;
mod topics;
mod words;

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use crate::scheduler::Scheduler;
use crate::text::{TextAnswer, TextOperation, TextRequest};
use crate::{CallContext, EngineError, TextModel, TextSink};
use desk::Desk;
pub(crate) use embedder::EmbedderSlot;
use reading::Reading;

/// A built-in text model of the catalogue.
pub(crate) struct Analyst {
    pub(crate) model: String,
    /// The languages that it reads.
    pub(crate) languages: Vec<String>,
    pub(crate) embedder: Arc<EmbedderSlot>,
    pub(crate) scheduler: Arc<Scheduler>,
}

impl TextModel for Analyst {
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError> {
        let started = Instant::now();
        self.check_language(request)?;
        context.check()?;
        let reading = Arc::new(Reading::new(request.transcript.clone()));
        let place = self.scheduler.admit(context)?;
        let mut desk = Desk { place, context, sink, ahead: 2 * self.scheduler.threads() };
        let output = self.stage(&request.operation, &reading, &mut desk)?;
        let milliseconds = started.elapsed().as_millis() as u64;
        Ok(TextAnswer {
            output,
            response: json!({
                "model": self.model,
                "version": env!("CARGO_PKG_VERSION"),
                "sentences": reading.sentences.len(),
                "milliseconds": milliseconds,
            }),
            resolved_model: self.model.clone(),
            input_tokens: 0,
            output_tokens: 0,
            characters: reading.character(reading.text().len()) as u64,
        })
    }
}

impl Analyst {
    /// Fails where the transcript is told to be in another language, or plainly is.
    fn check_language(&self, request: &TextRequest) -> Result<(), EngineError> {
        match language::language_of(&request.transcript) {
            Some(language) if !self.languages.is_empty() && !self.languages.contains(&language) => {
                Err(EngineError::UnsupportedLanguage { model: self.model.clone(), language })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn stage(
        &self,
        operation: &TextOperation,
        reading: &Arc<Reading>,
        desk: &mut Desk<'_>,
    ) -> Result<Value, EngineError> {
        match operation {
            TextOperation::Chapters => chapters::run(reading, &self.embedder.get()?, desk),
            TextOperation::Entities { types } => entities::run(reading, types, desk),
            TextOperation::Formatting => formatting::run(reading, desk),
            TextOperation::KeyPhrases => key_phrases::run(reading, &self.embedder.get()?, desk),
            TextOperation::Sentiment { granularity } => sentiment::run(reading, *granularity, desk),
            TextOperation::Summary { kind } => summary::run(reading, *kind, &self.embedder.get()?, desk),
            TextOperation::Topics => topics::run(reading, &self.embedder.get()?, desk),
            TextOperation::Task(_) => {
                Err(EngineError::internal(format!("the model `{}` does no tasks", self.model)))
            }
        }
    }
}
