//! Upper bounds: the most units that each step can use, and the check against the caller's limit on the cost.

use std::io;

use serde::Serialize;

use super::draft::{Draft, Read};
use super::{PlanInput, PlannedStep};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::money::Usd;
use crate::step::spec::{Granularity, SentimentSpec, StepSpec, TaskSpec, TextFormat, TextStage};
use crate::usage::Units;

/// Maximum tokens of the service's instructions in a prompt.
const PROMPT_TOKENS: u64 = 1_024;
/// A long text is read in windows of this size, each with its own prompt and answer.
const WINDOW_TOKENS: u64 = 8_192;
/// Maximum characters of a token. Longer ones exist but are rare.
const TOKEN_CHARACTERS: u64 = 8;

/// The size of something in a prompt.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    characters: u64,
    tokens: u64,
}

/// The bound of each draft. Drafts are sorted, so that the bound of what a step reads is known before its own.
pub(super) fn bounds(drafts: &[Draft], input: PlanInput) -> Vec<Units> {
    let mut bounds: Vec<Units> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        bounds.push(bound(draft, input, &bounds));
    }
    bounds
}

fn bound(draft: &Draft, input: PlanInput, earlier: &[Units]) -> Units {
    match &draft.spec {
        StepSpec::Task(task) => task_bound(task, &draft.reads, input, earlier),
        StepSpec::Transcription(_) | StepSpec::Diarization(_) => {
            Units { audio_seconds: input.audio_seconds.unwrap_or_default(), ..Units::default() }
        }
        StepSpec::Stage(stage) => stage_bound(stage, input),
    }
}

/// A stage reads the text window by window, then its own answers once more to join them.
fn stage_bound(stage: &TextStage, input: PlanInput) -> Units {
    let windows = 1 + input.text_bytes / WINDOW_TOKENS;
    let answers = (windows + 1) * answer_tokens(stage);
    let repeated = if repeats_its_text(stage) { input.text_bytes } else { 0 };
    Units {
        audio_seconds: 0,
        characters: input.characters,
        input_tokens: input.text_bytes + (windows + 1) * PROMPT_TOKENS + answers + repeated,
        output_tokens: answers + repeated,
    }
}

/// Maximum tokens of a stage's answer for one window.
fn answer_tokens(stage: &TextStage) -> u64 {
    match stage {
        TextStage::Chapters | TextStage::Entities(_) => 2_048,
        TextStage::Summary(_) | TextStage::KeyPhrases | TextStage::Formatting => 1_024,
        TextStage::Sentiment(_) | TextStage::Topics => 512,
    }
}

/// Whether the answer grows with the text: formatting repeats it, and each utterance can have its own sentiment.
fn repeats_its_text(stage: &TextStage) -> bool {
    match stage {
        TextStage::Formatting
        | TextStage::Sentiment(SentimentSpec { granularity: Granularity::Utterance }) => true,
        TextStage::Sentiment(SentimentSpec { granularity: Granularity::Document })
        | TextStage::Chapters
        | TextStage::Entities(_)
        | TextStage::KeyPhrases
        | TextStage::Summary(_)
        | TextStage::Topics => false,
    }
}

/// A task reads its sources in one prompt. An answer that does not match its schema is asked for once more.
fn task_bound(task: &TaskSpec, reads: &[Read], input: PlanInput, earlier: &[Units]) -> Units {
    let instructions = task.instructions.as_deref().unwrap_or_default();
    let mut read =
        Size { characters: instructions.chars().count() as u64, tokens: instructions.len() as u64 };
    for source in reads {
        let size = size_of(*source, input, earlier);
        read.characters += size.characters;
        read.tokens += size.tokens;
    }
    let answer = u64::from(task.max_output_tokens);
    let prompt = read.tokens + json_bytes(&task.answer.format) + PROMPT_TOKENS;
    let (input_tokens, output_tokens) = match task.answer.format {
        TextFormat::Text => (prompt, answer),
        TextFormat::JsonSchema(_) => (2 * prompt + answer, 2 * answer),
    };
    Units { audio_seconds: 0, characters: read.characters, input_tokens, output_tokens }
}

/// A token has at least one byte, so the bytes bound the tokens of any tokenizer.
fn size_of(read: Read, input: PlanInput, earlier: &[Units]) -> Size {
    match read {
        Read::TranscriptText => Size { characters: input.characters, tokens: input.text_bytes },
        // Diarization adds new utterances, which are at most as large as the transcript.
        Read::Transcript => Size { characters: 2 * input.document_bytes, tokens: 2 * input.document_bytes },
        Read::Output(step) => output_size(earlier.get(step).copied().unwrap_or_default(), input),
    }
}

/// The size of a step's output for another model: its tokenizer may split it differently, and JSON adds to it.
fn output_size(bound: Units, input: PlanInput) -> Size {
    if bound.output_tokens == 0 {
        return Size { characters: input.document_bytes, tokens: input.document_bytes };
    }
    Size { characters: bound.output_tokens * TOKEN_CHARACTERS, tokens: 2 * bound.output_tokens }
}

/// Refuses a plan that could cost more than the caller allows.
pub(super) fn check_max_cost(planned: &[PlannedStep], max_cost: Option<Usd>) -> Checked<()> {
    let total: Usd = planned.iter().map(|step| step.cost_bound).sum();
    match max_cost {
        Some(allowed) if total > allowed => {
            let message =
                format!("Together, the steps can cost up to {total} USD, but `max_cost_usd` is {allowed}.");
            Err(ApiError::new(ErrorCode::MaxCostTooLow, message).at("processing.max_cost_usd"))
        }
        Some(_) | None => Ok(()),
    }
}

/// The size of a value as JSON, without storing the text.
pub(super) fn json_bytes(value: &impl Serialize) -> u64 {
    let mut counter = ByteCounter(0);
    // The counter accepts every byte, so writing cannot fail.
    serde_json::to_writer(&mut counter, value).map_or(0, |()| counter.0)
}

struct ByteCounter(u64);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
