//! The contract, `openapi/openapi.yaml`: its operations, its schemas, and requests at the limits of its rules.

pub(crate) mod answer_rules;
pub mod boundary_values;
mod json_path;
mod openapi;

pub use json_path::{at, put, remove};
pub use openapi::{Contract, Operation, contract};
