//! Adds a model from a file of the operator: checks it, copies it and enters it into the local catalogue.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use auris_domain::model::{Model, Rate};
use auris_weights::Family;

use super::Installer;
use super::error::InstallError;
use super::model_id;
use super::own_weights::{OwnKind, OwnWeights};
use super::sink::PullSink;
use super::staging::Staging;
use super::unit_prices::UnitPrices;
use crate::catalog::{BeamSearch, Catalog, CatalogModel, EngineKind, ModelFile};

/// A file or folder with weights that becomes a model of this machine.
#[derive(Debug, Clone)]
pub struct NewModel {
    /// A GGUF file with a language model, a GGML file of whisper.cpp, or a folder with safetensors.
    pub path: PathBuf,
    /// `None`: named after the file.
    pub id: Option<String>,
    pub prices: UnitPrices,
}

/// Tries a model before it is added: `Catalog` has only this model, and its files are in the folder as those of an
/// installed model. Returns why the model cannot be used.
pub type Trial<'a> = &'a dyn Fn(&Path, Catalog) -> Result<(), String>;

/// How a model is added: what to try it with, where its progress is reported, and whether it is still wanted.
pub struct Adding<'a> {
    pub catalog: &'a Catalog,
    pub trial: Trial<'a>,
    pub sink: &'a mut dyn PullSink,
    pub is_cancelled: &'a dyn Fn() -> bool,
}

impl Installer {
    /// Adds a model. Nothing is left behind if it fails or is cancelled.
    pub fn add(&self, new: &NewModel, adding: Adding<'_>) -> Result<CatalogModel, InstallError> {
        let weights = OwnWeights::inspect(&new.path)?;
        let rates = new.prices.rates(&weights.kind)?;
        let id = match &new.id {
            Some(id) => id.clone(),
            None => model_id::default_for(&new.path, &weights.kind, adding.catalog),
        };
        model_id::check(&id)?;
        let _lock = self.lock(&id)?;
        self.require_free(&id, adding.catalog)?;
        let staging = Staging::create(&self.models_dir, &id)?;
        let copied = weights.files.iter().map(|file| staging.copy(file, adding.sink, adding.is_cancelled));
        let files = copied.collect::<Result<Vec<_>, _>>()?;
        let entry = entry(id, rates, weights, files);
        adding.sink.trial(&entry.model.id);
        try_out(&staging, &entry, adding.trial)?;
        if (adding.is_cancelled)() {
            return Err(InstallError::new("the model was not added: it was cancelled"));
        }
        self.put_in_place(staging, &entry)?;
        Ok(entry)
    }

    /// Moves the files into place, then lists the model: no process may find a model without its files.
    fn put_in_place(&self, staging: Staging, entry: &CatalogModel) -> Result<(), InstallError> {
        let folder = self.models_dir.join(&entry.model.id);
        staging.finish(&folder)?;
        self.local_catalog().insert(entry).inspect_err(|_| {
            // The error of the list is the one to report.
            let _ = fs::remove_dir_all(&folder);
        })
    }

    /// Fails if the id belongs to another model. Local models are looked up in the file, which another process may have
    /// changed since the catalogue was read.
    fn require_free(&self, id: &str, catalog: &Catalog) -> Result<(), InstallError> {
        let folder = self.models_dir.join(id);
        let reason = if catalog.find(id).is_some_and(|entry| !entry.local) {
            format!(
                "`{id}` is a model of the catalogue; install it with `auris models pull {id}`, or choose another id with \
                 `--id`"
            )
        } else if self.local_catalog().lists(id)? {
            format!(
                "the model `{id}` was already added; remove it first with `auris models remove {id}`, or choose another \
                 id with `--id`"
            )
        } else if folder.exists() {
            format!(
                "the folder `{}` exists but is not a model; delete it, or choose another id with `--id`",
                folder.display()
            )
        } else {
            return Ok(());
        };
        Err(InstallError::new(reason))
    }
}

fn try_out(staging: &Staging, entry: &CatalogModel, trial: Trial<'_>) -> Result<(), InstallError> {
    let alone = Catalog { models: vec![entry.clone()], defaults: Default::default(), plans: Vec::new() };
    trial(staging.root(), alone).map_err(|reason| {
        InstallError::new(format!("the model cannot be used, so it was not added: {reason}"))
    })
}

fn entry(id: String, capabilities: Vec<Rate>, weights: OwnWeights, files: Vec<ModelFile>) -> CatalogModel {
    let display_name = model_id::display_name(&id, &weights.kind);
    let beam = match weights.kind {
        OwnKind::Speech(Family::Whisper) => BeamSearch::ADDED,
        OwnKind::Speech(Family::Moonshine) | OwnKind::Language { .. } => BeamSearch::default(),
    };
    CatalogModel {
        model: Model { id, display_name, required_plan: None, capabilities },
        engine: match weights.kind {
            OwnKind::Speech(Family::Moonshine) => EngineKind::Moonshine,
            OwnKind::Speech(Family::Whisper) => EngineKind::Whisper,
            OwnKind::Language { .. } => EngineKind::Gguf,
        },
        languages: weights.languages,
        candidates: Vec::new(),
        pulls: Vec::new(),
        upgrades: Vec::new(),
        files,
        remote: None,
        license: None,
        beam,
        word_errors: BTreeMap::new(),
        untested: false,
        local: true,
    }
}
