//! The models that the operator added on this machine: `local.toml` in the folder of the models.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use auris_domain::model::Rate;
use serde::Serialize;
use toml::{Table, Value};

use super::error::InstallError;
use super::file_names::LOCAL_CATALOG;
use crate::catalog::{Catalog, CatalogError, CatalogModel, EngineKind, ModelFile};

const HEAD: &str = "# Models added with `auris models add`, in the format of the catalogue. A running server reads changes at once.\n\n";

/// The file with the local models. It need not exist.
#[derive(Debug, Clone)]
pub struct LocalCatalog {
    path: PathBuf,
}

/// Which version of the file it is. Every write replaces the file, so that its inode changes too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion {
    modified: Option<SystemTime>,
    bytes: u64,
    inode: u64,
}

impl FileVersion {
    fn of(metadata: &Metadata) -> Self {
        Self { modified: metadata.modified().ok(), bytes: metadata.len(), inode: metadata.ino() }
    }
}

impl LocalCatalog {
    pub fn in_folder(models_dir: &Path) -> Self {
        Self { path: models_dir.join(LOCAL_CATALOG) }
    }

    /// The catalogue with the local models. Fails if the file cannot be read or is invalid; the message names it.
    pub fn merge_into(&self, catalog: &Catalog) -> Result<Catalog, CatalogError> {
        let named =
            |error: &dyn std::fmt::Display| CatalogError::new(format!("`{}`: {error}", self.path.display()));
        let text = self.read().map_err(|error| named(&error))?;
        catalog.clone().with_local(&text).map_err(|error| named(&error))
    }

    /// Whether the file has a model with this id. Fails if the file cannot be read or is not valid TOML.
    pub(crate) fn lists(&self, id: &str) -> Result<bool, InstallError> {
        let text = self.read().map_err(|error| InstallError::at(&self.path, &error))?;
        let table: Table = toml::from_str(&text).map_err(|error| self.invalid(&error))?;
        let models = table.get("models").and_then(Value::as_array);
        Ok(models.is_some_and(|models| models.iter().any(|model| id_of(model) == Some(id))))
    }

    /// The version of the file; `None` if there is none.
    pub(crate) fn version(&self) -> Option<FileVersion> {
        self.path.metadata().ok().map(|metadata| FileVersion::of(&metadata))
    }

    /// Adds a model, or replaces the one with its id.
    pub(crate) fn insert(&self, entry: &CatalogModel) -> Result<(), InstallError> {
        let record = Value::try_from(LocalModel::of(entry)).map_err(|error| self.invalid(&error))?;
        self.change(|models| {
            models.retain(|model| id_of(model) != Some(&entry.model.id));
            models.push(record);
        })
    }

    /// Removes a model. Nothing happens if it is not in the file.
    pub(crate) fn remove(&self, id: &str) -> Result<(), InstallError> {
        self.change(|models| models.retain(|model| id_of(model) != Some(id)))
    }

    /// Changes the list of models, while no other process does. Keeps what the operator wrote, except comments.
    fn change(&self, change: impl FnOnce(&mut Vec<Value>)) -> Result<(), InstallError> {
        let at_path = |error: io::Error| InstallError::at(&self.path, &error);
        let _lock = self.lock().map_err(at_path)?;
        let text = self.read().map_err(at_path)?;
        let mut table: Table = toml::from_str(&text).map_err(|error| self.invalid(&error))?;
        let models = table.entry("models").or_insert_with(|| Value::Array(Vec::new()));
        let models = models.as_array_mut().ok_or_else(|| self.invalid(&"`models` is not a list"))?;
        change(models);
        let changed = toml::to_string_pretty(&table).map_err(|error| self.invalid(&error))?;
        self.replace(&format!("{HEAD}{changed}")).map_err(at_path)
    }

    /// The text of the file; empty if there is none.
    fn read(&self) -> io::Result<String> {
        match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read,
        }
    }

    fn lock(&self) -> io::Result<File> {
        let file = File::create(self.path.with_file_name(format!(".{LOCAL_CATALOG}.lock")))?;
        file.lock().map(|()| file)
    }

    /// Readers see the old text or the new one.
    fn replace(&self, text: &str) -> io::Result<()> {
        let new = self.path.with_file_name(format!(".{LOCAL_CATALOG}.new"));
        let mut file = File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }

    fn invalid(&self, error: &dyn std::fmt::Display) -> InstallError {
        InstallError::new(format!("`{}` is invalid; correct or delete it: {error}", self.path.display()))
    }
}

fn id_of(model: &Value) -> Option<&str> {
    model.get("id")?.as_str()
}

/// A model as it is written to the file.
#[derive(Serialize)]
struct LocalModel<'a> {
    id: &'a str,
    display_name: &'a str,
    engine: EngineKind,
    languages: &'a [String],
    capabilities: &'a [Rate],
    files: &'a [ModelFile],
}

impl<'a> LocalModel<'a> {
    fn of(entry: &'a CatalogModel) -> Self {
        Self {
            id: &entry.model.id,
            display_name: &entry.model.display_name,
            engine: entry.engine,
            languages: &entry.languages,
            capabilities: &entry.model.capabilities,
            files: &entry.files,
        }
    }
}
