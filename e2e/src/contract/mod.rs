//! The contracts, `openapi/openapi.yaml` and `openapi/console.yaml`: their operations, their schemas, and requests at the limits of their rules.

pub(crate) mod answer_rules;
pub mod boundary_values;
mod json_path;
mod openapi;

pub use json_path::{at, put, remove};
pub use openapi::{Contract, Operation, console_contract, contract};
