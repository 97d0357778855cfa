//! One answer: the prompt is read in parts, then the answer is written token by token.

use std::sync::Arc;
use std::time::Instant;

use auris_engine_core::EngineError;

use super::cache::Cache;
use super::constraint::Constraint;
use super::model::LocalModel;
use super::net::Check;
use super::sampling::{choose, next_of_loop};
use super::utf8_stream::Utf8Stream;
use crate::chat::FinishReason;

/// Tokens read at once: enough for efficient products, few enough that other work gets its turn within a second.
const READ_TOKENS: usize = 128;
/// How often an answer is led out of a repetition loop by another token. A free text that loops once more is ended,
/// because it would only vary the same words.
const MAX_LOOPS: usize = 3;
/// Tokens written at once.
const WRITE_TOKENS: usize = 8;

/// The rules of one answer.
pub(super) struct Rules {
    pub(super) temperature: f64,
    pub(super) max_tokens: usize,
    pub(super) constraint: Option<Constraint>,
    /// Present while the model reasons.
    pub(super) reasoning: Option<Reasoning>,
}

/// The limit of the reasoning.
#[derive(Clone, Copy)]
pub(super) struct Reasoning {
    /// The token that ends it.
    pub(super) end: u32,
    pub(super) tokens_left: usize,
}

/// An answer in progress. Each part of the work takes the session and returns it.
pub(super) struct Session {
    model: Arc<LocalModel>,
    pub(super) cache: Cache,
    /// Tokens that the model has not read yet.
    unread: Vec<u32>,
    scores: Vec<f32>,
    rules: Rules,
    pub(super) written: Vec<u32>,
    loops: usize,
    pub(super) output: Utf8Stream,
    pub(super) finish: Option<FinishReason>,
    pub(super) read_tokens: usize,
    pub(super) times: Times,
}

#[derive(Default, Clone, Copy)]
pub(super) struct Times {
    pub(super) prefill_ms: f64,
    pub(super) decode_ms: f64,
    pub(super) passes: u64,
}

impl Session {
    /// `unread` is the prompt without the tokens in the cache.
    pub(super) fn new(model: Arc<LocalModel>, cache: Cache, unread: Vec<u32>, rules: Rules) -> Self {
        Self {
            model,
            cache,
            read_tokens: unread.len(),
            unread,
            scores: vec![],
            rules,
            written: vec![],
            loops: 0,
            output: Utf8Stream::default(),
            finish: None,
            times: Times::default(),
        }
    }

    /// Reads the next part of the prompt up to `length` positions. Returns whether it is complete.
    pub(super) fn read(&mut self, length: usize, check: Check<'_>) -> Result<bool, EngineError> {
        let started = Instant::now();
        let missing = length.saturating_sub(self.cache.length).min(self.unread.len());
        let count = missing.min(READ_TOKENS);
        if count > 0 {
            let last = count == self.unread.len();
            let net = &self.model.net;
            self.scores = net.read_tokens(&self.unread[..count], &mut self.cache, last, check)?;
            self.unread.drain(..count);
        }
        self.times.prefill_ms += milliseconds_since(started);
        Ok(count == missing)
    }

    /// Writes the next tokens of the answer.
    pub(super) fn write(&mut self, check: Check<'_>) -> Result<(), EngineError> {
        let started = Instant::now();
        for _ in 0..WRITE_TOKENS {
            if self.finish.is_some() {
                break;
            }
            self.write_one(check)?;
        }
        self.times.decode_ms += milliseconds_since(started);
        Ok(())
    }

    fn write_one(&mut self, check: Check<'_>) -> Result<(), EngineError> {
        if self.written.len() >= self.rules.max_tokens {
            return self.end(FinishReason::Length);
        }
        if !self.unread.is_empty() {
            let unread = std::mem::take(&mut self.unread);
            self.scores = self.model.net.read_tokens(&unread, &mut self.cache, true, check)?;
            self.times.passes += 1;
        }
        check()?;
        let Some(token) = self.next()? else { return self.end(FinishReason::Stop) };
        if self.loops > MAX_LOOPS && self.rules.constraint.is_none() && self.rules.reasoning.is_none() {
            return self.end(FinishReason::Stop);
        }
        if self.model.vocabulary.ends.contains(&token) {
            return self.end(FinishReason::Stop);
        }
        let forced = self.follow(token)?;
        self.put(token);
        forced.into_iter().for_each(|token| self.put(token));
        if self.is_complete() { self.end(FinishReason::Stop) } else { Ok(()) }
    }

    fn is_complete(&self) -> bool {
        let constraint = self.rules.constraint.as_ref();
        self.rules.reasoning.is_none() && constraint.is_some_and(Constraint::is_complete)
    }

    /// Updates the reasoning or the constraint. Returns the tokens that must follow.
    fn follow(&mut self, token: u32) -> Result<Vec<u32>, EngineError> {
        if let Some(reasoning) = &mut self.rules.reasoning {
            reasoning.tokens_left = reasoning.tokens_left.saturating_sub(1);
            if token == reasoning.end {
                self.rules.reasoning = None;
            }
            return Ok(vec![]);
        }
        match &mut self.rules.constraint {
            Some(constraint) => constraint.advance(token),
            None => Ok(vec![]),
        }
    }

    fn next(&mut self) -> Result<Option<u32>, EngineError> {
        let avoided = next_of_loop(&self.written);
        self.loops += usize::from(avoided.is_some());
        let temperature = self.rules.temperature as f32;
        match (self.rules.reasoning, &mut self.rules.constraint) {
            (Some(Reasoning { end, tokens_left: 0 }), _) => Ok(Some(end)),
            (None, Some(constraint)) => {
                let mut allowed = constraint.allowed()?;
                if let Some(avoided) = avoided.filter(|_| allowed.len() > 1) {
                    allowed.retain(|token| *token != avoided);
                }
                Ok(choose(&self.scores, allowed.iter().copied(), temperature))
            }
            (Some(_), _) | (None, None) => Ok(choose(&self.scores, self.candidates(avoided), temperature)),
        }
    }

    /// All tokens that may come next if there is no constraint. Reasoning can be ended only by its own end token.
    fn candidates(&self, avoided: Option<u32>) -> impl Iterator<Item = u32> + Clone {
        let vocabulary = &self.model.vocabulary;
        let reasoning_end = self.rules.reasoning.map(|reasoning| reasoning.end);
        let ends = if reasoning_end.is_some() { &[] } else { vocabulary.ends.as_slice() };
        let candidates = vocabulary.words.iter().chain(ends).copied().chain(reasoning_end);
        candidates.filter(move |token| Some(*token) != avoided)
    }

    fn put(&mut self, token: u32) {
        if self.written.len() >= self.rules.max_tokens
            || self.cache.length + self.unread.len() >= self.cache.room
        {
            return;
        }
        self.written.push(token);
        self.unread.push(token);
        if self.model.tokenizer.end_of_reasoning == Some(token) {
            self.output.end_reasoning();
        } else {
            self.output.push(self.model.vocabulary.bytes(token), self.rules.reasoning.is_some());
        }
    }

    fn end(&mut self, reason: FinishReason) -> Result<(), EngineError> {
        self.finish = Some(reason);
        self.output.finish();
        Ok(())
    }
}

fn milliseconds_since(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}
