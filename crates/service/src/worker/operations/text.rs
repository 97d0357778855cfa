//! The text steps: stages and tasks read the working document and call a text model.

use std::sync::Arc;

use auris_domain::event::EventType;
use auris_domain::request::schema::{self, SchemaFault};
use auris_domain::result::ResultDocument;
use auris_domain::step::output::TaskOutput;
use auris_domain::step::spec::{JsonSchema, TaskSpec, TextFormat};
use auris_domain::step::{Cause, StepCode, StepOutput, TextStage};
use auris_domain::usage::Units;
use auris_domain::wire::{JsonText, TaskDelta};
use auris_engines::{TaskRequest, TextAnswer, TextRequest, TextWork};
use tokio::sync::mpsc::UnboundedReceiver;

use super::StepCall;
use super::step_events::StepEventWriter;
use crate::ServiceError;
use crate::engine_tasks::{self, MissingSource, TextCall, TextEvent};
use crate::worker::step_outcome::{StepError, StepProduct};

/// Whether a task's answer is recorded as events while it grows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deltas {
    Recorded,
    /// Part of an answer was recorded before; joined, the recorded deltas must be one answer.
    Skipped,
}

pub(super) async fn run_stage(step: StepCall<'_>, stage: &TextStage) -> Result<StepProduct, StepError> {
    let transcript = step.service.read_document(step.claimed, ResultDocument::into_text_transcript).await?;
    let request = TextRequest { work: TextWork::Stage(stage.clone()), transcript: Arc::new(transcript) };
    let answer = ask(step, request, Deltas::Skipped).await?;
    Ok(product(answer))
}

pub(super) async fn run_task(step: StepCall<'_>, task: &TaskSpec) -> Result<StepProduct, StepError> {
    let spec = task.clone();
    let request =
        step.service.read_document(step.claimed, move |document| task_request(spec, document)).await?;
    let request = request.map_err(source_not_found)?;
    let is_first = step.failed_calls == 0 && step.claimed.step().attempt() == 1;
    let deltas = if is_first { Deltas::Recorded } else { Deltas::Skipped };
    let answer = ask(step, request.clone(), deltas).await?;
    match &task.answer.format {
        TextFormat::Text => Ok(product(answer)),
        TextFormat::JsonSchema(format) => with_schema(step, request, format, answer).await,
    }
}

fn task_request(spec: TaskSpec, document: ResultDocument) -> Result<TextRequest, MissingSource> {
    let sources = engine_tasks::task_sources(&spec.sources, &document)?;
    let work = TextWork::Task(Box::new(TaskRequest { spec, sources, flaw: None }));
    Ok(TextRequest { work, transcript: Arc::new(document.into_text_transcript()) })
}

/// Checks the answer against the task's schema, and asks once more if it does not match.
async fn with_schema(
    step: StepCall<'_>,
    request: TextRequest,
    format: &JsonSchema,
    first: TextAnswer,
) -> Result<StepProduct, StepError> {
    let Some(flaw) = flaw_of(step, &first, format).await? else { return Ok(product(first)) };
    tracing::info!(step.id = %step.claimed.step().id, %flaw, "an answer did not match its schema; asking once more");
    let mut second = ask(step, request.with_flaw(flaw), Deltas::Skipped).await?;
    second.input_tokens += first.input_tokens;
    second.output_tokens += first.output_tokens;
    second.characters = second.characters.max(first.characters);
    match flaw_of(step, &second, format).await? {
        None => Ok(product(second)),
        Some(flaw) => Err(StepError::Cause(mismatch(&second, &flaw))),
    }
}

fn product(answer: TextAnswer) -> StepProduct {
    StepProduct {
        output: answer.output,
        response: JsonText::of(&answer.response),
        resolved_model: Some(answer.resolved_model),
        units: Units {
            audio_seconds: 0,
            input_tokens: answer.input_tokens,
            output_tokens: answer.output_tokens,
            characters: answer.characters,
        },
    }
}

async fn ask(step: StepCall<'_>, request: TextRequest, deltas: Deltas) -> Result<TextAnswer, StepError> {
    let (context, _stop) = step.context();
    let call = TextCall { model: step.model().to_owned(), request, context };
    let mut task = engine_tasks::run_text(step.service.engines(), call);
    record_events(step, &mut task.events, deltas).await?;
    Ok(task.finish().await?)
}

/// Records a task's answer while it grows, and the progress of a stage.
async fn record_events(
    step: StepCall<'_>,
    events: &mut UnboundedReceiver<TextEvent>,
    deltas: Deltas,
) -> Result<(), StepError> {
    let mut writer = StepEventWriter::new(step);
    while let Some(first) = events.recv().await {
        let mut delta = String::new();
        let mut next = Some(first);
        while let Some(event) = next {
            match event {
                TextEvent::Delta(text) => delta.push_str(&text),
                TextEvent::Share(share) => writer.share_progress(share),
            }
            next = events.try_recv().ok();
        }
        if deltas == Deltas::Recorded && !delta.is_empty() {
            let data = TaskDelta { step_key: &step.claimed.step().key, delta: &delta };
            writer.content(EventType::TaskDelta, &data);
        }
        writer.flush().await?;
    }
    Ok(())
}

/// Why the answer does not match its schema, if it does not. The schema was compiled with the request; after a restart it
/// is compiled again, so this is one of the checks that wait for their turn.
async fn flaw_of(
    step: StepCall<'_>,
    answer: &TextAnswer,
    format: &JsonSchema,
) -> Result<Option<String>, StepError> {
    let json = match &answer.output {
        StepOutput::Task(TaskOutput { json, .. }) => json.clone(),
        StepOutput::Transcript(_) | StepOutput::Diarization(_) | StepOutput::Stage(_) => {
            return Err(ServiceError::internal("a task was answered with the output of a stage").into());
        }
    };
    let schema = format.schema.clone();
    let checked = step.service.heavy_checks().of_answer(move || {
        if json.is_null() && !schema::asks_for_null(&schema) {
            return Err(SchemaFault::Unmet("it is not JSON".into()));
        }
        schema::validate(&schema, &json)
    });
    match checked.await? {
        Ok(()) => Ok(None),
        Err(SchemaFault::Unmet(flaw) | SchemaFault::Unusable(flaw)) => Ok(Some(flaw)),
        Err(error @ SchemaFault::NoThread) => Err(ServiceError::Unavailable(error.to_string()).into()),
    }
}

fn mismatch(answer: &TextAnswer, flaw: &str) -> Cause {
    if answer.truncated {
        let message =
            "The answer reached `max_output_tokens` before its JSON was complete; allow more tokens.";
        return Cause::new(StepCode::OutputTruncated, message);
    }
    let message = format!("The model's answer did not match the task's schema in two tries: {flaw}.");
    Cause::new(StepCode::SchemaValidationFailed, message)
}

fn source_not_found(MissingSource(pointer): MissingSource) -> StepError {
    let message = format!("The source `{pointer}` does not exist in the result.");
    StepError::Cause(Cause::new(StepCode::SourceNotFound, message))
}
