//! The caller's own labels on a job: a small map of strings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Labels that the caller gave a job; checked in `request::check`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(pub BTreeMap<String, String>);
