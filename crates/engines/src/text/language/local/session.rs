//! One answer in the making: the prompt is read in pieces, then the answer is written token by token.

use std::sync::Arc;
use std::time::Instant;

use super::LocalModel;
use super::cache::Cache;
use super::constraint::Constraint;
use super::sampling::{Chooser, next_of_loop};
use super::spelling::Spelling;
use crate::EngineError;
use crate::text::language::chat::FinishReason;

/// Tokens read in one go: enough for the wide products, few enough that others get their turn within a second.
const PIECE: usize = 128;
/// Written in one go.
const TOKENS: usize = 8;

/// The rules of one answer.
pub(super) struct Rules {
    pub(super) temperature: f64,
    pub(super) max_output_tokens: usize,
    pub(super) constraint: Option<Constraint>,
    /// The token that ends the thinking, and how many tokens that may take.
    pub(super) thinking: Option<(u32, usize)>,
}

/// An answer in the making. It travels into each piece of engine work and back.
pub(super) struct Session {
    model: Arc<LocalModel>,
    pub(super) cache: Cache,
    /// Tokens that the net has not read yet.
    unread: Vec<u32>,
    scores: Vec<f32>,
    chooser: Chooser,
    constraint: Option<Constraint>,
    thinking: Option<(u32, usize)>,
    max_output_tokens: usize,
    pub(super) written: Vec<u32>,
    pub(super) spelling: Spelling,
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

/// Asked between the blocks of the net.
type GoOn<'a> = &'a dyn Fn() -> Result<(), EngineError>;

impl Session {
    /// `unread` is the prompt without what the cache holds already.
    pub(super) fn new(model: Arc<LocalModel>, cache: Cache, unread: Vec<u32>, rules: Rules) -> Self {
        Self {
            model,
            cache,
            read_tokens: unread.len(),
            unread,
            scores: vec![],
            chooser: Chooser::new(rules.temperature),
            constraint: rules.constraint,
            thinking: rules.thinking,
            max_output_tokens: rules.max_output_tokens,
            written: vec![],
            spelling: Spelling::default(),
            finish: None,
            times: Times::default(),
        }
    }

    /// Reads the prompt up to `length` positions, a piece at a time; whether it has got there.
    pub(super) fn read(&mut self, length: usize, go_on: GoOn<'_>) -> Result<bool, EngineError> {
        let started = Instant::now();
        let missing = length.saturating_sub(self.cache.length).min(self.unread.len());
        let count = missing.min(PIECE);
        if count > 0 {
            let last = count == self.unread.len();
            let net = &self.model.net;
            self.scores = net.read_tokens(&self.unread[..count], &mut self.cache, last, go_on)?;
            self.unread.drain(..count);
        }
        self.times.prefill_ms += milliseconds(started);
        Ok(count == missing)
    }

    /// Writes some more of the answer.
    pub(super) fn write(&mut self, go_on: GoOn<'_>) -> Result<(), EngineError> {
        let started = Instant::now();
        for _ in 0..TOKENS {
            if self.finish.is_some() {
                break;
            }
            self.write_one(go_on)?;
        }
        self.times.decode_ms += milliseconds(started);
        Ok(())
    }

    fn write_one(&mut self, go_on: GoOn<'_>) -> Result<(), EngineError> {
        if self.written.len() >= self.max_output_tokens {
            return self.end(FinishReason::Length);
        }
        if !self.unread.is_empty() {
            let unread = std::mem::take(&mut self.unread);
            self.scores = self.model.net.read_tokens(&unread, &mut self.cache, true, go_on)?;
            self.times.passes += 1;
        }
        go_on()?;
        let Some(token) = self.next()? else { return self.end(FinishReason::Stop) };
        if self.model.vocabulary.ends.contains(&token) {
            return self.end(FinishReason::Stop);
        }
        let forced = self.follow(token)?;
        self.put(token);
        forced.into_iter().for_each(|token| self.put(token));
        if self
            .constraint
            .as_ref()
            .is_some_and(|constraint| self.thinking.is_none() && constraint.is_complete())
        {
            return self.end(FinishReason::Stop);
        }
        Ok(())
    }

    /// What the constraint makes of the token, or what it means for the thinking.
    fn follow(&mut self, token: u32) -> Result<Vec<u32>, EngineError> {
        if let Some((end, left)) = &mut self.thinking {
            *left = left.saturating_sub(1);
            if token == *end {
                self.thinking = None;
            }
            return Ok(vec![]);
        }
        match &mut self.constraint {
            Some(constraint) => constraint.advance(token),
            None => Ok(vec![]),
        }
    }

    fn next(&mut self) -> Result<Option<u32>, EngineError> {
        if let Some((end, 0)) = self.thinking {
            return Ok(Some(end));
        }
        let avoided = next_of_loop(&self.written);
        let vocabulary = &self.model.vocabulary;
        match &mut self.constraint {
            Some(constraint) if self.thinking.is_none() => {
                let mut allowed = constraint.allowed()?;
                if let Some(avoided) = avoided.filter(|_| allowed.len() > 1) {
                    allowed.retain(|token| *token != avoided);
                }
                Ok(self.chooser.choose(&self.scores, allowed.iter().copied()))
            }
            Some(_) | None => {
                let thought = self.thinking.map(|(end, _)| end);
                // While it thinks, the end of the thought is the only end.
                let ends = if thought.is_some() { &[] } else { vocabulary.ends.as_slice() };
                let candidates = vocabulary.words.iter().chain(ends).copied().chain(thought);
                let candidates = candidates.filter(|token| Some(*token) != avoided);
                Ok(self.chooser.choose(&self.scores, candidates))
            }
        }
    }

    fn put(&mut self, token: u32) {
        if self.written.len() >= self.max_output_tokens
            || self.cache.length + self.unread.len() >= self.cache.room
        {
            return;
        }
        self.written.push(token);
        self.unread.push(token);
        let ends_thought = self.model.ends_thought == Some(token);
        if ends_thought {
            self.spelling.end_thought();
        } else {
            self.spelling.push(self.model.vocabulary.bytes(token), self.thinking.is_some());
        }
    }

    fn end(&mut self, reason: FinishReason) -> Result<(), EngineError> {
        self.finish = Some(reason);
        self.spelling.finish();
        Ok(())
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}
