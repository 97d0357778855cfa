//! A circuit breaker for each server: one that keeps failing is left alone for a while.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use auris_engine_core::EngineError;

/// So many failures in a row open the circuit.
const FAILURES: u32 = 5;
/// For so long; then one call tries whether the server is back.
const OPEN: Duration = Duration::from_secs(20);

/// The breakers of this process, by server and model.
#[derive(Default)]
pub(crate) struct Breakers(Mutex<HashMap<String, Arc<Breaker>>>);

impl Breakers {
    pub(crate) fn of(&self, server: &str) -> Arc<Breaker> {
        let mut breakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        breakers.entry(server.to_owned()).or_default().clone()
    }
}

/// What is known of one server.
#[derive(Default)]
pub(crate) struct Breaker {
    state: Mutex<State>,
    refuses_schemas: AtomicBool,
}

#[derive(Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
}

impl Breaker {
    /// Refuses at once while the circuit is open.
    pub(super) fn admit(&self, now: Instant) -> Result<(), EngineError> {
        let mut state = self.state();
        match state.open_until {
            Some(until) if now < until => {
                let seconds = (until - now).as_secs() + 1;
                let message =
                    format!("The model's server failed {FAILURES} times; it is tried again in {seconds} s.");
                Err(EngineError::Backend { message, transient: true })
            }
            Some(_) => {
                // This call tries; the others wait for what becomes of it.
                state.open_until = Some(now + OPEN);
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(super) fn succeeded(&self) {
        *self.state() = State::default();
    }

    pub(super) fn failed(&self, now: Instant) {
        let mut state = self.state();
        state.failures += 1;
        if state.failures >= FAILURES {
            state.open_until = Some(now + OPEN);
        }
    }

    /// Remembers that the server takes no schemas, so that it is not asked with one again.
    pub(super) fn refuse_schemas(&self) {
        self.refuses_schemas.store(true, Ordering::Relaxed);
    }

    pub(super) fn refuses_schemas(&self) -> bool {
        self.refuses_schemas.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circuit_opens_lets_one_try_and_closes_again() {
        let (breaker, start) = (Breaker::default(), Instant::now());
        for _ in 0..FAILURES {
            assert!(breaker.admit(start).is_ok());
            breaker.failed(start);
        }
        assert!(breaker.admit(start).is_err());
        let later = start + OPEN;
        assert!(breaker.admit(later).is_ok());
        assert!(breaker.admit(later).is_err());
        breaker.succeeded();
        assert!(breaker.admit(later).is_ok() && breaker.admit(later).is_ok());
    }

    #[test]
    fn a_success_forgets_earlier_failures_and_servers_have_their_own() {
        let (breakers, start) = (Breakers::default(), Instant::now());
        for _ in 0..FAILURES - 1 {
            breakers.of("a").failed(start);
        }
        breakers.of("a").succeeded();
        breakers.of("a").failed(start);
        assert!(breakers.of("a").admit(start).is_ok());
        (0..FAILURES).for_each(|_| breakers.of("b").failed(start));
        assert!(breakers.of("b").admit(start).is_err() && breakers.of("a").admit(start).is_ok());
    }
}
