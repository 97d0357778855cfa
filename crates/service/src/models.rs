//! The model catalogue as callers and visitors of the console see it.

use auris_domain::model::Rate;
use auris_domain::wire::{self, JsonText};
use auris_engines::{CatalogModel, EngineKind};
use serde::Serialize;

use crate::Service;

/// The license of Auris, which covers the models that are rules in its code.
const OWN_LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// A model that can be used now, as the console shows it to a project.
#[derive(Debug, Clone, Serialize)]
pub struct ProjectModelRecord {
    pub id: String,
    pub object: &'static str,
    pub display_name: String,
    pub required_plan: Option<String>,
    pub capabilities: Vec<Rate>,
    /// Empty if the model is not limited to some languages.
    pub languages: Vec<String>,
    pub license: Option<String>,
    /// The size of its files.
    pub bytes: u64,
    /// The models whose files it needs.
    pub uses: Vec<String>,
    /// Whether the plan of the project allows it.
    pub in_plan: bool,
}

impl Service {
    /// The models that can be used now, sorted by id.
    pub fn list_models(&self) -> JsonText {
        wire::model_list(&self.engines().models().models)
    }

    /// The same models, with what a reader wants to know before choosing one and whether `plan` allows each.
    pub fn list_project_models(&self, plan: &str) -> Vec<ProjectModelRecord> {
        let catalog = self.engines().catalog();
        let usable = self.engines().models();
        let records = usable.models.iter().filter_map(|model| {
            let entry = catalog.find(&model.id)?;
            Some(ProjectModelRecord {
                id: model.id.clone(),
                object: "model",
                display_name: model.display_name.clone(),
                required_plan: model.required_plan.clone(),
                capabilities: model.capabilities.clone(),
                languages: entry.all_languages(),
                license: license(entry),
                bytes: entry.file_bytes(),
                uses: used_models(entry),
                in_plan: usable.check_plan(model, plan, "model").is_ok(),
            })
        });
        records.collect()
    }
}

/// The license of a model, as far as it is known. A model without files is code of Auris.
pub(crate) fn license(entry: &CatalogModel) -> Option<String> {
    let is_own_code = match entry.engine {
        EngineKind::Auto | EngineKind::BuiltInText => entry.files.is_empty(),
        EngineKind::Fake
        | EngineKind::Moonshine
        | EngineKind::Whisper
        | EngineKind::Diarizer
        | EngineKind::Gguf
        | EngineKind::Remote => false,
    };
    entry.license.clone().or_else(|| is_own_code.then(|| OWN_LICENSE.to_owned()))
}

/// The models whose files a model needs. `auto` works with any of those that a pull installs, so it needs none of them.
pub(crate) fn used_models(entry: &CatalogModel) -> Vec<String> {
    if entry.engine == EngineKind::Auto { Vec::new() } else { entry.pulls.clone() }
}

#[cfg(test)]
mod tests {
    use auris_engines::Catalog;

    use super::*;

    fn entry(engine: &str, lines: &str) -> CatalogModel {
        let model = |id: &str, engine: &str, lines: &str| {
            format!(
                "[[models]]\nid = \"{id}\"\ndisplay_name = \"M\"\nengine = \"{engine}\"\ncapabilities = []\n{lines}\n"
            )
        };
        let text = model("m", engine, lines) + &model("other", "fake", "");
        Catalog::parse(&text).unwrap().models.into_iter().find(|entry| entry.model.id == "m").unwrap()
    }

    #[test]
    fn a_model_without_files_and_license_has_the_license_of_auris() {
        assert_eq!(license(&entry("analyst", "")).as_deref(), Some("Apache-2.0"));
        assert_eq!(license(&entry("analyst", "license = \"MIT\"")).as_deref(), Some("MIT"));
        assert_eq!(license(&entry("fake", "")), None);
    }

    #[test]
    fn a_stage_needs_the_models_that_it_pulls() {
        assert_eq!(used_models(&entry("analyst", "pulls = [\"other\"]")), ["other"]);
        assert!(used_models(&entry("auto", "pulls = [\"other\"]")).is_empty());
    }
}
