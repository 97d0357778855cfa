//! Tests of the plan through its public functions.

mod costs;
mod order;
mod sources;

use serde_json::{Value, json};

use super::*;
use crate::error::ErrorCode;
use crate::model::{Model, NativeUnit};
use crate::request::json::RawJson;
use crate::step::spec::TaskSpec;
use crate::usage::TokenBound;

const JOB: &str = "job_00000000000000000000";

fn rate(capability: Capability, native_unit: NativeUnit, price: &str) -> Rate {
    Rate { capability, native_unit, price_per_unit_usd: price.parse().unwrap() }
}

/// `text` runs every stage and is priced per character, `words` runs tasks and is priced per token, `ears` runs audio
/// work and is priced per second, `best` needs the plan `pro`. Topics have no default model.
fn models() -> Models {
    use Capability::{
        Chapters, Diarization, Entities, Formatting, KeyPhrases, Sentiment, Summary, Task, Topics,
        Transcription,
    };
    let model = |id: &str, required_plan: Option<&str>, capabilities: Vec<Rate>| Model {
        id: id.into(),
        display_name: id.into(),
        required_plan: required_plan.map(Into::into),
        capabilities,
    };
    let stages = [Chapters, Entities, Formatting, KeyPhrases, Sentiment, Summary, Topics];
    let by_character = stages.map(|stage| rate(stage, NativeUnit::Character, "0.000001"));
    let by_token =
        [rate(Task, NativeUnit::InputToken, "0.000001"), rate(Task, NativeUnit::OutputToken, "0.00001")];
    let by_second = [Diarization, Transcription].map(|work| rate(work, NativeUnit::AudioSecond, "0.0001"));
    let defaults = stages.into_iter().filter(|stage| *stage != Topics).map(|stage| (stage, "text".into()));
    Models {
        models: vec![
            model("best", Some("pro"), by_token.to_vec()),
            model("ears", None, by_second.to_vec()),
            model("text", None, by_character.to_vec()),
            model("words", None, by_token.to_vec()),
        ],
        defaults: defaults.chain([(Diarization, "ears".into())]).collect(),
        plans: vec!["free".into(), "pro".into()],
    }
}

fn request_of(body: &Value) -> Checked<AnalysisRequest> {
    let text = body.to_string();
    AnalysisRequest::parse(RawJson::whole(&text).unwrap())
}

/// Plans an analysis of a short transcript. A request with a `job_id` has 60 seconds of audio.
fn plan_of(body: Value) -> Checked<Vec<PlannedStep>> {
    let request = request_of(&body)?;
    let from_job = || SourceTranscript { text: "From the job.".into(), ..SourceTranscript::default() };
    let transcript = request.transcript.clone().unwrap_or_else(from_job);
    let audio_seconds = request.job_id.as_ref().map(|_| 60);
    analysis(&request, free_plan(&models()), PlanInput::of(&transcript, audio_seconds), &by_bytes)
}

/// Counts nothing, as for a model whose tokenizer is not installed.
fn by_bytes(_: &CountedStep<'_>) -> Option<TokenBound> {
    None
}

fn free_plan(models: &Models) -> ModelChoice<'_> {
    ModelChoice { models, project_plan: "free" }
}

/// The task that a step runs.
fn task_spec(planned: &PlannedStep) -> &TaskSpec {
    let StepSpec::Task(task) = &planned.spec else { panic!("not a task: {:?}", planned.spec) };
    task
}

fn body(processing: Value) -> Value {
    json!({"processing": processing, "transcript": {"text": "Hello."}})
}

fn body_with_audio(processing: Value) -> Value {
    json!({"processing": processing, "transcript": {"text": "Hello."}, "job_id": JOB})
}

fn task(id: &str, sources: &[&str]) -> Value {
    json!({"id": id, "model": "words", "sources": sources})
}

fn json_task(id: &str, sources: &[&str]) -> Value {
    let mut task = task(id, sources);
    task["text"] = json!({"format": {"type": "json_schema", "name": "n", "schema": {}}});
    task
}

fn keys(planned: &[PlannedStep]) -> Vec<String> {
    planned.iter().map(|step| step.spec.key()).collect()
}

fn needs(planned: &[PlannedStep]) -> Vec<Vec<i64>> {
    planned.iter().map(|step| step.needs.clone()).collect()
}

#[track_caller]
fn refused(body: Value, code: ErrorCode, param: &str) {
    let error = plan_of(body).expect_err("the plan should be refused");
    assert_eq!((error.code, error.param.as_deref()), (code, Some(param)), "{}", error.message);
}
