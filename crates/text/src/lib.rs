//! The built-in text stages for English: rules, lexicons and a small embedding model.

mod chapter_borders;
mod chapters;
mod coverage;
mod embedder;
mod entities;
mod formatting;
mod gazetteer;
mod key_phrases;
mod language_detection;
mod letter_case;
mod limits;
mod not_nouns;
mod parsed_transcript;
mod passages;
mod phrases;
mod positions;
mod sentence_score;
mod sentences;
mod sentiment;
mod small_talk;
mod spoken;
mod spoken_sentence;
mod stop_words;
mod subject_words;
mod summary;
mod topics;
mod whole_phrase;
mod windowed_work;
mod words;
mod yake;

use std::sync::Arc;
use std::time::Instant;

use auris_domain::step::{StageOutput, StepOutput, TextStage};
use auris_engine_core::Scheduler;
use auris_engine_core::text::{TextAnswer, TextRequest, TextWork};
use auris_engine_core::{CallContext, EngineError, TextModel, TextSink};
use serde_json::json;

use embedder::Embedder;
pub use embedder::EmbedderSlot;
pub use entities::EntityNetSlot;
use parsed_transcript::ParsedTranscript;
pub use sentiment::{SENTIMENT_FEATURES, sentiment_features};
use windowed_work::WindowedWork;

/// A built-in text model of the catalogue.
pub struct BuiltInText {
    pub model: String,
    /// The supported languages; empty for all.
    pub languages: Vec<String>,
    pub embedder: Arc<EmbedderSlot>,
    /// The net for entities; `None` if it is not installed, so that rules find the names.
    pub entity_net: Option<Arc<EntityNetSlot>>,
    pub scheduler: Arc<Scheduler>,
}

impl TextModel for BuiltInText {
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError> {
        let started = Instant::now();
        let TextWork::Stage(stage) = &request.work else {
            return Err(EngineError::internal(format!("the model `{}` does not support tasks", self.model)));
        };
        self.check_language(request)?;
        context.check()?;
        let parsed = Arc::new(ParsedTranscript::new(request.transcript.clone()));
        let admission = self.scheduler.admit(context)?;
        let ahead = (2 * self.scheduler.threads()).min(limits::WINDOWS_AT_ONCE);
        let mut work = WindowedWork { admission, context, sink, ahead };
        let output = self.stage(stage, &parsed, &mut work)?;
        let milliseconds = started.elapsed().as_millis() as u64;
        Ok(TextAnswer {
            output: StepOutput::Stage(output),
            response: json!({
                "model": self.model,
                "version": env!("CARGO_PKG_VERSION"),
                "sentences": parsed.sentences.len(),
                "milliseconds": milliseconds,
            }),
            truncated: false,
            resolved_model: self.resolved_model(stage).to_owned(),
            input_tokens: 0,
            output_tokens: 0,
            characters: parsed.character(parsed.text().len()) as u64,
        })
    }
}

impl BuiltInText {
    /// The model that does the work of a stage: that of the net where one is used.
    fn resolved_model(&self, stage: &TextStage) -> &str {
        match (stage, &self.entity_net) {
            (TextStage::Entities(_), Some(net)) => net.model(),
            (TextStage::Sentiment(_), _) if self.embedder.is_installed() => sentiment::NET_MODEL,
            _ => &self.model,
        }
    }

    fn entities(
        &self,
        parsed: &Arc<ParsedTranscript>,
        types: &[String],
        work: &mut WindowedWork<'_>,
    ) -> Result<StageOutput, EngineError> {
        let net = self.entity_net.as_ref().map(|slot| slot.get()).transpose()?;
        Ok(StageOutput::Entities(entities::run(parsed, types, net, work)?))
    }

    /// Fails if the transcript is declared or detected to be in an unsupported language.
    fn check_language(&self, request: &TextRequest) -> Result<(), EngineError> {
        match language_detection::language_of(&request.transcript) {
            Some(language) if !self.languages.is_empty() && !self.languages.contains(&language) => {
                Err(EngineError::UnsupportedLanguage { model: self.model.clone(), language })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The network for sentiment; `None` if it is not installed, so that the lexicon answers alone.
    fn sentiment_net(&self) -> Result<Option<Arc<Embedder>>, EngineError> {
        self.embedder.is_installed().then(|| self.embedder.get()).transpose()
    }

    fn stage(
        &self,
        stage: &TextStage,
        parsed: &Arc<ParsedTranscript>,
        work: &mut WindowedWork<'_>,
    ) -> Result<StageOutput, EngineError> {
        Ok(match stage {
            TextStage::Chapters => StageOutput::Chapters(chapters::run(parsed, &self.embedder.get()?, work)?),
            TextStage::Entities(spec) => self.entities(parsed, &spec.types, work)?,
            TextStage::Formatting => StageOutput::Formatting(formatting::run(parsed, work)?),
            TextStage::KeyPhrases => {
                StageOutput::KeyPhrases(key_phrases::run(parsed, &self.embedder.get()?, work)?)
            }
            TextStage::Sentiment(spec) => {
                let net = self.sentiment_net()?;
                StageOutput::Sentiment(sentiment::run(parsed, spec.granularity, net, work)?)
            }
            TextStage::Summary(spec) => {
                StageOutput::Summary(summary::run(parsed, spec.kind, &self.embedder.get()?, work)?)
            }
            TextStage::Topics => StageOutput::Topics(topics::run(parsed, &self.embedder.get()?, work)?),
        })
    }
}
