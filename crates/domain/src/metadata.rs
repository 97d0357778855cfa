//! The metadata of a job: a small map of strings that the caller chooses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Names and values that the caller gave a job. `request::analysis` checks their number and length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(pub BTreeMap<String, String>);

impl Metadata {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
