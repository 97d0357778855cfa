//! Caches the beginnings of prompts, so that several questions about one transcript read it once.

use std::sync::Arc;
use std::time::Duration;

use auris_engine_core::{CallContext, EngineError};
use parking_lot::Mutex;

use super::cache::SavedPrefix;

/// Minimum tokens of a common beginning; waiting for a shorter one or copying it costs more than reading it.
const MIN_COMMON: usize = 32;
const CHECK_EVERY: Duration = Duration::from_millis(10);

/// The beginnings that are cached and those that are being read.
pub(super) struct PrefixCache {
    state: Mutex<State>,
    /// Maximum number of cached positions.
    room: usize,
}

#[derive(Default)]
struct State {
    /// The least recently used first.
    cached: Vec<CachedPrefix>,
    /// The beginnings that are being read, with the ids of their readings.
    reading: Vec<(u64, Arc<[u32]>)>,
    /// The id of the last reading.
    last_id: u64,
}

#[derive(Clone)]
struct CachedPrefix {
    tokens: Arc<[u32]>,
    saved: Arc<SavedPrefix>,
}

/// The announcement that a beginning is being read, until it is dropped.
pub(super) struct PrefixReading<'a> {
    prefixes: &'a PrefixCache,
    id: u64,
    tokens: Arc<[u32]>,
    /// The cached prefix with the longest common beginning, and its length.
    pub(super) found: Option<(Arc<SavedPrefix>, usize)>,
}

impl PrefixCache {
    pub(super) fn new(room: usize) -> Self {
        Self { state: Mutex::default(), room }
    }

    /// Announces that these tokens will be read. If another call is reading a longer part of them than is cached, waits for
    /// it.
    pub(super) fn announce(
        &self,
        shared: &[u32],
        context: &CallContext,
    ) -> Result<PrefixReading<'_>, EngineError> {
        loop {
            context.check()?;
            if let Some(reading) = self.try_announce(shared) {
                return Ok(reading);
            }
            std::thread::sleep(CHECK_EVERY);
        }
    }

    fn try_announce(&self, shared: &[u32]) -> Option<PrefixReading<'_>> {
        let mut state = self.state.lock();
        let found = state.longest(shared);
        let known = found.as_ref().map_or(0, |(_, length)| *length);
        if state.reading.iter().any(|(_, other)| common(other, shared) >= known + MIN_COMMON) {
            return None;
        }
        state.last_id += 1;
        let id = state.last_id;
        let tokens = Arc::<[u32]>::from(shared);
        state.reading.push((id, tokens.clone()));
        Some(PrefixReading { prefixes: self, id, tokens, found })
    }
}

impl State {
    fn longest(&mut self, shared: &[u32]) -> Option<(Arc<SavedPrefix>, usize)> {
        let lengths = self.cached.iter().map(|cached| common(&cached.tokens, shared));
        let (index, length) = lengths.enumerate().max_by_key(|(_, length)| *length)?;
        if length < MIN_COMMON {
            return None;
        }
        let cached = self.cached.remove(index);
        let saved = cached.saved.clone();
        self.cached.push(cached);
        Some((saved, length))
    }
}

impl PrefixReading<'_> {
    /// Caches what was read. Removes prefixes that it extends and, if there is no room, the least recently used ones.
    pub(super) fn keep(self, saved: SavedPrefix) {
        let mut state = self.prefixes.state.lock();
        if saved.length > self.prefixes.room {
            return;
        }
        state.cached.retain(|cached| common(&cached.tokens, &self.tokens) < cached.tokens.len());
        state.cached.push(CachedPrefix { tokens: self.tokens.clone(), saved: Arc::new(saved) });
        while state.cached.iter().map(|cached| cached.tokens.len()).sum::<usize>() > self.prefixes.room {
            state.cached.remove(0);
        }
    }

    /// Whether considerably more was read than was cached.
    pub(super) fn is_new(&self) -> bool {
        self.tokens.len() >= MIN_COMMON + self.found.as_ref().map_or(0, |(_, length)| *length)
    }
}

impl Drop for PrefixReading<'_> {
    fn drop(&mut self) {
        self.prefixes.state.lock().reading.retain(|(id, _)| *id != self.id);
    }
}

fn common(one: &[u32], other: &[u32]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
