//! Texts that were read before: sixteen questions about one transcript read it once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::cache::Saved;
use crate::{CallContext, EngineError};

/// A shorter common beginning is not worth waiting for or copying.
const WORTHWHILE: usize = 32;
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The beginnings that a model remembers, and those that it is reading.
pub(super) struct Prefixes {
    state: Mutex<State>,
    /// How many positions may be remembered in all.
    room: usize,
}

#[derive(Default)]
struct State {
    /// The least lately used first.
    kept: Vec<Kept>,
    reading: Vec<(u64, Arc<[u32]>)>,
    readings: u64,
}

#[derive(Clone)]
struct Kept {
    tokens: Arc<[u32]>,
    saved: Arc<Saved>,
}

/// The announcement that a beginning is being read; it ends when this is dropped.
pub(super) struct Reading<'a> {
    prefixes: &'a Prefixes,
    id: u64,
    tokens: Arc<[u32]>,
    /// What was remembered of it, and how many positions of that hold.
    pub(super) found: Option<(Arc<Saved>, usize)>,
}

impl Prefixes {
    pub(super) fn new(room: usize) -> Self {
        Self { state: Mutex::default(), room }
    }

    /// Announces that these tokens, the first `shared` of a prompt, will be read. Somebody who reads a longer part of
    /// them than is remembered is waited for.
    pub(super) fn announce(&self, shared: &[u32], context: &CallContext) -> Result<Reading<'_>, EngineError> {
        loop {
            context.check()?;
            if let Some(reading) = self.try_announce(shared) {
                return Ok(reading);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn try_announce(&self, shared: &[u32]) -> Option<Reading<'_>> {
        let mut state = self.state();
        let found = state.longest(shared);
        let known = found.as_ref().map_or(0, |(_, length)| *length);
        if state.reading.iter().any(|(_, other)| common(other, shared) >= known + WORTHWHILE) {
            return None;
        }
        state.readings += 1;
        let (id, tokens) = (state.readings, Arc::<[u32]>::from(shared));
        state.reading.push((id, tokens.clone()));
        Some(Reading { prefixes: self, id, tokens, found })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn longest(&mut self, shared: &[u32]) -> Option<(Arc<Saved>, usize)> {
        let lengths = self.kept.iter().map(|kept| common(&kept.tokens, shared));
        let (place, length) = lengths.enumerate().max_by_key(|(_, length)| *length)?;
        if length < WORTHWHILE {
            return None;
        }
        let kept = self.kept.remove(place);
        let saved = kept.saved.clone();
        self.kept.push(kept);
        Some((saved, length))
    }
}

impl Reading<'_> {
    /// Remembers what was read; what it goes beyond and, where room is short, what was not used for longest is forgotten.
    pub(super) fn keep(self, saved: Saved) {
        let mut state = self.prefixes.state();
        if saved.length > self.prefixes.room {
            return;
        }
        state.kept.retain(|kept| common(&kept.tokens, &self.tokens) < kept.tokens.len());
        state.kept.push(Kept { tokens: self.tokens.clone(), saved: Arc::new(saved) });
        while state.kept.iter().map(|kept| kept.tokens.len()).sum::<usize>() > self.prefixes.room {
            state.kept.remove(0);
        }
    }

    /// Whether more was read than was known.
    pub(super) fn is_new(&self) -> bool {
        self.tokens.len() >= WORTHWHILE + self.found.as_ref().map_or(0, |(_, length)| *length)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.prefixes.state().reading.retain(|(id, _)| *id != self.id);
    }
}

fn common(one: &[u32], other: &[u32]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
