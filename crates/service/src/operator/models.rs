//! Models: what the catalogue has, what of it is installed, and at which prices.

use auris_domain::model::{Capability, NativeUnit, Rate};
use auris_domain::money::Usd;
use auris_engines::install::{is_installed, is_ready};
use auris_engines::{Catalog, CatalogModel, EngineKind, Installer, PullSink};
use serde::Serialize;

use super::{OperatorError, Result};

/// The catalogue and the folder of installed models. Needs no database. Cheap enough to clone for a thread.
#[derive(Debug, Clone)]
pub struct ModelLibrary {
    catalog: Catalog,
    installer: Installer,
}

/// A model of the catalogue as it is listed.
#[derive(Debug, Clone, Serialize)]
pub struct ModelRecord {
    pub id: String,
    pub display_name: String,
    pub required_plan: Option<String>,
    pub capabilities: Vec<Rate>,
    pub languages: Vec<String>,
    pub bytes: u64,
    pub state: ModelState,
}

/// Whether a model can be used on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ModelState {
    #[serde(rename = "built in")]
    BuiltIn,
    /// It picks another model for each recording.
    #[serde(rename = "chooses")]
    Chooses,
    #[serde(rename = "remote")]
    Remote,
    #[serde(rename = "installed")]
    Installed,
    #[serde(rename = "not installed")]
    NotInstalled,
}

/// The price of one capability of a model in one unit. A model charged by two units has two prices for a capability.
#[derive(Debug, Clone, Serialize)]
pub struct PriceRecord {
    pub model: String,
    pub capability: Capability,
    pub native_unit: NativeUnit,
    pub price_per_unit_usd: Usd,
    pub required_plan: Option<String>,
}

/// An installed model whose files were compared with the catalogue.
#[derive(Debug, Clone, Serialize)]
pub struct VerifiedModel {
    pub id: String,
    pub ok: bool,
    /// The files whose SHA-256 differs.
    pub damaged: Vec<String>,
}

impl ModelState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built in",
            Self::Chooses => "chooses",
            Self::Remote => "remote",
            Self::Installed => "installed",
            Self::NotInstalled => "not installed",
        }
    }
}

impl ModelLibrary {
    pub fn new(catalog: Catalog, installer: Installer) -> Self {
        Self { catalog, installer }
    }

    /// The plans of the catalogue, the lowest first.
    pub fn plans(&self) -> &[String] {
        &self.catalog.plans
    }

    /// Lists every model of the catalogue.
    pub fn list(&self) -> Vec<ModelRecord> {
        self.catalog.models.iter().map(|entry| self.record(entry)).collect()
    }

    /// Lists the price of every capability of every model.
    pub fn prices(&self) -> Vec<PriceRecord> {
        let models = self.catalog.models.iter().map(|entry| &entry.model);
        let prices = models.flat_map(|model| model.capabilities.iter().map(move |rate| (model, rate)));
        prices
            .map(|(model, rate)| PriceRecord {
                model: model.id.clone(),
                capability: rate.capability,
                native_unit: rate.native_unit,
                price_per_unit_usd: rate.price_per_unit_usd,
                required_plan: model.required_plan.clone(),
            })
            .collect()
    }

    /// Downloads and installs a model and the models it depends on. Blocks until it is done.
    pub fn pull(&self, id: &str, progress: &mut dyn PullSink) -> Result<()> {
        Ok(self.installer.pull(&self.catalog, id, progress)?)
    }

    /// Removes an installed model. False if it was not installed.
    pub fn remove(&self, id: &str) -> Result<bool> {
        if self.catalog.find(id).is_none() {
            return Err(unknown_model(id));
        }
        Ok(self.installer.remove(id)?)
    }

    /// Compares the SHA-256 of every installed file with the catalogue. Blocks while it reads them.
    pub fn verify(&self) -> Vec<VerifiedModel> {
        let installed = self.installed();
        let verified = installed.map(|entry| (entry.model.id.clone(), self.installer.verify(entry)));
        verified.map(|(id, damaged)| VerifiedModel { id, ok: damaged.is_empty(), damaged }).collect()
    }

    /// The models whose files are all installed.
    pub(super) fn installed(&self) -> impl Iterator<Item = &CatalogModel> {
        self.catalog.models.iter().filter(|entry| is_installed(&self.installer.models_dir, entry))
    }

    pub(super) fn models_dir(&self) -> &std::path::Path {
        &self.installer.models_dir
    }

    fn record(&self, entry: &CatalogModel) -> ModelRecord {
        ModelRecord {
            id: entry.model.id.clone(),
            display_name: entry.model.display_name.clone(),
            required_plan: entry.model.required_plan.clone(),
            capabilities: entry.model.capabilities.clone(),
            languages: entry.languages.clone(),
            bytes: entry.files.iter().map(|file| file.bytes).sum(),
            state: self.state(entry),
        }
    }

    fn state(&self, entry: &CatalogModel) -> ModelState {
        match entry.engine {
            EngineKind::Fake | EngineKind::Diarizer => ModelState::BuiltIn,
            EngineKind::Auto => ModelState::Chooses,
            EngineKind::Remote => ModelState::Remote,
            EngineKind::BuiltInText if entry.files.is_empty() && entry.pulls.is_empty() => {
                ModelState::BuiltIn
            }
            EngineKind::Moonshine | EngineKind::Whisper | EngineKind::BuiltInText | EngineKind::Gguf => {
                let is_ready = is_ready(&self.installer.models_dir, &self.catalog, entry);
                if is_ready { ModelState::Installed } else { ModelState::NotInstalled }
            }
        }
    }
}

fn unknown_model(id: &str) -> OperatorError {
    OperatorError::not_found(format!("there is no model `{id}`; `auris models list` lists the models"))
}
