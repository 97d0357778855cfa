//! Measures a built-in text stage: `bench_text MODELS_DIR STAGE CHARACTERS` prints one line of JSON.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use auris_engines::text::{Granularity, SummaryKind};
use auris_engines::{
    CallContext, Catalog, EngineSettings, Engines, Ignore, TextOperation, TextRequest, TextTranscript,
};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [models_dir, stage, characters] = arguments.as_slice() else {
        return Err("usage: bench_text MODELS_DIR STAGE CHARACTERS".into());
    };
    let (model, operation) = operation(stage)?;
    let settings = EngineSettings { models_dir: PathBuf::from(models_dir), max_audio_seconds: 1e9 };
    let engines = Engines::new(Catalog::built_in()?, settings);
    let text_model = engines.text(model).ok_or("the model is not installed")?;
    let transcript =
        Arc::new(TextTranscript { text: text(characters.parse()?)?, ..TextTranscript::default() });
    let before = peak_mebibytes();
    let (started, cpu_before) = (Instant::now(), cpu_seconds()?);
    let answer =
        text_model.run(&TextRequest { operation, transcript }, &mut Ignore, &CallContext::alone())?;
    let (seconds, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds()? - cpu_before);
    let million = answer.characters.max(1) as f64 / 1e6;
    let line = serde_json::json!({
        "stage": stage, "characters": answer.characters, "seconds": seconds,
        "seconds_per_million": seconds / million, "cpu_seconds_per_million": cpu / million,
        "peak_mebibytes": peak_mebibytes(), "before_mebibytes": before,
    });
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

fn operation(stage: &str) -> Result<(&'static str, TextOperation), Failure> {
    Ok(match stage {
        "chapters" => ("chapters-en", TextOperation::Chapters),
        "entities" => ("entities-en", TextOperation::Entities { types: vec![] }),
        "formatting" => ("formatting-en", TextOperation::Formatting),
        "key_phrases" => ("key-phrases-en", TextOperation::KeyPhrases),
        "sentiment" => ("sentiment-en", TextOperation::Sentiment { granularity: Granularity::Utterance }),
        "summary" => ("summary-en", TextOperation::Summary { kind: SummaryKind::Detailed }),
        "topics" => ("topics-en", TextOperation::Topics),
        other => return Err(format!("there is no stage `{other}`").into()),
    })
}

/// So many characters of the labelled conversations, their utterances in an order that never comes again.
fn text(characters: usize) -> Result<String, Failure> {
    let all: Vec<serde_json::Value> = serde_json::from_str(include_str!("../tests/data/conversations.json"))?;
    let said: Vec<&str> = all
        .iter()
        .flat_map(|conversation| conversation["utterances"].as_array().into_iter().flatten())
        .filter_map(|utterance| utterance["text"].as_str())
        .collect();
    let (mut text, mut seed) = (String::with_capacity(characters + 200), 7_u64);
    while text.len() < characters {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(said[(seed >> 33) as usize % said.len()]);
        text.push(' ');
    }
    Ok(text.chars().take(characters).collect())
}

/// User and system time of this process, from Linux's own books.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| Ok::<f64, Failure>(fields.get(field).ok_or("no time")?.parse::<f64>()?);
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}

fn peak_mebibytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes / 1024)
}
