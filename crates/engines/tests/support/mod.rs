//! Engines for the tests, with the models that `scripts/fetch-assets` fetched.

#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses some of this")]

pub(crate) mod recordings;

use std::path::Path;

use auris_engine_testing::{asset, assets};
use auris_engines::{Catalog, EngineSettings, Engines, Tuning};

/// Engines with every model of the catalogue whose files were fetched, in a folder of links.
pub(crate) fn engines(folder: &Path) -> Engines {
    tuned_engines(folder, &Tuning::default())
}

pub(crate) fn tuned_engines(folder: &Path, tuning: &Tuning) -> Engines {
    let catalog = Catalog::built_in().unwrap();
    // The large language model is fetched for the soak only.
    let is_fetched = |sha256: &str| assets().join(sha256).exists();
    for entry in catalog.models.iter().filter(|entry| entry.files.iter().all(|file| is_fetched(&file.sha256)))
    {
        let target = folder.join(&entry.model.id);
        std::fs::create_dir_all(&target).unwrap();
        for file in &entry.files {
            std::os::unix::fs::symlink(asset(&file.sha256), target.join(&file.name)).unwrap();
        }
    }
    let settings = EngineSettings { models_dir: folder.to_owned(), max_audio_seconds: 36_000.0 };
    Engines::tuned(catalog, settings, tuning)
}
