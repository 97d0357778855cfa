//! Transcription and analysis of files without a server: the engine calls of the worker, without jobs or a database.

mod evaluation;
mod measure;
mod process_usage;
pub(crate) mod sample_recording;

use std::path::Path;
use std::sync::Arc;

use auris_domain::model::Capability;
use auris_domain::result::ResultDocument;
use auris_domain::step::output::Diarization;
use auris_domain::step::spec::{DiarizationSpec, TaskSpec, TranscriptionSpec};
use auris_domain::step::{StepOutput, TextStage};
use auris_domain::transcript::{Transcript, speakers};
use auris_engines::{CallContext, CatalogModel, EngineError, Engines, TaskRequest, TextRequest, TextWork};
use tokio_util::sync::CancellationToken;

use crate::engine_tasks::{
    self, AudioPosition, DiarizationCall, MissingSource, SpeechEvent, TextCall, TextEvent, TranscriptionCall,
};

pub use auris_engines::speed::Measurement;
pub use evaluation::{EvaluationError, EvaluationEvent, EvaluationRequest, GivenTranscripts};
pub(crate) use measure::unit as measured_unit;

/// Why a file was not transcribed or analyzed, or a model not measured.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The catalogue has no suitable model, or it is not installed; the message says what to do.
    #[error("{0}")]
    NoModel(String),
    #[error("the source `{0}` does not exist in the result")]
    SourceNotFound(String),
    #[error("cannot write the sample recording to the folder for temporary files: {0}")]
    Sample(std::io::Error),
}

impl From<MissingSource> for LocalError {
    fn from(MissingSource(pointer): MissingSource) -> Self {
        Self::SourceNotFound(pointer)
    }
}

type Result<T> = std::result::Result<T, LocalError>;

/// The engines of a command that works on files. Cheap to clone.
#[derive(Clone)]
pub struct LocalEngines {
    engines: Arc<Engines>,
    cancel: CancellationToken,
}

impl LocalEngines {
    /// Cancelling `cancel` stops all work.
    pub fn new(engines: Arc<Engines>, cancel: CancellationToken) -> Self {
        Self { engines, cancel }
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether a model of the catalogue can be used now. Fails if the catalogue does not have it.
    pub fn is_installed(&self, model: &str) -> Result<bool> {
        if self.engines.models().find(model).is_some() {
            return Ok(true);
        }
        match self.engines.catalog().find(model) {
            Some(_) => Ok(false),
            None => Err(unknown_model(model)),
        }
    }

    /// Whether a model that can be used now would get nothing more from an installation.
    pub fn is_complete(&self, model: &str) -> bool {
        self.engines.is_complete(model)
    }

    /// The model for a stage: the preferred one if it has the capability, otherwise the default of the catalogue.
    pub fn stage_model(&self, capability: Capability, preferred: Option<&str>) -> Result<String> {
        let catalog = self.engines.catalog();
        let suits = |id: &&str| catalog.find(id).is_some_and(|entry| entry.model.can(capability));
        if let Some(id) = preferred.filter(suits) {
            return Ok(id.to_owned());
        }
        catalog.defaults.get(&capability).cloned().ok_or_else(|| {
            let message = format!("the catalogue has no default model for `{}`", capability.as_str());
            LocalError::NoModel(message)
        })
    }

    /// An installed model for tasks. Such models are too large to be downloaded without being asked for.
    pub fn task_model(&self, preferred: Option<&str>) -> Result<String> {
        let usable = self.engines.models();
        let catalog = self.engines.catalog();
        let default = catalog.defaults.get(&Capability::Task).map(String::as_str);
        let can_run = |id: &&str| usable.find(id).is_some_and(|model| model.can(Capability::Task));
        if let Some(id) = preferred.into_iter().chain(default).find(can_run) {
            return Ok(id.to_owned());
        }
        let is_candidate =
            |entry: &&CatalogModel| entry.model.can(Capability::Task) && !entry.files.is_empty();
        let candidate = catalog.models.iter().find(is_candidate).map(|entry| entry.model.id.as_str());
        let message = match preferred.or(default).or(candidate) {
            Some(id) => {
                format!("no model for tasks is installed; install one with `auris models pull {id}`")
            }
            None => {
                "the catalogue has no model for tasks; docs/language-models.md explains how to add one".into()
            }
        };
        Err(LocalError::NoModel(message))
    }

    /// Transcribes a recording.
    pub async fn transcribe(
        &self,
        recording: &Path,
        model: &str,
        spec: TranscriptionSpec,
        mut progress: impl FnMut(AudioPosition),
    ) -> Result<Transcript> {
        if self.engines.models().find(model).is_none() {
            return Err(unknown_model(model));
        }
        let context = self.context(recording);
        let call = TranscriptionCall { path: recording.to_owned(), model: model.to_owned(), spec, context };
        let mut task = engine_tasks::transcribe(&self.engines, call);
        while let Some(event) = task.events.recv().await {
            match event {
                SpeechEvent::Progress { seconds_done, seconds_total } => {
                    progress(AudioPosition { seconds_done, seconds_total });
                }
                SpeechEvent::Delta(_) | SpeechEvent::Segment(_) => {}
            }
        }
        Ok(task.finish().await?.transcript)
    }

    /// Finds out who speaks when, with the default model. Speakers are named in the order of their first word.
    pub async fn diarize(
        &self,
        recording: &Path,
        transcript: &Transcript,
        spec: DiarizationSpec,
        mut progress: impl FnMut(AudioPosition),
    ) -> Result<Diarization> {
        let model = self.stage_model(Capability::Diarization, None)?;
        let context = self.context(recording);
        let call = DiarizationCall { path: recording.to_owned(), model, spec, context };
        let mut task = engine_tasks::diarize(&self.engines, call);
        while let Some(position) = task.events.recv().await {
            progress(position);
        }
        let mut diarization = task.finish().await?.diarization;
        speakers::name_by_first_word(&transcript.words(), &mut diarization);
        Ok(diarization)
    }

    /// Runs a stage on the transcript of a document.
    pub async fn run_stage(
        &self,
        document: &ResultDocument,
        model: &str,
        stage: TextStage,
        progress: impl FnMut(f64),
    ) -> Result<StepOutput> {
        self.run_text(document, model, TextWork::Stage(stage), progress).await
    }

    /// Runs a task whose sources are in a document.
    pub async fn run_task(
        &self,
        document: &ResultDocument,
        model: &str,
        spec: TaskSpec,
        progress: impl FnMut(f64),
    ) -> Result<StepOutput> {
        let sources = engine_tasks::task_sources(&spec.sources, document)?;
        let work = TextWork::Task(Box::new(TaskRequest { spec, sources, flaw: None }));
        self.run_text(document, model, work, progress).await
    }

    async fn run_text(
        &self,
        document: &ResultDocument,
        model: &str,
        work: TextWork,
        mut progress: impl FnMut(f64),
    ) -> Result<StepOutput> {
        if self.engines.models().find(model).is_none() {
            return Err(unknown_model(model));
        }
        let request = TextRequest { work, transcript: Arc::new(document.text_transcript()) };
        let context = self.context(Path::new("analyze"));
        let mut task =
            engine_tasks::run_text(&self.engines, TextCall { model: model.to_owned(), request, context });
        while let Some(event) = task.events.recv().await {
            match event {
                TextEvent::Share(share) => progress(share),
                TextEvent::Delta(_) => {}
            }
        }
        Ok(task.finish().await?.output)
    }

    fn context(&self, name: &Path) -> CallContext {
        CallContext::synchronous("", &name.to_string_lossy(), self.cancel.clone())
    }
}

fn unknown_model(model: &str) -> LocalError {
    LocalError::NoModel(format!("there is no model `{model}`; `auris models list` lists the models"))
}
