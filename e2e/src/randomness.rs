//! Randomness with a seed that is printed, so that a failure can be run again.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A random source whose seed comes from `AURIS_SOAK_SEED`, or is fixed.
pub struct Dice {
    source: StdRng,
}

impl Dice {
    /// Prints the seed, which the test runner shows when the test fails.
    pub fn new(purpose: &str) -> Self {
        let seed = count_from_environment("AURIS_SOAK_SEED", 20_261_115) as u64;
        eprintln!("{purpose}: AURIS_SOAK_SEED={seed}");
        Self { source: StdRng::seed_from_u64(seed) }
    }

    /// One of many, whose seeds follow from a number and are not printed.
    pub fn quiet(number: u64) -> Self {
        let seed = count_from_environment("AURIS_SOAK_SEED", 20_261_115) as u64;
        Self { source: StdRng::seed_from_u64(seed.wrapping_add(number)) }
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.source.random_range(0..end.max(1))
    }

    /// One of the things.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        let index = self.below(things.len());
        &things[index]
    }

    /// That many random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.source.random()).collect()
    }
}

/// A count that a soak run may raise.
pub fn count_from_environment(variable: &str, default: usize) -> usize {
    match std::env::var(variable) {
        Ok(value) => value.parse().unwrap_or_else(|_| panic!("{variable} must be a number, not `{value}`")),
        Err(_) => default,
    }
}

/// A word for a name that nobody else uses.
pub(crate) fn random_word() -> String {
    format!("{:016x}", rand::random::<u64>())
}

/// A number that no seed decides, for names and ports.
pub(crate) fn random_below(end: usize) -> usize {
    rand::rng().random_range(0..end.max(1))
}
