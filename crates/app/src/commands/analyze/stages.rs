//! Which stages and tasks to run, and with which models.

use auris_domain::limits;
use auris_domain::step::TextStage;
use auris_domain::step::spec::{EntitiesSpec, SentimentSpec, SummarySpec, TaskSpec};
use auris_service::local::LocalEngines;

use crate::cli::Analyze;

/// A stage with its model.
pub(super) struct PlannedStage {
    pub(super) stage: TextStage,
    pub(super) model: String,
}

/// A task with its model.
pub(super) struct PlannedTask {
    pub(super) spec: TaskSpec,
    pub(super) model: String,
}

/// The stages that the arguments name; all stages if they name neither a stage nor a task.
pub(super) fn stages(args: &Analyze, engines: &LocalEngines) -> anyhow::Result<Vec<PlannedStage>> {
    let wanted = all_stages(args).into_iter().filter(|(named, _)| *named || names_nothing(args));
    wanted
        .map(|(_, stage)| {
            let model = engines.stage_model(stage.capability(), args.text_model.as_deref())?;
            Ok(PlannedStage { stage, model })
        })
        .collect()
}

/// The tasks of the arguments. Their sources depend on the transcript.
pub(super) fn tasks(args: &Analyze, engines: &LocalEngines) -> anyhow::Result<Vec<PlannedTask>> {
    let tasks = args.task.iter().enumerate();
    tasks
        .map(|(index, instructions)| {
            let spec = TaskSpec {
                id: format!("task-{}", index + 1),
                instructions: Some(instructions.clone()),
                max_output_tokens: limits::TASK_DEFAULT_OUTPUT_TOKENS as u32,
                ..TaskSpec::default()
            };
            Ok(PlannedTask { spec, model: engines.task_model(args.text_model.as_deref())? })
        })
        .collect()
}

/// Every stage, and whether the arguments name it, in the order of the output.
fn all_stages(args: &Analyze) -> [(bool, TextStage); 7] {
    let kind = args.summary.unwrap_or_default();
    let granularity = args.sentiment.unwrap_or_default();
    let types = args.entity_types.clone();
    [
        (args.summary.is_some(), TextStage::Summary(SummarySpec { kind })),
        (args.chapters, TextStage::Chapters),
        (args.topics, TextStage::Topics),
        (args.key_phrases, TextStage::KeyPhrases),
        (args.entities, TextStage::Entities(EntitiesSpec { types })),
        (args.sentiment.is_some(), TextStage::Sentiment(SentimentSpec { granularity })),
        (args.formatting, TextStage::Formatting),
    ]
}

fn names_nothing(args: &Analyze) -> bool {
    args.task.is_empty() && all_stages(args).iter().all(|(named, _)| !named)
}
