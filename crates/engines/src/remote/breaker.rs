//! A circuit breaker per server: a server that keeps failing gets no calls for a while.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use auris_engine_core::EngineError;
use parking_lot::Mutex;

/// Failures in a row that open the circuit.
const FAILURES: u32 = 5;
/// How long the circuit stays open. After that, one call tests whether the server works again.
const OPEN: Duration = Duration::from_secs(20);

/// The breakers of this process, by server and model.
#[derive(Default)]
pub(crate) struct Breakers(Mutex<HashMap<String, Arc<Breaker>>>);

impl Breakers {
    pub(crate) fn of(&self, server: &str) -> Arc<Breaker> {
        let mut breakers = self.0.lock();
        breakers.entry(server.to_owned()).or_default().clone()
    }
}

/// The state of one server.
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
        let mut state = self.state.lock();
        match state.open_until {
            Some(until) if now < until => {
                let seconds = (until - now).as_secs() + 1;
                let message =
                    format!("The model's server failed {FAILURES} times; it is tried again in {seconds} s.");
                Err(EngineError::Backend { message, transient: true })
            }
            Some(_) => {
                // This call tests the server; the others are refused until its result is known.
                state.open_until = Some(now + OPEN);
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(super) fn succeeded(&self) {
        *self.state.lock() = State::default();
    }

    pub(super) fn failed(&self, now: Instant) {
        let mut state = self.state.lock();
        state.failures += 1;
        if state.failures >= FAILURES {
            state.open_until = Some(now + OPEN);
        }
    }

    /// Remembers that the server does not support schemas, so that no further call sends one.
    pub(super) fn refuse_schemas(&self) {
        self.refuses_schemas.store(true, Ordering::Relaxed);
    }

    pub(super) fn refuses_schemas(&self) -> bool {
        self.refuses_schemas.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circuit_opens_admits_one_test_call_and_closes_again() {
        let breaker = Breaker::default();
        let start = Instant::now();
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
    fn a_success_resets_the_failures_of_its_own_server_only() {
        let breakers = Breakers::default();
        let start = Instant::now();
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
