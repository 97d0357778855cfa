//! Upper bounds: the units that each step can use at most, and whether the caller's bound on the cost covers them.

use std::io;

use serde_json::{Value, json};

use super::draft::{Draft, Read};
use super::{PlanInput, PlannedStep};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::model::Capability;
use crate::money::Usd;
use crate::usage::Units;

/// What the service's own words around a text take at most.
const PROMPT_TOKENS: u64 = 1_024;
/// A long text is read in pieces of this size, each with its own prompt and answer.
const PIECE_TOKENS: u64 = 8_192;
/// Tokens are rarely longer than this, in characters.
const TOKEN_CHARACTERS: u64 = 8;

/// How much a prompt takes of something.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    characters: u64,
    tokens: u64,
}

/// The bound of each draft; drafts stand in running order, so that what one reads is bound before it.
pub(super) fn bounds(drafts: &[Draft<'_>], input: PlanInput) -> Vec<Units> {
    let mut bounds: Vec<Units> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        bounds.push(bound(draft, input, &bounds));
    }
    bounds
}

fn bound(draft: &Draft<'_>, input: PlanInput, earlier: &[Units]) -> Units {
    match draft.capability {
        Capability::Task => task_bound(draft, input, earlier),
        Capability::Transcription | Capability::Diarization => {
            Units { audio_seconds: input.audio_seconds.unwrap_or_default(), ..Units::default() }
        }
        Capability::Chapters
        | Capability::Entities
        | Capability::Formatting
        | Capability::KeyPhrases
        | Capability::Sentiment
        | Capability::Summary
        | Capability::Topics => stage_bound(draft, input),
    }
}

/// A stage reads the text piece by piece, then its own answers once more to join them.
fn stage_bound(draft: &Draft<'_>, input: PlanInput) -> Units {
    let pieces = 1 + input.text_bytes / PIECE_TOKENS;
    let answers = (pieces + 1) * answer_tokens(draft.capability);
    let echoed = if repeats_its_text(draft) { input.text_bytes } else { 0 };
    Units {
        audio_seconds: 0,
        characters: input.characters,
        input_tokens: input.text_bytes + (pieces + 1) * PROMPT_TOKENS + answers + echoed,
        output_tokens: answers + echoed,
    }
}

/// What a stage answers for one piece at most.
fn answer_tokens(stage: Capability) -> u64 {
    match stage {
        Capability::Chapters | Capability::Entities => 2_048,
        Capability::Summary | Capability::KeyPhrases | Capability::Formatting => 1_024,
        Capability::Sentiment | Capability::Topics => 512,
        Capability::Transcription | Capability::Diarization | Capability::Task => 0,
    }
}

/// Stages whose answer grows with the text: a formatted text is one again, and each utterance has its own sentiment.
fn repeats_its_text(draft: &Draft<'_>) -> bool {
    draft.capability == Capability::Formatting || draft.spec["granularity"] == "utterance"
}

/// A task reads its sources in one prompt; an answer that breaks its schema is tried once more, with what was wrong.
fn task_bound(draft: &Draft<'_>, input: PlanInput, earlier: &[Units]) -> Units {
    let reads = draft.reads.iter().map(|read| size_of(read, input, earlier));
    let read = reads.fold(Size::default(), |sum, size| Size {
        characters: sum.characters + size.characters,
        tokens: sum.tokens + size.tokens,
    });
    let format = &draft.spec["text"]["format"];
    let answer = draft.spec["max_output_tokens"].as_u64().unwrap_or_default();
    let prompt = read.tokens + json_bytes(format) + PROMPT_TOKENS;
    let retried = format["type"] == "json_schema";
    Units {
        audio_seconds: 0,
        characters: read.characters,
        input_tokens: if retried { 2 * prompt + answer } else { prompt },
        output_tokens: if retried { 2 * answer } else { answer },
    }
}

/// A token has at least one byte, so that bytes bound tokens whatever the tokenizer.
fn size_of(read: &Read<'_>, input: PlanInput, earlier: &[Units]) -> Size {
    match read {
        Read::TranscriptText => Size { characters: input.characters, tokens: input.text_bytes },
        // Diarization writes utterances anew: at most the transcript once more.
        Read::Transcript => Size { characters: 2 * input.document_bytes, tokens: 2 * input.document_bytes },
        Read::Words(words) => Size { characters: words.chars().count() as u64, tokens: words.len() as u64 },
        Read::Output(step) => output_size(earlier.get(*step).copied().unwrap_or_default(), input),
    }
}

/// What a step wrote, as another model reads it: other tokens, with the marks of JSON around them.
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
                format!("The steps can cost up to {total} USD together, and `max_cost_usd` is {allowed}.");
            Err(ApiError::new(ErrorCode::MaxCostTooLow, message).at("processing.max_cost_usd"))
        }
        Some(_) | None => Ok(()),
    }
}

pub(super) fn as_json(units: Units) -> Value {
    json!({
        "audio_seconds": units.audio_seconds,
        "input_tokens": units.input_tokens,
        "output_tokens": units.output_tokens,
        "characters": units.characters,
    })
}

pub(super) fn from_json(bound: &Value) -> Units {
    let count = |name: &str| bound[name].as_u64().unwrap_or_default();
    Units {
        audio_seconds: count("audio_seconds"),
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
        characters: count("characters"),
    }
}

/// The size of a value as JSON, without making it.
pub(super) fn json_bytes(value: &Value) -> u64 {
    let mut counter = Counter(0);
    // A counter takes every byte.
    serde_json::to_writer(&mut counter, value).map_or(0, |()| counter.0)
}

struct Counter(u64);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
