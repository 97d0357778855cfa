//! Questions about one model: whether it exists, what is missing of it, and whether it is intact.

use auris_engines::install::is_verifiable;
use auris_engines::{CatalogModel, PullSink};

use super::super::{OperatorError, Result};
use super::{ModelLibrary, VerifiedModel};
use crate::models;

impl ModelLibrary {
    /// Fails if the catalogue has no such model.
    pub(in super::super) fn require(&self, id: &str) -> Result<()> {
        self.find(id).map(drop)
    }

    /// The license of a model, as far as it is known.
    pub fn license(&self, id: &str) -> Option<String> {
        models::license(self.catalog.find(id)?)
    }

    /// The codes of all languages of a model; empty if it is not limited to some.
    pub fn languages(&self, id: &str) -> Vec<String> {
        self.catalog.find(id).map(CatalogModel::all_languages).unwrap_or_default()
    }

    /// The models whose files a model needs.
    pub fn used_models(&self, id: &str) -> Vec<String> {
        self.catalog.find(id).map(models::used_models).unwrap_or_default()
    }

    /// The bytes that a pull of the model would fetch.
    pub fn missing_bytes(&self, id: &str) -> u64 {
        self.installer.missing_bytes(&self.catalog, id)
    }

    /// The bytes that `verify_one` reads. Fails if it would.
    pub fn verifiable_bytes(&self, id: &str) -> Result<u64> {
        Ok(self.verifiable_parts(id)?.iter().map(|entry| entry.file_bytes()).sum())
    }

    /// Compares the SHA-256 of the files of a model, and of the models that a pull of it installs, with the catalogue.
    /// Fails if none of them is installed. Blocks; if the sink says that it was cancelled, the result means nothing.
    pub fn verify_one(&self, id: &str, progress: &mut dyn PullSink) -> Result<Vec<VerifiedModel>> {
        let parts = self.verifiable_parts(id)?;
        Ok(parts.into_iter().map(|entry| self.verify_model(entry, progress)).collect())
    }

    fn verifiable_parts(&self, id: &str) -> Result<Vec<&CatalogModel>> {
        let entry = self.find(id)?;
        let others = entry.pulls.iter().chain(&entry.upgrades).filter(|other| *other != id);
        let parts = others.filter_map(|other| self.catalog.find(other)).chain([entry]);
        let parts: Vec<_> = parts.filter(|part| is_verifiable(&self.installer.models_dir, part)).collect();
        if parts.is_empty() {
            return Err(OperatorError::conflict(format!(
                "the model `{id}` has no installed files to verify; pull it first"
            )));
        }
        Ok(parts)
    }
}
