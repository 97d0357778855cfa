//! The requests of the console and of the operator API.

mod deliveries;
mod keys;
mod projects;
mod query;
mod sign_in;
mod usage;

pub use deliveries::DeliveriesQuery;
pub use keys::{NewKeyRequest, NewOperatorKeyRequest, PullRequest, RotateRequest};
pub use projects::{CreditRequest, LimitRequest, ProjectChanges, ProjectRequest};
pub use sign_in::SignInRequest;
pub use usage::UsageQuery;
