//! A request as one model reads it, and the answer with its timings.

use std::sync::Arc;

use auris_domain::step::spec::Effort;
use auris_engine_core::{Admission, CallContext, EngineError};
use auris_models::CatalogModel;

use super::cache::Cache;
use super::constraint::Constraint;
use super::model::LocalModel;
use super::session::{Reasoning, Rules, Session};
use super::template::Prompt;
use crate::answer_details::{AnswerDetails, ConstraintDetails, LocalTimings, ReasoningDetails, Timings};
use crate::chat::{AnswerFormat, ChatAnswer, ChatRequest, FinishReason};

/// A request prepared for one model.
pub(super) struct PreparedRequest<'a> {
    request: &'a ChatRequest<'a>,
    prompt: Prompt,
    /// Maximum tokens of the answer.
    max_tokens: usize,
    reasons: bool,
    /// Why the schema cannot constrain the answer, if it cannot.
    unconstrained: Option<String>,
}

impl<'a> PreparedRequest<'a> {
    /// Prepares a request, and the rules of its answer.
    pub(super) fn new(
        model: &LocalModel,
        request: &'a ChatRequest<'a>,
    ) -> Result<(Self, Rules), EngineError> {
        let tokenizer = &model.tokenizer;
        let reasoning = tokenizer.end_of_reasoning.zip(request.thinking_tokens());
        let reasoning = reasoning.map(|(end, tokens_left)| Reasoning { end, tokens_left });
        let prompt = tokenizer.prompt(request)?;
        let room = tokenizer.context.saturating_sub(prompt.tokens.len());
        if room == 0 {
            return Err(too_long(prompt.tokens.len(), tokenizer.context));
        }
        let (constraint, unconstrained) = constraint(model, request);
        let max_tokens = room.min(request.max_output_tokens as usize);
        let reasons = reasoning.is_some();
        let rules = Rules { temperature: request.temperature, max_tokens, constraint, reasoning };
        Ok((Self { request, prompt, max_tokens, reasons, unconstrained }, rules))
    }

    /// Reads the prompt, except for the part that is cached.
    pub(super) fn read(
        &self,
        model: &Arc<LocalModel>,
        rules: Rules,
        admission: &Admission,
        context: &CallContext,
    ) -> Result<Session, EngineError> {
        let tokens = &self.prompt.tokens;
        // The last token is always read: its output is the first token of the answer.
        let shared = self.prompt.shared.min(tokens.len() - 1);
        let reading = model.prefixes.announce(&tokens[..shared], context)?;
        let mut cache = Cache::new(&model.net.config, tokens.len() + self.max_tokens);
        if let Some((saved, length)) = &reading.found {
            cache.restore(saved, *length);
        }
        let unread = tokens[cache.length..].to_vec();
        let session = Session::new(model.clone(), cache, unread, rules);
        let session = read_to(session, shared, admission, context)?;
        if reading.is_new() {
            reading.keep(session.cache.save(shared));
        } else {
            drop(reading);
        }
        read_to(session, tokens.len(), admission, context)
    }

    pub(super) fn answer(&self, session: Session, entry: &CatalogModel) -> ChatAnswer {
        let prompt_tokens = self.prompt.tokens.len();
        let details = AnswerDetails {
            model: entry.model.id.clone(),
            version: entry.files.first().map(|file| file.sha256.clone()),
            timings: Timings::Local(timings(&session, prompt_tokens)),
            usage: None,
            reasoning: self.reasoning_details(&session),
            constraint: self.unconstrained.clone().map(ConstraintDetails::ignored),
        };
        ChatAnswer {
            finish_reason: session.finish.unwrap_or(FinishReason::Length),
            input_tokens: prompt_tokens as u64,
            output_tokens: session.written.len() as u64,
            text: session.output.text,
            details,
        }
    }

    fn reasoning_details(&self, session: &Session) -> Option<ReasoningDetails> {
        let effort = self.request.reasoning_effort?;
        Some(if self.reasons || effort == Effort::None {
            ReasoningDetails::applied(effort, session.output.reasoning.clone())
        } else {
            ReasoningDetails::ignored(effort, "this model does not reason; `reasoning.effort` was ignored")
        })
    }
}

/// The constraint of the answer's schema, or the reason why there is none.
fn constraint(model: &LocalModel, request: &ChatRequest<'_>) -> (Option<Constraint>, Option<String>) {
    match &request.format {
        AnswerFormat::Json { schema, constrained: true, .. } => match model.constraints.of(schema) {
            Ok(constraint) => (Some(constraint), None),
            Err(reason) => (None, Some(reason)),
        },
        AnswerFormat::Json { constrained: false, .. } | AnswerFormat::Text => (None, None),
    }
}

fn timings(session: &Session, prompt_tokens: usize) -> LocalTimings {
    let times = session.times;
    let rate = |tokens: usize, ms: f64| {
        if ms > 0.0 { (tokens as f64 * 10_000.0 / ms).round() / 10.0 } else { 0.0 }
    };
    LocalTimings {
        prompt_tokens,
        cached_tokens: prompt_tokens - session.read_tokens,
        prefill_ms: times.prefill_ms.round(),
        prefill_tokens_per_second: rate(session.read_tokens, times.prefill_ms),
        decode_ms: times.decode_ms.round(),
        decode_tokens_per_second: rate(session.written.len(), times.decode_ms),
        passes: times.passes,
    }
}

/// Reads the prompt up to `length` tokens.
fn read_to(
    mut session: Session,
    length: usize,
    admission: &Admission,
    context: &CallContext,
) -> Result<Session, EngineError> {
    loop {
        let context = context.clone();
        let read = admission.submit_exclusive(move |_| {
            let done = session.read(length, &|| context.check())?;
            Ok((session, done))
        });
        let (next, done) = read.wait()?;
        if done {
            return Ok(next);
        }
        session = next;
    }
}

fn too_long(tokens: usize, context: usize) -> EngineError {
    let message = format!("The prompt has {tokens} tokens, but the model reads at most {context}.");
    EngineError::Backend { message, transient: false }
}
