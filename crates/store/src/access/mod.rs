//! Who may use the service: projects, their API keys, operators and who is signed in to the console.

mod api_keys;
mod operator_keys;
mod projects;
mod sessions;

use crate::sql::ListedStatement;
pub use sessions::{FoundSession, OperatorSession};

pub(crate) const STATEMENTS: &[&[ListedStatement]] =
    &[api_keys::STATEMENTS, operator_keys::STATEMENTS, projects::STATEMENTS, sessions::STATEMENTS];
