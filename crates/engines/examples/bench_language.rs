//! Measures a language model: `bench_language MODELS_DIR MODEL READ WRITE` reads a prompt of about READ tokens, then
//! writes WRITE tokens; prints a line of JSON for each. Threads come from CANDLE_NUM_THREADS and RAYON_NUM_THREADS.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use auris_engines::{
    CallContext, Catalog, EngineSettings, Engines, Ignore, TaskRequest, TaskSource, TextAnswer,
    TextOperation, TextRequest, TextTranscript,
};
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

const SENTENCE: &str = "The committee met on Tuesday to talk about the new library by the river. ";
/// What the sentence takes, nearly, in the vocabularies of the catalogue.
const SENTENCE_TOKENS: usize = 15;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [models_dir, model, read, write] = arguments.as_slice() else {
        return Err("usage: bench_language MODELS_DIR MODEL READ WRITE".into());
    };
    let settings = EngineSettings { models_dir: PathBuf::from(models_dir), max_audio_seconds: 1.0 };
    let engines = Engines::new(Catalog::built_in()?, settings);
    let text = SENTENCE.repeat(read.parse::<usize>()? / SENTENCE_TOKENS);
    // The first pass packs the weights, which happens once in a model's life.
    ask(&engines, model, SENTENCE, 1)?;
    measure(&engines, model, "read", &text, 1)?;
    // The text is remembered now, so that nearly all of this is writing.
    measure(&engines, model, "write", &text, write.parse()?)
}

fn measure(engines: &Engines, model: &str, what: &str, text: &str, tokens: u32) -> Result<(), Failure> {
    let (started, before) = (Instant::now(), cpu_seconds()?);
    let answer = ask(engines, model, text, tokens)?;
    let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds()? - before);
    let timings = &answer.response["timings"];
    let read =
        timings["prompt_tokens"].as_u64().unwrap_or(0) - timings["cached_tokens"].as_u64().unwrap_or(0);
    let tokens = if what == "read" { read } else { answer.output_tokens };
    let line = json!({"what": what, "tokens": tokens, "wall_seconds": wall, "cpu_seconds": cpu});
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

fn ask(engines: &Engines, model: &str, text: &str, tokens: u32) -> Result<TextAnswer, Failure> {
    let task = TaskRequest {
        instructions: Some("Write a long story about it.".into()),
        sources: vec![TaskSource { pointer: "#/transcript/text".into(), value: json!(text) }],
        max_output_tokens: Some(tokens),
        temperature: Some(0.0),
        ..TaskRequest::default()
    };
    let transcript = Arc::new(TextTranscript::default());
    let request = TextRequest { operation: TextOperation::Task(Box::new(task)), transcript };
    let model = engines.text(model).ok_or("the model is not installed")?;
    Ok(model.run(&request, &mut Ignore, &CallContext::alone())?)
}

/// User and system time of this process, from Linux's own books.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|ticks| ticks.parse::<f64>().ok());
    Ok((ticks(11).ok_or("no time")? + ticks(12).ok_or("no time")?) / 100.0)
}
