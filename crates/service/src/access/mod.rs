//! Access: API keys, rate limits and idempotency keys.

mod auth;
mod idempotency;
mod key_cache;
mod rate_limits;
mod token_bucket;

pub use auth::Caller;
pub use idempotency::{Answered, RequestKey};
pub use rate_limits::RateVerdict;
pub use token_bucket::RateState;

pub(crate) use idempotency::{ReservedKey, key_in_use, key_reused};
pub(crate) use key_cache::KeyCache;
pub(crate) use rate_limits::{RateLimits, RunningTranscription};
