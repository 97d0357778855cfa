//! Models: what the catalogue has, what of it is installed, how fast it is, and at which prices.

mod figures;
mod records;
mod trial;

use auris_engines::install::{Adding, NewModel, is_installed, is_ready};
use auris_engines::{Catalog, CatalogModel, EngineKind, Installer, PullSink};

use super::{OperatorError, Result};
use crate::local::{Machine, Measurement, measured_unit};
use figures::Figures;

pub use records::{ModelRecord, ModelSource, ModelState, PriceRecord, SpeedRecord, VerifiedModel};

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
                let speed = figures::find(&measurements, entry, &machine).map(SpeedRecord::from);
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
    pub fn pull(&self, id: &str, progress: &mut dyn PullSink) -> Result<()> {
        Ok(self.installer.pull(&self.catalog, id, progress)?)
    }

    /// Adds a model from a file or folder of the operator: checks it, copies it and transcribes a short recording with
    /// it. Blocks until it is done. A running server uses it at once.
    pub fn add(&self, new: &NewModel, progress: &mut dyn PullSink) -> Result<ModelRecord> {
        let adding = Adding { catalog: &self.catalog, trial: &trial::transcribe_sample, sink: progress };
        let entry = self.installer.add(new, adding)?;
        Ok(self.record(&entry))
    }

    /// Removes an installed model, and its entry if it was added on this machine. False if it was not installed.
    pub fn remove(&self, id: &str) -> Result<bool> {
        Ok(self.installer.remove(self.find(id)?)?)
    }

    /// Compares the SHA-256 of every installed file with the catalogue. Blocks while it reads them.
    pub fn verify(&self) -> Vec<VerifiedModel> {
        let verified = self.installed().map(|entry| {
            let damaged = self.installer.verify(entry);
            VerifiedModel {
                id: entry.model.id.clone(),
                ok: damaged.is_empty(),
                damaged,
                cached_copy: self.installer.cached_copy(entry),
                source: ModelSource::of(entry),
            }
        });
        verified.collect()
    }

    /// The models to measure: those that are named, or all that can be measured. Fails if a named one cannot.
    pub fn measurable(&self, ids: &[String]) -> Result<Vec<String>> {
        let can_run = |entry: &CatalogModel| self.state(entry) != ModelState::NotInstalled;
        if ids.is_empty() {
            let measured = |entry: &&CatalogModel| measured_unit(entry.engine).is_some() && can_run(entry);
            let measured = self.catalog.models.iter().filter(measured);
            return Ok(measured.map(|entry| entry.model.id.clone()).collect());
        }
        for id in ids {
            if !can_run(self.find(id)?) {
                let message =
                    format!("the model `{id}` is not installed; install it with `auris models pull {id}`");
                return Err(OperatorError::conflict(message));
            }
        }
        Ok(ids.to_vec())
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
