//! Models: what the catalogue has, what of it is installed, how fast it is, and at which prices.

mod checks;
mod records;
mod trial;

use auris_engines::install::{Adding, NewModel, PackedCopyState, is_installed, is_ready, is_verifiable};
use auris_engines::speed::{self, Figures, Machine, Measurement};
use auris_engines::{Catalog, CatalogModel, EngineKind, Ignore, Installer, PullSink};
use tokio_util::sync::CancellationToken;

use super::{OperatorError, Result};
use crate::local::measured_unit;

pub use records::{
    ModelRecord, ModelSource, ModelState, PriceRecord, RemovedModel, SpeedRecord, VerifiedModel,
};

/// The catalogue and the folder of installed models. Needs no database. Cheap enough to clone for a thread.
#[derive(Debug, Clone)]
pub struct ModelLibrary {
    catalog: Catalog,
    installer: Installer,
}

impl ModelLibrary {
    /// `catalog` is with the local models.
    pub fn new(catalog: Catalog, installer: Installer) -> Self {
        Self { catalog, installer }
    }

    /// The plans of the catalogue, the lowest first.
    pub fn plans(&self) -> &[String] {
        &self.catalog.plans
    }

    /// Lists every model of the catalogue.
    pub fn list(&self) -> Vec<ModelRecord> {
        let measurements = self.figures().read();
        let machine = Machine::this();
        let models = self.catalog.models.iter();
        models
            .map(|entry| {
                let speed = speed::find(&measurements, entry, &machine).map(SpeedRecord::from);
                ModelRecord { speed, ..self.record(entry) }
            })
            .collect()
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
    pub fn pull(&self, id: &str, progress: &mut dyn PullSink) -> Result<ModelRecord> {
        self.installer.pull(&self.catalog, id, progress)?;
        Ok(self.record(self.find(id)?))
    }

    /// Adds a model from a file or folder of the operator: checks it, copies it and tries it. Blocks until it is done or
    /// cancelled. A running server uses it at once.
    pub fn add(
        &self,
        new: &NewModel,
        progress: &mut dyn PullSink,
        cancel: &CancellationToken,
    ) -> Result<ModelRecord> {
        let adding = Adding {
            catalog: &self.catalog,
            trial: &|models_dir, catalog| trial::run(models_dir, catalog, cancel),
            sink: progress,
            is_cancelled: &|| cancel.is_cancelled(),
        };
        let entry = self.installer.add(new, adding)?;
        Ok(self.record(&entry))
    }

    /// Removes an installed model, and its entry if it was added on this machine.
    pub fn remove(&self, id: &str) -> Result<RemovedModel> {
        let removed = self.installer.remove(self.find(id)?)?;
        Ok(RemovedModel { id: id.to_owned(), removed })
    }

    /// Compares the SHA-256 of every installed file with the catalogue, and checks the packed copies. Blocks while it
    /// reads them.
    pub fn verify(&self) -> Vec<VerifiedModel> {
        let models = self.catalog.models.iter();
        models
            .filter(|entry| is_verifiable(&self.installer.models_dir, entry))
            .map(|entry| self.verify_model(entry, &mut Ignore))
            .collect()
    }

    fn verify_model(&self, entry: &CatalogModel, progress: &mut dyn PullSink) -> VerifiedModel {
        let damaged = self.installer.verify_reporting(entry, progress);
        let packed_copy = self.installer.check_packed_copy(entry);
        VerifiedModel {
            id: entry.model.id.clone(),
            ok: damaged.is_empty() && packed_copy != PackedCopyState::Damaged,
            damaged,
            packed_copy,
            source: ModelSource::of(entry),
        }
    }

    /// The models to measure: those that are named, or all that can be measured. Fails if a named one cannot.
    pub fn measurable(&self, ids: &[String]) -> Result<Vec<String>> {
        if !ids.is_empty() {
            ids.iter().try_for_each(|id| self.require_measurable(id))?;
            return Ok(ids.to_vec());
        }
        let is_measured = |entry: &&CatalogModel| {
            measured_unit(entry.engine).is_some() && self.state(entry) != ModelState::NotInstalled
        };
        let measured = self.catalog.models.iter().filter(is_measured);
        Ok(measured.map(|entry| entry.model.id.clone()).collect())
    }

    fn require_measurable(&self, id: &str) -> Result<()> {
        let entry = self.find(id)?;
        if measured_unit(entry.engine).is_none() {
            return Err(OperatorError::invalid(format!(
                "the speed of `{id}` cannot be measured; name a model for speech, speakers or tasks that runs on this machine"
            )));
        }
        if self.state(entry) != ModelState::NotInstalled {
            return Ok(());
        }
        Err(OperatorError::conflict(match ModelSource::of(entry) {
            ModelSource::Catalogue => {
                format!("the model `{id}` is not installed; install it with `auris models pull {id}`")
            }
            ModelSource::Local => format!(
                "files of the model `{id}` are missing; run `auris models remove {id}` and then `auris models add FILE \
                 --id {id}`"
            ),
        }))
    }

    /// Keeps a measurement, so that `list` shows it. Fails if the folder of the models cannot be written.
    pub fn keep_measurement(&self, measurement: &Measurement) -> Result<()> {
        Ok(self.figures().store(measurement)?)
    }

    /// The models whose files are all installed.
    pub(super) fn installed(&self) -> impl Iterator<Item = &CatalogModel> {
        self.catalog.models.iter().filter(|entry| is_installed(&self.installer.models_dir, entry))
    }

    pub(super) fn models_dir(&self) -> &std::path::Path {
        &self.installer.models_dir
    }

    fn find(&self, id: &str) -> Result<&CatalogModel> {
        self.catalog.find(id).ok_or_else(|| {
            OperatorError::not_found(format!(
                "there is no model `{id}`; `auris models list` lists the models"
            ))
        })
    }

    fn figures(&self) -> Figures {
        Figures::in_folder(&self.installer.models_dir)
    }

    fn record(&self, entry: &CatalogModel) -> ModelRecord {
        ModelRecord {
            id: entry.model.id.clone(),
            display_name: entry.model.display_name.clone(),
            required_plan: entry.model.required_plan.clone(),
            capabilities: entry.model.capabilities.clone(),
            languages: entry.languages.clone(),
            bytes: entry.file_bytes(),
            source: ModelSource::of(entry),
            untested: entry.untested,
            state: self.state(entry),
            speed: None,
        }
    }

    /// The ids of the models whose files this node has.
    pub fn installed_ids(&self) -> Vec<String> {
        let installed = self.catalog.models.iter().filter(|entry| self.state(entry) == ModelState::Installed);
        installed.map(|entry| entry.model.id.clone()).collect()
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
