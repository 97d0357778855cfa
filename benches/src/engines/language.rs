//! Reads a prompt and writes an answer with a language model: one line of JSON for each.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use auris_domain::step::spec::TaskSpec;
use auris_domain::transcript::TextTranscript;
use auris_engines::text::{TaskRequest, TaskSource, TextAnswer, TextRequest, TextWork};
use auris_engines::{CallContext, Ignore, TextModel, Tuning};
use clap::Args;
use serde_json::json;

use super::{Stopwatch, engines, print};

const SENTENCE: &str = "The committee met on Tuesday to talk about the new library by the river. ";
/// Tokens of the sentence in the vocabularies of the catalogue, approximately.
const SENTENCE_TOKENS: usize = 15;

#[derive(Args)]
pub(crate) struct LanguageRun {
    models_dir: PathBuf,
    model: String,
    /// Tokens of the prompt, approximately
    read: usize,
    /// Tokens of the answer
    write: u32,
    threads: usize,
}

pub(crate) fn run(run: &LanguageRun) -> anyhow::Result<()> {
    let tuning = Tuning { threads: run.threads, ..Tuning::default() };
    let engines = engines(run.models_dir.clone(), &tuning)?;
    let text = SENTENCE.repeat(run.read / SENTENCE_TOKENS);
    let model = engines.text(&run.model).context("the model is not installed")?;
    // The first call loads the model.
    ask(&*model, SENTENCE, 1)?;
    measure(&*model, "read", &text, 1)?;
    // The prompt is cached now, so almost all of this call is writing.
    measure(&*model, "write", &text, run.write)
}

fn measure(model: &dyn TextModel, what: &str, text: &str, tokens: u32) -> anyhow::Result<()> {
    let stopwatch = Stopwatch::start();
    let answer = ask(model, text, tokens)?;
    let timings = &answer.response["timings"];
    let prompt = timings["prompt_tokens"].as_u64().unwrap_or(0);
    let cached = timings["cached_tokens"].as_u64().unwrap_or(0);
    let tokens = if what == "read" { prompt - cached } else { answer.output_tokens };
    print(&json!({
        "what": what, "tokens": tokens, "wall_seconds": stopwatch.wall_seconds(),
        "cpu_seconds": stopwatch.cpu_seconds(),
    }))
}

fn ask(model: &dyn TextModel, text: &str, tokens: u32) -> anyhow::Result<TextAnswer> {
    let spec = TaskSpec {
        instructions: Some("Write a long story about it.".into()),
        max_output_tokens: tokens,
        temperature: Some(0.0),
        ..TaskSpec::default()
    };
    let source = TaskSource { pointer: "#/transcript/text".into(), text: text.into() };
    let task = TaskRequest { spec, sources: vec![source], flaw: None };
    let transcript = Arc::new(TextTranscript::default());
    let request = TextRequest { work: TextWork::Task(Box::new(task)), transcript };
    Ok(model.run(&request, &mut Ignore, &CallContext::alone())?)
}
