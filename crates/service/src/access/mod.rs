//! Access: API keys, the console's sessions, rate limits and idempotency keys.

mod auth;
mod caller;
mod held_key;
mod idempotency;
mod key_cache;
mod key_slots;
mod key_watch;
mod memory_shares;
mod rate_limits;
mod response_memory;
mod sessions;
mod sign_in;
mod sign_in_limit;
mod token_bucket;
mod upload_slots;

pub use caller::{Access, Caller, CredentialId};
pub use idempotency::{Replayable, RequestKey};
pub use key_slots::KeySlot;
pub use key_watch::KeyWatch;
pub use memory_shares::{MemoryReservation, MemoryShares, NoMemory, ShareLimits};
pub use rate_limits::RateVerdict;
pub use sessions::Visitor;
pub use sign_in::{Credentials, SignIn};
pub use token_bucket::RateState;
pub use upload_slots::{FileSlot, UploadSlot};

pub(crate) use held_key::{HeldKey, JobKey};
pub(crate) use idempotency::{KnownKey, ReservedKey, key_in_use, key_reused};
pub(crate) use key_cache::KeyCache;
pub(crate) use key_watch::KEY_CHECK_INTERVAL;
pub(crate) use rate_limits::{RateLimits, RunningTranscription};
pub(crate) use response_memory::{ResponseMemory, compose, composing_bytes};
pub(crate) use sign_in_limit::SignInLimit;
pub(crate) use upload_slots::UploadSlots;
