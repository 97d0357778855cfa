//! A model in the API.

use serde::Serialize;

use crate::model::{Model, Rate};

#[derive(Serialize)]
pub(super) struct ModelWire<'a> {
    id: &'a str,
    object: &'static str,
    display_name: &'a str,
    required_plan: Option<&'a str>,
    capabilities: &'a [Rate],
}

impl<'a> ModelWire<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self {
            id: &model.id,
            object: "model",
            display_name: &model.display_name,
            required_plan: model.required_plan.as_deref(),
            capabilities: &model.capabilities,
        }
    }
}
