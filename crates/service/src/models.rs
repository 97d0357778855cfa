//! The model catalogue as callers see it.

use auris_domain::wire::{self, JsonText};

use crate::Service;

impl Service {
    /// The models that can be used now, sorted by id.
    pub fn list_models(&self) -> JsonText {
        wire::model_list(&self.engines().models().models)
    }
}
