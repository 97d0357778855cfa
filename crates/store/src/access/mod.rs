//! Who may use the service: projects and their API keys.

pub(crate) mod api_keys;
pub(crate) mod projects;
