//! What a chat model reports about an answer, for debugging: its version, timings, and options that it ignored.

use auris_domain::step::spec::Effort;
use serde::Serialize;

/// Details of one answer.
#[derive(Debug, Clone, Serialize)]
pub struct AnswerDetails {
    pub model: String,
    /// The hash of the model's file, or the name that a server reports.
    pub version: Option<String>,
    pub timings: Timings,
    /// Where the token counts come from, if they can be estimates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<&'static str>,
    /// Present if the caller set `reasoning.effort`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<ReasoningDetails>,
    /// Present if the answer was not constrained to its schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<ConstraintDetails>,
}

/// How long an answer took.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Timings {
    Local(LocalTimings),
    Remote { total_ms: u64 },
}

/// The timings of a model in this process.
#[derive(Debug, Clone, Serialize)]
pub struct LocalTimings {
    pub prompt_tokens: usize,
    pub cached_tokens: usize,
    pub prefill_ms: f64,
    pub prefill_tokens_per_second: f64,
    pub decode_ms: f64,
    pub decode_tokens_per_second: f64,
    pub passes: u64,
}

/// Whether the model reasoned, and what it wrote or why it did not.
#[derive(Debug, Clone, Serialize)]
pub struct ReasoningDetails {
    effort: Effort,
    applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

impl ReasoningDetails {
    pub fn applied(effort: Effort, text: String) -> Self {
        Self { effort, applied: true, text: Some(text), reason: None }
    }

    pub fn ignored(effort: Effort, reason: &'static str) -> Self {
        Self { effort, applied: false, text: None, reason: Some(reason) }
    }
}

/// Why the decoding was not constrained.
#[derive(Debug, Clone, Serialize)]
pub struct ConstraintDetails {
    applied: bool,
    reason: String,
}

impl ConstraintDetails {
    pub fn ignored(reason: String) -> Self {
        Self { applied: false, reason }
    }
}
