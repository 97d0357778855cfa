//! Runs one built-in text stage on a generated text: one line of JSON.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use auris_domain::step::TextStage;
use auris_domain::step::spec::{EntitiesSpec, Granularity, SentimentSpec, SummarySpec, SummaryType};
use auris_domain::transcript::TextTranscript;
use auris_engines::text::{TextRequest, TextWork};
use auris_engines::{CallContext, Ignore, Tuning};
use clap::Args;
use serde_json::{Value, json};

use super::{Stopwatch, engines, peak_mebibytes, print};

/// The labeled conversations of the tests; the text is made of their utterances.
const CONVERSATIONS: &str = include_str!("../../../crates/engines/tests/data/conversations.json");

#[derive(Args)]
pub(crate) struct TextRun {
    models_dir: PathBuf,
    stage: String,
    characters: usize,
}

pub(crate) fn run(run: &TextRun) -> anyhow::Result<()> {
    let (model, stage) = stage(&run.stage)?;
    let engines = engines(run.models_dir.clone(), &Tuning::default())?;
    let model = engines.text(model).context("the model is not installed")?;
    let transcript = TextTranscript { text: text(run.characters)?, ..TextTranscript::default() };
    let request = TextRequest { work: TextWork::Stage(stage), transcript: Arc::new(transcript) };
    let before = peak_mebibytes();
    let stopwatch = Stopwatch::start();
    let answer = model.run(&request, &mut Ignore, &CallContext::alone())?;
    let seconds = stopwatch.wall_seconds();
    let millions = answer.characters.max(1) as f64 / 1e6;
    print(&json!({
        "stage": run.stage, "characters": answer.characters, "seconds": seconds,
        "seconds_per_million": seconds / millions,
        "cpu_seconds_per_million": stopwatch.cpu_seconds() / millions,
        "peak_mebibytes": peak_mebibytes(), "before_mebibytes": before,
    }))
}

fn stage(name: &str) -> anyhow::Result<(&'static str, TextStage)> {
    Ok(match name {
        "chapters" => ("chapters-en", TextStage::Chapters),
        "entities" => ("entities-en", TextStage::Entities(EntitiesSpec::default())),
        "formatting" => ("formatting-en", TextStage::Formatting),
        "key_phrases" => ("key-phrases-en", TextStage::KeyPhrases),
        "sentiment" => {
            ("sentiment-en", TextStage::Sentiment(SentimentSpec { granularity: Granularity::Utterance }))
        }
        "summary" => ("summary-en", TextStage::Summary(SummarySpec { kind: SummaryType::Detailed })),
        "topics" => ("topics-en", TextStage::Topics),
        other => bail!("there is no stage `{other}`"),
    })
}

/// Utterances in a pseudo-random order, up to the number of characters.
fn text(characters: usize) -> anyhow::Result<String> {
    let conversations: Vec<Value> = serde_json::from_str(CONVERSATIONS)?;
    let utterances: Vec<&str> = conversations
        .iter()
        .flat_map(|conversation| conversation["utterances"].as_array().into_iter().flatten())
        .filter_map(|utterance| utterance["text"].as_str())
        .collect();
    let mut text = String::with_capacity(characters + 200);
    let mut seed = 7_u64;
    while text.len() < characters {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(utterances[(seed >> 33) as usize % utterances.len()]);
        text.push(' ');
    }
    Ok(text.chars().take(characters).collect())
}
