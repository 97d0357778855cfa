//! The model catalogue as callers see it.

use auris_domain::model::Model;
use serde_json::{Value, json};

use crate::Service;

impl Service {
    /// The models that can be used now, ordered by id.
    pub fn list_models(&self) -> Value {
        let data: Vec<Value> = self.engines.models().models.iter().map(wire).collect();
        json!({"object": "list", "data": data})
    }
}

fn wire(model: &Model) -> Value {
    json!({
        "id": model.id,
        "object": "model",
        "display_name": model.display_name,
        "required_plan": model.required_plan,
        "capabilities": model.capabilities,
    })
}
