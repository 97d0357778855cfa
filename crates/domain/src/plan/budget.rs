//! Upper bounds: the most units that each step can use, and the check against the caller's limit on the cost.
//!
//! The tokens of a step are counted where its model's tokenizer is installed and its text is known. Otherwise bytes bound
//! them: a token has at least one byte.

use super::draft::{Draft, Read};
use super::{PlanInput, PlannedStep};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::json_length::json_length;
use crate::model::{Capability, Model, NativeUnit, Rate};
use crate::money::Usd;
use crate::step::spec::{Granularity, SentimentSpec, StepSpec, TaskSpec, TextFormat, TextStage};
use crate::usage::{TokenBound, Units};

/// Maximum tokens of the service's instructions in a prompt.
const PROMPT_TOKENS: u64 = 1_024;
/// A long text is read in windows of this size, each with its own prompt and answer.
const WINDOW_TOKENS: u64 = 8_192;
/// Maximum tokens of a task's notes on one window.
const NOTE_TOKENS: u64 = 512;
/// Maximum characters of a token. Longer ones exist but are rare.
const TOKEN_CHARACTERS: u64 = 8;

/// The size of something in a prompt.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    characters: u64,
    tokens: u64,
}

/// Bytes around a source in a prompt, beside its pointer.
const AROUND_SOURCE: u64 = 16;

/// A text step whose tokens are to be counted.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedStep<'a> {
    pub model: &'a str,
    pub spec: &'a StepSpec,
    /// The sources of a task that point into the transcript.
    pub known_sources: Vec<&'a str>,
    /// The most tokens of its other sources, which earlier steps produce.
    pub unknown_tokens: u64,
}

/// Counts the most tokens that a step can use; `None` if its model's tokenizer is not installed.
pub type TokenCounter<'a> = dyn Fn(&CountedStep<'_>) -> Option<TokenBound> + 'a;

/// The bounds of the steps so far.
pub(super) struct StepBounds<'a> {
    input: PlanInput,
    count: &'a TokenCounter<'a>,
    /// Whether the utterances are made by a step of this plan.
    is_diarized: bool,
    bounds: Vec<Units>,
}

impl<'a> StepBounds<'a> {
    pub(super) fn new(drafts: &[Draft], input: PlanInput, count: &'a TokenCounter<'a>) -> Self {
        let is_diarized = drafts.iter().any(|draft| draft.spec.capability() == Capability::Diarization);
        Self { input, count, is_diarized, bounds: Vec::with_capacity(drafts.len()) }
    }

    /// The bound of the next draft. Drafts are sorted, so that the bound of what a step reads is known before its own.
    pub(super) fn add(&mut self, draft: &Draft, model: &Model) -> Units {
        let by_bytes = bound(draft, self.input, &self.bounds);
        let bound = match self.counted(draft, model) {
            Some(tokens) => Units { input_tokens: tokens.input, output_tokens: tokens.output, ..by_bytes },
            None => by_bytes,
        };
        self.bounds.push(bound);
        bound
    }

    /// Tokens are counted only if they cost something.
    fn counted(&self, draft: &Draft, model: &Model) -> Option<TokenBound> {
        if !model.rates(draft.spec.capability()).iter().any(is_price_of_tokens) {
            return None;
        }
        let mut step =
            CountedStep { model: &model.id, spec: &draft.spec, known_sources: vec![], unknown_tokens: 0 };
        match &draft.spec {
            StepSpec::Task(task) => self.add_sources(&mut step, task, &draft.reads)?,
            StepSpec::Stage(_) if self.is_diarized => return None,
            StepSpec::Stage(_) => {}
            StepSpec::Transcription(_) | StepSpec::Diarization(_) => return None,
        }
        (self.count)(&step)
    }

    /// Adds what a task reads; `None` if it is a transcript that is yet to be made.
    fn add_sources<'b>(&self, step: &mut CountedStep<'b>, task: &'b TaskSpec, reads: &[Read]) -> Option<()> {
        for (pointer, read) in task.sources.iter().zip(reads) {
            match read {
                Read::TranscriptText => step.known_sources.push(pointer),
                Read::Transcript if self.is_diarized => return None,
                Read::Transcript => step.known_sources.push(pointer),
                Read::Output(_) => {
                    let size = size_of(*read, self.input, &self.bounds);
                    step.unknown_tokens += size.tokens + pointer.len() as u64 + AROUND_SOURCE;
                }
            }
        }
        Some(())
    }
}

fn is_price_of_tokens(rate: &Rate) -> bool {
    match rate.native_unit {
        NativeUnit::InputToken | NativeUnit::OutputToken => rate.price_per_unit_usd > Usd::ZERO,
        NativeUnit::AudioSecond | NativeUnit::Character => false,
    }
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

/// A task reads its sources in one prompt; of long sources, it first makes notes window by window. An answer that does not
/// match its schema is asked for once more.
fn task_bound(task: &TaskSpec, reads: &[Read], input: PlanInput, earlier: &[Units]) -> Units {
    let instructions = task.instructions.as_deref().unwrap_or_default();
    let mut read =
        Size { characters: instructions.chars().count() as u64, tokens: instructions.len() as u64 };
    for source in reads {
        let size = size_of(*source, input, earlier);
        read.characters += size.characters;
        read.tokens += size.tokens;
    }
    let windows = read.tokens / WINDOW_TOKENS;
    let notes = windows * NOTE_TOKENS;
    let asked = windows * (PROMPT_TOKENS + instructions.len() as u64);
    let answer = u64::from(task.max_output_tokens) + notes;
    let prompt = read.tokens + json_length(&task.answer.format) as u64 + PROMPT_TOKENS + asked + notes;
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
