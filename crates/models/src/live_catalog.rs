//! The catalogue of a running process. It follows `local.toml`, so that added and removed models need no restart.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::catalog::{Catalog, CatalogModel};
use crate::install::{FileVersion, LocalCatalog};

/// The catalogue that the process started with, and the local models as they are now.
pub struct LiveCatalog {
    base: Catalog,
    local: LocalCatalog,
    current: Mutex<Current>,
}

struct Current {
    catalog: Arc<Catalog>,
    /// Of the file that `catalog` was made from.
    version: Option<FileVersion>,
}

/// The catalogue as it is now.
pub struct Snapshot {
    pub catalog: Arc<Catalog>,
    /// The models that have to be loaded again, or are gone, since the last snapshot.
    pub replaced: Vec<String>,
}

impl LiveCatalog {
    /// `catalog` is without local models. An invalid `local.toml` is logged and left out.
    pub fn new(catalog: Catalog, models_dir: &Path) -> Self {
        let current = Current { catalog: Arc::new(catalog.clone()), version: None };
        let live =
            Self { base: catalog, local: LocalCatalog::in_folder(models_dir), current: Mutex::new(current) };
        live.snapshot();
        live
    }

    /// The catalogue now. Looks at the time of the file, which is cheap, and reads it only if it has changed.
    pub fn snapshot(&self) -> Snapshot {
        let version = self.local.version();
        let mut current = self.current.lock();
        if version == current.version {
            return Snapshot { catalog: current.catalog.clone(), replaced: Vec::new() };
        }
        // An invalid file is reported once, and the models stay as they were.
        current.version = version;
        let catalog = match self.local.merge_into(&self.base) {
            Ok(catalog) => Arc::new(catalog),
            Err(error) => {
                tracing::error!(%error, "the local models are unchanged");
                return Snapshot { catalog: current.catalog.clone(), replaced: Vec::new() };
            }
        };
        let replaced = replaced(&current.catalog, &catalog);
        current.catalog = catalog.clone();
        Snapshot { catalog, replaced }
    }
}

/// The ids of the models of `old` that `new` does not have with the same files and the same beam.
fn replaced(old: &Catalog, new: &Catalog) -> Vec<String> {
    let is_kept = |entry: &CatalogModel| {
        let same = new.find(&entry.model.id);
        same.is_some_and(|same| same.files == entry.files && same.beam == entry.beam)
    };
    let gone = old.models.iter().filter(|entry| !is_kept(entry));
    gone.map(|entry| entry.model.id.clone()).collect()
}
