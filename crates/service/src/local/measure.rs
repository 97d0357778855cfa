//! Measures how fast an installed model is on this machine.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use auris_domain::model::NativeUnit;
use auris_domain::step::spec::{DiarizationSpec, TaskSpec};
use auris_domain::transcript::TextTranscript;
use auris_engines::speed::{Machine, Measurement};
use auris_engines::{CatalogModel, EngineKind, TaskRequest, TaskSource, TextRequest, TextWork};

use super::{LocalEngines, LocalError, Result, process_usage, sample_recording, unknown_model};
use crate::engine_tasks::{self, DiarizationCall, TextCall};

/// How long the measurement of a model takes on request. Shorter ones depend too much on what else the machine does.
const THOROUGH: Duration = Duration::from_secs(8);

/// How long it takes at least if nobody asked for it: as long as the recording, played once.
const BRIEF: Duration = Duration::ZERO;

/// Most times that the recording is played: 22 minutes of audio.
const MAX_TIMES: u32 = 120;

/// Tokens of the answer that a language model is measured with.
const ANSWER_TOKENS: u32 = 128;

/// What was done in a time.
pub(super) struct Timed {
    pub(super) units: f64,
    pub(super) elapsed: Duration,
    pub(super) cpu: Duration,
}

impl LocalEngines {
    /// Measures an installed model for speech, diarization or tasks. Loads it, works for some seconds and unloads it.
    pub async fn measure(&self, model: &str) -> Result<Measurement> {
        self.measure_for(model, THOROUGH).await
    }

    /// The installed models that `auto` could choose and whose speed on this machine is not known.
    pub fn unmeasured_candidates(&self) -> Vec<String> {
        self.engines.unmeasured_candidates()
    }

    /// Measures a model in as little time as possible and keeps the figure, from which `auto` sees whether the model is
    /// fast enough. A figure that cannot be stored counts until the process ends.
    pub async fn measure_candidate(&self, model: &str) -> Result<Measurement> {
        let measurement = self.measure_for(model, BRIEF).await?;
        if let Err(error) = self.engines.keep_measurement(&measurement) {
            tracing::warn!(model, %error, "cannot store the measured speed of the model; it is measured again after a restart");
        }
        Ok(measurement)
    }

    async fn measure_for(&self, model: &str, wanted: Duration) -> Result<Measurement> {
        let catalog = self.engines.catalog();
        let entry = catalog.find(model).ok_or_else(|| unknown_model(model))?;
        let unit = unit(entry.engine).ok_or_else(|| not_measured(model))?;
        let memory = process_usage::reset_peak_memory();
        let timed = match unit {
            NativeUnit::AudioSecond => self.time_audio(entry, wanted).await?,
            NativeUnit::Character | NativeUnit::InputToken | NativeUnit::OutputToken => {
                self.time_answer(model).await?
            }
        };
        let peak = process_usage::peak_memory();
        let load_time = self.engines.load_time(model);
        self.engines.unload(model);
        Ok(Measurement {
            model: model.to_owned(),
            version: entry.files.first().map(|file| file.sha256.clone()).unwrap_or_default(),
            machine: Machine::this(),
            threads: self.engines.threads(),
            unit,
            units: timed.units,
            seconds: timed.elapsed.as_secs_f64(),
            cpu_seconds: timed.cpu.as_secs_f64(),
            load_milliseconds: load_time.map(|time| time.as_millis() as u64),
            memory_bytes: peak.zip(memory).map(|(peak, before)| peak.saturating_sub(before)),
        })
    }

    /// Plays the recording once to load the model, once to see how fast it is, and then as often as time allows.
    async fn time_audio(&self, entry: &CatalogModel, wanted: Duration) -> Result<Timed> {
        self.play(entry, 1).await?;
        let once = self.play(entry, 1).await?;
        let times = wanted.as_secs_f64() / once.elapsed.as_secs_f64().max(f64::EPSILON);
        match (times as u32).min(MAX_TIMES) {
            0 | 1 => Ok(once),
            times => self.play(entry, times).await,
        }
    }

    async fn play(&self, entry: &CatalogModel, times: u32) -> Result<Timed> {
        let file = sample_recording::repeated(times).map_err(LocalError::Sample)?;
        let model = &entry.model.id;
        let started = Started::now();
        if entry.engine == EngineKind::Diarizer {
            self.diarize_with(model, file.path()).await?;
        } else {
            let spec = sample_recording::transcription(entry);
            self.transcribe(file.path(), model, spec, |_| ()).await?;
        }
        Ok(started.end(f64::from(times) * sample_recording::seconds()))
    }

    async fn diarize_with(&self, model: &str, recording: &Path) -> Result<()> {
        let context = self.context(recording);
        let call = DiarizationCall {
            path: recording.to_owned(),
            model: model.to_owned(),
            spec: DiarizationSpec::default(),
            context,
        };
        engine_tasks::diarize(&self.engines, call).finish().await?;
        Ok(())
    }

    /// Lets a language model answer twice: the first answer loads it.
    async fn time_answer(&self, model: &str) -> Result<Timed> {
        self.answer(model, 1).await?;
        self.answer(model, ANSWER_TOKENS).await
    }

    async fn answer(&self, model: &str, tokens: u32) -> Result<Timed> {
        let spec = TaskSpec {
            id: "bench".into(),
            instructions: Some("Explain this speech sentence by sentence, in detail.".into()),
            max_output_tokens: tokens,
            ..TaskSpec::default()
        };
        let text = sample_recording::WORDS.to_owned();
        let sources = vec![TaskSource { pointer: "#/transcript/text".into(), text }];
        let work = TextWork::Task(Box::new(TaskRequest { spec, sources, flaw: None }));
        let request = TextRequest { work, transcript: Arc::new(TextTranscript::default()) };
        let context = self.context(Path::new("bench"));
        let started = Started::now();
        let call = TextCall { model: model.to_owned(), request, context };
        let answer = engine_tasks::run_text(&self.engines, call).finish().await?;
        Ok(started.end(answer.output_tokens as f64))
    }
}

/// When something began.
pub(super) struct Started {
    wall: Instant,
    cpu: Duration,
}

impl Started {
    pub(super) fn now() -> Self {
        Self { wall: Instant::now(), cpu: process_usage::cpu_time() }
    }

    pub(super) fn end(self, units: f64) -> Timed {
        let cpu = process_usage::cpu_time().saturating_sub(self.cpu);
        Timed { units, elapsed: self.wall.elapsed(), cpu }
    }
}

/// What the speed of a model is counted in. `None` if it is not measured: rules take milliseconds, `auto` and remote models
/// are as fast as others.
pub(crate) fn unit(engine: EngineKind) -> Option<NativeUnit> {
    match engine {
        EngineKind::Moonshine | EngineKind::Whisper | EngineKind::Diarizer => Some(NativeUnit::AudioSecond),
        EngineKind::Gguf => Some(NativeUnit::OutputToken),
        EngineKind::Fake | EngineKind::Auto | EngineKind::BuiltInText | EngineKind::Remote => None,
    }
}

fn not_measured(model: &str) -> LocalError {
    LocalError::NoModel(format!(
        "the speed of `{model}` cannot be measured; name a model for speech, speakers or tasks that runs on this machine"
    ))
}
