//! Tries a model before it is added: it has to transcribe a short recording.

use std::path::Path;

use auris_engines::{CallContext, Catalog, EngineSettings, Engines, Ignore};
use tokio_util::sync::CancellationToken;

use crate::local::sample_recording;

/// Longest recording that is accepted in the trial, in seconds.
const MAX_SECONDS: f64 = 60.0;

/// Transcribes the sample recording with the only model of the catalogue. The text does not matter: a model may know
/// another language. Fails if the model cannot be loaded or run, or if the trial is cancelled.
pub(super) fn transcribe_sample(
    models_dir: &Path,
    catalog: Catalog,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let entry = catalog.models.first().cloned().ok_or("the catalogue is empty")?;
    let settings = EngineSettings { models_dir: models_dir.to_owned(), max_audio_seconds: MAX_SECONDS };
    let engines = Engines::new(catalog, settings);
    let model = engines.transcriber(&entry.model.id).ok_or("its files are incomplete")?;
    let recording = sample_recording::repeated(1).map_err(|error| error.to_string())?;
    let audio = engines.source(recording.path());
    let spec = sample_recording::transcription(&entry);
    let context = CallContext::synchronous("", &entry.model.id, cancel.clone());
    let tried = model.transcribe(&audio, &spec, &mut Ignore, &context);
    tried.map(drop).map_err(|error| error.to_string())
}
