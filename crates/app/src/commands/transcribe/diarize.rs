//! `--diarize`: who speaks, added to a transcript.

use std::sync::Arc;

use anyhow::Context;
use auris_domain::model::Capability;
use auris_domain::transcript::Transcript;
use auris_engines::{CallContext, DiarizationOptions, EngineError, Engines};
use auris_service::speakers;
use clap::CommandFactory;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::input::Recording;
use super::output::Heard;
use super::progress::Progress;
use crate::cli::{Cli, Transcribe};

/// Listens to the recording once more and gives its words to speakers.
pub(super) async fn add_speakers(
    engines: &Arc<Engines>,
    words: &Transcribe,
    name: &str,
    recording: Recording,
    transcript: Transcript,
    cancel: &CancellationToken,
) -> anyhow::Result<Heard> {
    let options = DiarizationOptions { min_speakers: words.min_speakers, max_speakers: words.max_speakers };
    let model =
        engines.models().resolve(Capability::Diarization, None, "model").map(|model| model.id.clone());
    let model = model.ok().context("no model of the catalogue does diarization")?;
    let diarizer = engines.diarizer(&model).with_context(|| crate::engines::unknown(&model))?;
    let (audio, context) =
        (engines.source(recording.path()), CallContext::synchronous("", name, cancel.clone()));
    let mut progress = Progress::new(&format!("{name} (speakers)"));
    let diarized = tokio::task::spawn_blocking(move || {
        let diarized = diarizer.diarize(&audio, &options, &mut progress, &context);
        progress.end();
        diarized
    });
    let diarized = diarized.await?.map_err(|error: EngineError| anyhow::anyhow!(error))?;
    drop(recording);
    let mut document = transcript.document();
    let mut diarization = json!({"speakers": diarized.speakers, "turns": diarized.turns});
    speakers::name_by_first_word(&document, &mut diarization);
    document["utterances"] = speakers::utterances(&document, &diarization["turns"]);
    Ok(Heard { transcript: serde_json::from_value(document)?, diarization: Some(diarization) })
}

/// Refuses bounds that no number of speakers can be within, as the other wrong words are refused.
pub(super) fn check(words: &Transcribe) {
    if let (Some(least), Some(most)) = (words.min_speakers, words.max_speakers)
        && least > most
    {
        let message = format!("--min-speakers {least} is more than --max-speakers {most}");
        Cli::command().error(clap::error::ErrorKind::ValueValidation, message).exit()
    }
}
