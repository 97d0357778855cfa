//! The transcription step: its segments are recorded as events while it runs.

use auris_domain::event::EventType;
use auris_domain::step::StepOutput;
use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::usage::{Units, billed_seconds};
use auris_domain::wire::JsonText;
use auris_engines::Transcription;
use serde::Serialize;

use super::StepCall;
use super::step_events::StepEventWriter;
use crate::engine_tasks::{self, EngineTask, SpeechEvent, TranscriptionCall};
use crate::metrics;
use crate::worker::step_outcome::{StepError, StepProduct};

/// The `response` of a transcription step.
#[derive(Serialize)]
struct Response<'a> {
    model: &'a str,
    segments: usize,
}

pub(super) async fn run(step: StepCall<'_>, spec: &TranscriptionSpec) -> Result<StepProduct, StepError> {
    let audio = step.service.audio_of(step.claimed.job_id()).await?;
    let (context, _stop) = step.context();
    let call = TranscriptionCall {
        path: audio.path().to_owned(),
        model: step.model().to_owned(),
        spec: spec.clone(),
        context,
    };
    let mut task = engine_tasks::transcribe(step.service.engines(), call);
    record_events(step, &mut task).await?;
    let transcription = task.finish().await?;
    let seconds = billed_seconds(transcription.duration_seconds);
    metrics::audio_transcribed(seconds);
    let response =
        Response { model: &transcription.resolved_model, segments: transcription.transcript.segments.len() };
    Ok(StepProduct {
        response: JsonText::of(&response),
        output: StepOutput::Transcript(transcription.transcript),
        resolved_model: Some(transcription.resolved_model),
        units: Units { audio_seconds: seconds, ..Units::default() },
    })
}

/// Records segments and progress while the engine runs. Segments that an earlier attempt recorded are skipped.
async fn record_events(
    step: StepCall<'_>,
    task: &mut EngineTask<SpeechEvent, Transcription>,
) -> Result<(), StepError> {
    let store = step.service.store();
    let recorded = store.count_events(step.claimed.job_id(), EventType::TranscriptSegment).await;
    let recorded = recorded.map_err(crate::ServiceError::from)? as u64;
    let mut writer = StepEventWriter::new(step);
    while let Some(event) = task.events.recv().await {
        match event {
            SpeechEvent::Delta(_) => {}
            SpeechEvent::Segment(segment) if segment.id < recorded => {}
            SpeechEvent::Segment(segment) => writer.content(EventType::TranscriptSegment, &segment),
            SpeechEvent::Progress { seconds_done, seconds_total } => {
                writer.audio_progress(seconds_done, seconds_total);
            }
        }
        if task.events.is_empty() {
            writer.flush().await?;
        }
    }
    Ok(writer.finish().await?)
}
