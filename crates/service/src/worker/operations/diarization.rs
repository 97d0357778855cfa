//! The diarization step: who speaks when in the recording.

use auris_domain::step::StepOutput;
use auris_domain::step::output::Diarization;
use auris_domain::step::spec::DiarizationSpec;
use auris_domain::transcript::{SourceTranscript, speakers};
use auris_domain::usage::{Units, billed_seconds};
use auris_domain::wire::JsonText;
use serde::Serialize;

use super::StepCall;
use super::step_events::StepEventWriter;
use crate::engine_tasks::{self, DiarizationCall};
use crate::error::Outcome;
use crate::sized_work;
use crate::worker::step_outcome::{StepError, StepProduct};

/// The `response` of a diarization step.
#[derive(Serialize)]
struct Response<'a> {
    model: &'a str,
    turns: usize,
}

pub(super) async fn run(step: StepCall<'_>, spec: DiarizationSpec) -> Result<StepProduct, StepError> {
    let audio = step.service.audio_of(step.claimed.job_id()).await?;
    let (context, _stop) = step.context();
    let model = step.model();
    let call = DiarizationCall { path: audio.path().to_owned(), model: model.to_owned(), spec, context };
    let mut task = engine_tasks::diarize(step.service.engines(), call);
    let mut writer = StepEventWriter::new(step);
    while let Some(position) = task.events.recv().await {
        writer.audio_progress(position.seconds_done, position.seconds_total);
        writer.flush().await?;
    }
    writer.finish().await?;
    let diarized = task.finish().await?;
    let seconds = billed_seconds(diarized.duration_seconds);
    // Speakers are named here, so that the step's output and the result's utterances use the same names.
    let transcript = step.service.source_transcript(step.claimed.job_id()).await?;
    let diarization = named(diarized.diarization, transcript).await?;
    Ok(StepProduct {
        response: JsonText::of(&Response { model, turns: diarization.turns.len() }),
        output: StepOutput::Diarization(diarization),
        resolved_model: Some(model.to_owned()),
        units: Units { audio_seconds: seconds, ..Units::default() },
    })
}

async fn named(mut diarization: Diarization, transcript: SourceTranscript) -> Outcome<Diarization> {
    let bytes = transcript.content_bytes();
    let name = move || {
        speakers::name_by_first_word(&transcript.timed_words(), &mut diarization);
        diarization
    };
    sized_work::run(bytes, name).await
}
