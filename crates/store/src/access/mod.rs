//! Who may use the service: projects, their API keys, operators and who is signed in to the console.

pub(crate) mod api_keys;
pub(crate) mod operator_keys;
pub(crate) mod projects;
pub(crate) mod sessions;

pub use sessions::FoundSession;
