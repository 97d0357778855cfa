//! The text steps: stages and tasks read the working document and ask a text model.

use std::sync::Arc;

use auris_domain::event::EventType;
use auris_domain::model::Capability;
use auris_domain::plan::source;
use auris_domain::request::schema::{self, SchemaFault};
use auris_domain::step::{Cause, StepCode};
use auris_domain::usage::Units;
use auris_engines::{
    EngineError, TaskFormat, TaskRequest, TaskSource, TextAnswer, TextOperation, TextRequest, TextSink,
};
use auris_store::ClaimedStep;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::feed::Feed;
use super::{context_of, model_of};
use crate::analysis::text_transcript;
use crate::runner::lease::Signal;
use crate::runner::work::{Product, Trouble};
use crate::{Service, ServiceError};

pub(super) async fn run(
    service: &Service,
    claimed: &ClaimedStep,
    signal: &Signal,
    tried: usize,
) -> Result<Product, Trouble> {
    let document = service.working_document(&claimed.job.id).await?;
    let operation = operation(claimed, &document)?;
    let transcript = Arc::new(text_transcript(&document["transcript"]));
    drop(document);
    let schema = schema_of(&operation);
    let request = TextRequest { operation, transcript };
    // An answer that was told in part before is not told again: joined, the parts must be the answer.
    let silent = tried > 0 || claimed.step.attempt > 1;
    let mut answer = ask(service, claimed, signal, &request, silent).await?;
    if let Some(schema) = schema
        && let Some(flaw) = flaw_of(&answer, schema.clone()).await?
    {
        tracing::info!(step.id = %claimed.step.id, %flaw, "an answer broke its schema; asking once more");
        let first = answer;
        answer = ask(service, claimed, signal, &request.with_flaw(flaw), true).await?;
        answer.input_tokens += first.input_tokens;
        answer.output_tokens += first.output_tokens;
        answer.characters = answer.characters.max(first.characters);
        if let Some(flaw) = flaw_of(&answer, schema).await? {
            return Err(Trouble::Cause(broken(&answer, &flaw)));
        }
    }
    Ok(Product {
        output: answer.output,
        response: answer.response,
        resolved_model: Some(answer.resolved_model),
        units: Units {
            audio_seconds: 0,
            input_tokens: answer.input_tokens,
            output_tokens: answer.output_tokens,
            characters: answer.characters,
        },
    })
}

async fn ask(
    service: &Service,
    claimed: &ClaimedStep,
    signal: &Signal,
    request: &TextRequest,
    silent: bool,
) -> Result<TextAnswer, Trouble> {
    let (context, _stop) = context_of(claimed, signal);
    let (sender, told) = unbounded_channel();
    let (engines, model, request) = (Arc::clone(&service.engines), model_of(claimed), request.clone());
    let asked = tokio::task::spawn_blocking(move || {
        let gone = || EngineError::Internal(format!("the model `{model}` is gone"));
        engines.text(&model).ok_or_else(gone)?.run(&request, &mut Channel(sender), &context)
    });
    let mut feed = Feed::new(service, claimed, signal);
    tell(&mut feed, claimed, told, silent).await?;
    Ok(asked.await.map_err(ServiceError::internal)??)
}

/// Tells a task's answer as it grows; stages answer as a whole.
async fn tell(
    feed: &mut Feed<'_>,
    claimed: &ClaimedStep,
    mut told: UnboundedReceiver<Telling>,
    silent: bool,
) -> Result<(), Trouble> {
    while let Some(first) = told.recv().await {
        let mut delta = String::new();
        let mut next = Some(first);
        while let Some(telling) = next {
            match telling {
                Telling::Delta(text) => delta.push_str(&text),
                Telling::Share(share) => feed.done(share),
            }
            next = told.try_recv().ok();
        }
        if claimed.step.capability == Capability::Task && !silent && !delta.is_empty() {
            feed.content(EventType::TaskDelta, json!({"step_key": claimed.step.key, "delta": delta}));
        }
        feed.flush().await?;
    }
    Ok(())
}

fn schema_of(operation: &TextOperation) -> Option<Value> {
    match operation {
        TextOperation::Task(task) => match &task.format {
            TaskFormat::JsonSchema { schema, .. } => Some(schema.clone()),
            TaskFormat::Text => None,
        },
        TextOperation::Chapters
        | TextOperation::Entities { .. }
        | TextOperation::Formatting
        | TextOperation::KeyPhrases
        | TextOperation::Sentiment { .. }
        | TextOperation::Summary { .. }
        | TextOperation::Topics => None,
    }
}

/// What keeps the answer from being what its schema asks for. Validating can be slow, so it has a thread for it.
async fn flaw_of(answer: &TextAnswer, schema: Value) -> Result<Option<String>, Trouble> {
    let json = answer.output["json"].clone();
    let checked = tokio::task::spawn_blocking(move || {
        if json.is_null() && schema["type"] != "null" {
            return Err(SchemaFault::Unmet("it is no JSON".into()));
        }
        schema::validate(&schema, &json)
    });
    match checked.await.map_err(ServiceError::internal)? {
        Ok(()) => Ok(None),
        Err(SchemaFault::Unmet(flaw) | SchemaFault::Unusable(flaw)) => Ok(Some(flaw)),
        Err(error @ SchemaFault::NoThread) => Err(ServiceError::Unavailable(error.to_string()).into()),
    }
}

fn broken(answer: &TextAnswer, flaw: &str) -> Cause {
    if answer.response["finish_reason"] == "length" {
        let message =
            "The answer was cut at `max_output_tokens` before its JSON was whole; allow more tokens.";
        return Cause::new(StepCode::OutputTruncated, message);
    }
    let message = format!("The model's answer does not match the task's schema, twice: {flaw}.");
    Cause::new(StepCode::SchemaValidationFailed, message)
}

/// What a model tells while it works.
enum Telling {
    Delta(String),
    Share(f64),
}

struct Channel(UnboundedSender<Telling>);

impl TextSink for Channel {
    fn delta(&mut self, text: &str) {
        // A receiver that went away is no error: the context tells the engine to stop.
        let _ = self.0.send(Telling::Delta(text.to_owned()));
    }

    fn progress(&mut self, share: f64) {
        let _ = self.0.send(Telling::Share(share));
    }
}

fn operation(claimed: &ClaimedStep, document: &Value) -> Result<TextOperation, Trouble> {
    let spec = &claimed.step.spec;
    Ok(match claimed.step.capability {
        Capability::Chapters => TextOperation::Chapters,
        Capability::Entities => TextOperation::Entities { types: read(&spec["types"]) },
        Capability::Formatting => TextOperation::Formatting,
        Capability::KeyPhrases => TextOperation::KeyPhrases,
        Capability::Sentiment => TextOperation::Sentiment { granularity: read(&spec["granularity"]) },
        Capability::Summary => TextOperation::Summary { kind: read(&spec["type"]) },
        Capability::Topics => TextOperation::Topics,
        Capability::Task => TextOperation::Task(Box::new(task(spec, document)?)),
        Capability::Transcription | Capability::Diarization => {
            return Err(ServiceError::internal("an audio step is no text step").into());
        }
    })
}

fn task(spec: &Value, document: &Value) -> Result<TaskRequest, Trouble> {
    Ok(TaskRequest {
        instructions: spec["instructions"].as_str().map(str::to_owned),
        sources: sources(spec, document)?,
        max_output_tokens: spec["max_output_tokens"].as_u64().map(|tokens| tokens as u32),
        temperature: spec["temperature"].as_f64(),
        reasoning_effort: spec["reasoning"]["effort"].as_str().map(str::to_owned),
        format: format(&spec["text"]["format"]),
        flaw: None,
    })
}

fn sources(spec: &Value, document: &Value) -> Result<Vec<TaskSource>, Trouble> {
    let pointers = spec["sources"].as_array().into_iter().flatten().filter_map(Value::as_str);
    pointers
        .map(|pointer| match source::resolve(document, pointer) {
            Some(value) => Ok(TaskSource { pointer: pointer.to_owned(), value: value.clone() }),
            None => {
                let message =
                    format!("The source `{pointer}` points to nothing in the result as it came out.");
                Err(Trouble::Cause(Cause::new(StepCode::SourceNotFound, message)))
            }
        })
        .collect()
}

fn format(format: &Value) -> TaskFormat {
    if format["type"] != "json_schema" {
        return TaskFormat::Text;
    }
    TaskFormat::JsonSchema {
        name: format["name"].as_str().unwrap_or_default().to_owned(),
        description: format["description"].as_str().map(str::to_owned),
        schema: format["schema"].clone(),
        strict: format["strict"].as_bool().unwrap_or(true),
    }
}

/// A checked option of the plan; what the plan left out is the default.
fn read<T: serde::de::DeserializeOwned + Default>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_default()
}
