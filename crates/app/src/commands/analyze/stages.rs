//! Which stages and tasks are wanted, and the model of each.

use std::io::IsTerminal;

use anyhow::bail;
use auris_domain::model::Capability;
use auris_engines::text::{Granularity, SummaryKind};
use auris_engines::{Engines, TaskRequest, TaskSource, TextOperation, TextSink};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use crate::cli::{Analyze, SentimentOf, SummaryType};

/// One stage or task, and the model that does it.
pub(super) struct Stage {
    pub(super) key: &'static str,
    /// The id of a task.
    pub(super) task: Option<String>,
    pub(super) model: String,
    operation: TextOperation,
}

impl Stage {
    /// What is asked of the model; a task reads the utterances, else the text.
    pub(super) fn operation(&self, document: &Value) -> TextOperation {
        let TextOperation::Task(task) = &self.operation else { return self.operation.clone() };
        let transcript = &document["transcript"];
        let spoken = transcript["utterances"].as_array().is_some_and(|utterances| !utterances.is_empty());
        let part = if spoken { "utterances" } else { "text" };
        let source = TaskSource { pointer: format!("#/transcript/{part}"), value: transcript[part].clone() };
        TextOperation::Task(Box::new(TaskRequest { sources: vec![source], ..(**task).clone() }))
    }
}

/// The stages that the words name, or all of them where they name none.
pub(super) fn wanted(words: &Analyze, engines: &Engines) -> anyhow::Result<Vec<Stage>> {
    let named = words.summary.is_some() || words.sentiment.is_some() || !words.task.is_empty();
    let everything =
        !(named || words.chapters || words.entities || words.key_phrases || words.topics || words.formatting);
    let mut stages = Vec::new();
    let mut add = |capability: Capability, operation: TextOperation| {
        let model = model_for(words, engines, capability)?;
        stages.push(Stage { key: capability.as_str(), task: None, model, operation });
        anyhow::Ok(())
    };
    if everything || words.summary.is_some() {
        add(Capability::Summary, TextOperation::Summary { kind: kind(words.summary) })?;
    }
    if everything || words.chapters {
        add(Capability::Chapters, TextOperation::Chapters)?;
    }
    if everything || words.topics {
        add(Capability::Topics, TextOperation::Topics)?;
    }
    if everything || words.key_phrases {
        add(Capability::KeyPhrases, TextOperation::KeyPhrases)?;
    }
    if everything || words.entities {
        add(Capability::Entities, TextOperation::Entities { types: words.entity_types.clone() })?;
    }
    if everything || words.sentiment.is_some() {
        add(Capability::Sentiment, TextOperation::Sentiment { granularity: granularity(words.sentiment) })?;
    }
    if everything || words.formatting {
        add(Capability::Formatting, TextOperation::Formatting)?;
    }
    for (nth, instructions) in words.task.iter().enumerate() {
        let task = TaskRequest { instructions: Some(instructions.clone()), ..TaskRequest::default() };
        let (model, operation) = (task_model(words, engines)?, TextOperation::Task(Box::new(task)));
        stages.push(Stage { key: "tasks", task: Some(format!("task-{}", nth + 1)), model, operation });
    }
    Ok(stages)
}

fn kind(asked: Option<SummaryType>) -> SummaryKind {
    match asked {
        Some(SummaryType::Brief) | None => SummaryKind::Brief,
        Some(SummaryType::Bullets) => SummaryKind::Bullets,
        Some(SummaryType::Detailed) => SummaryKind::Detailed,
    }
}

fn granularity(asked: Option<SentimentOf>) -> Granularity {
    match asked {
        Some(SentimentOf::Document) | None => Granularity::Document,
        Some(SentimentOf::Utterance) => Granularity::Utterance,
    }
}

/// The model named for text where it can do this, else the catalogue's default.
fn model_for(words: &Analyze, engines: &Engines, capability: Capability) -> anyhow::Result<String> {
    let catalog = engines.catalog();
    let able = |id: &&String| catalog.find(id).is_some_and(|entry| entry.model.can(capability));
    if let Some(id) = words.text_model.as_ref().filter(able) {
        return Ok(id.clone());
    }
    match catalog.defaults.get(&capability) {
        Some(id) => Ok(id.clone()),
        None => bail!("the catalogue has no default model for `{}`", capability.as_str()),
    }
}

/// A model for tasks that is installed: they are too large to be fetched without being asked for.
fn task_model(words: &Analyze, engines: &Engines) -> anyhow::Result<String> {
    let (usable, catalog) = (engines.models(), engines.catalog());
    let can = |id: &str| usable.find(id).is_some_and(|model| model.can(Capability::Task));
    let named = words.text_model.iter().chain(catalog.defaults.get(&Capability::Task));
    if let Some(id) = named.clone().find(|id| can(id)) {
        return Ok(id.clone());
    }
    let known =
        catalog.models.iter().find(|entry| entry.model.can(Capability::Task) && !entry.files.is_empty());
    match named.map(String::as_str).next().or(known.map(|entry| entry.model.id.as_str())) {
        Some(id) => bail!("no model for tasks is installed; `auris models pull {id}` installs one"),
        None => bail!("the catalogue has no model for tasks; docs/models.md says how to add one"),
    }
}

/// How far a stage is, on a terminal only.
pub(super) struct StageProgress(ProgressBar);

impl StageProgress {
    pub(super) fn new(stage: &str) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(100), target).with_message(stage.to_owned());
        // The template is a constant that parses; the plain bar would do as well.
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent} %") {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}

impl TextSink for StageProgress {
    fn delta(&mut self, _: &str) {}

    fn progress(&mut self, share: f64) {
        self.0.set_position((share * 100.0) as u64);
    }
}
