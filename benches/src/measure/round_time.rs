//! The option of benches whose parts take turns: how long a loop runs in each round.

use std::time::Duration;

use clap::Args;

#[derive(Args)]
pub(crate) struct RoundTime {
    /// Milliseconds that each loop runs in each round
    #[arg(long, default_value_t = 1_500, value_parser = clap::value_parser!(u64).range(100..=10_000))]
    round_ms: u64,
}

impl RoundTime {
    pub(crate) fn duration(&self) -> Duration {
        Duration::from_millis(self.round_ms)
    }
}
