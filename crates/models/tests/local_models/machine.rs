//! A models folder with its catalogue, and files of weights of the smallest possible Whisper.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use auris_engine_core::Ignore;
use auris_models::install::{Adding, NewModel, UnitPrices};
use auris_models::{Catalog, CatalogModel, InstallError, Installer, LocalCatalog};
use auris_weights::{Family, ModelConfig, expected_tensors};
use tempfile::TempDir;

/// Tokens of the vocabularies of Whisper.
pub(crate) const MULTILINGUAL: usize = 51_865;
pub(crate) const ENGLISH: usize = 51_864;
/// Large v3 has one language more.
pub(crate) const LARGE_V3: usize = 51_866;

/// The folder of the operator's files and the folder of the models.
pub(crate) struct Machine {
    folder: TempDir,
    pub(crate) installer: Installer,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { installer: Installer::new(folder.path().join("models"), None), folder }
    }

    pub(crate) fn models_dir(&self) -> &Path {
        &self.installer.models_dir
    }

    /// Writes a file of the operator.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The built-in catalogue with the local models, as a command sees it.
    pub(crate) fn catalog(&self) -> Catalog {
        LocalCatalog::in_folder(self.models_dir()).merge_into(&Catalog::built_in().unwrap()).unwrap()
    }

    pub(crate) fn add(&self, path: &Path, id: Option<&str>) -> Result<CatalogModel, InstallError> {
        self.add_to(&self.catalog(), path, id, Ok(()))
    }

    /// Adds a file whose trial ends like this to this catalogue.
    pub(crate) fn add_to(
        &self,
        catalog: &Catalog,
        path: &Path,
        id: Option<&str>,
        outcome: Result<(), String>,
    ) -> Result<CatalogModel, InstallError> {
        let prices = UnitPrices::default();
        let new = NewModel { path: path.to_owned(), id: id.map(str::to_owned), prices };
        let trial = |folder: &Path, catalog: Catalog| {
            let [entry] = catalog.models.as_slice() else { panic!("{:?}", catalog.models) };
            assert!(auris_models::install::is_installed(folder, entry), "the trial has the files");
            outcome.clone()
        };
        let adding = Adding { catalog, trial: &trial, sink: &mut Ignore, is_cancelled: &|| false };
        self.installer.add(&new, adding)
    }

    /// Adds a file with these prices.
    pub(crate) fn add_priced(&self, path: &Path, prices: UnitPrices) -> Result<CatalogModel, InstallError> {
        let new = NewModel { path: path.to_owned(), id: None, prices };
        let catalog = self.catalog();
        let trial = |_: &Path, _: Catalog| -> Result<(), String> { Ok(()) };
        let adding = Adding { catalog: &catalog, trial: &trial, sink: &mut Ignore, is_cancelled: &|| false };
        self.installer.add(&new, adding)
    }

    /// Adds a file, and cancels that when the trial has begun or, with `early`, at once.
    pub(crate) fn add_cancelled(&self, path: &Path, early: bool) -> InstallError {
        let is_cancelled = Cell::new(early);
        let trial = |_: &Path, _: Catalog| -> Result<(), String> {
            is_cancelled.set(true);
            Ok(())
        };
        let new = NewModel { path: path.to_owned(), id: None, prices: UnitPrices::default() };
        let is_cancelled = || is_cancelled.get();
        let catalog = self.catalog();
        let adding =
            Adding { catalog: &catalog, trial: &trial, sink: &mut Ignore, is_cancelled: &is_cancelled };
        self.installer.add(&new, adding).unwrap_err()
    }

    /// What the folder of the models contains, except locks.
    pub(crate) fn contents(&self) -> Vec<String> {
        let Ok(folder) = fs::read_dir(self.models_dir()) else { return Vec::new() };
        let mut names: Vec<String> =
            folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.ends_with(".lock"));
        names.sort();
        names
    }
}

/// A file of whisper.cpp with a vocabulary of this size. All weights are zero.
pub(crate) fn ggml(vocabulary: usize) -> Vec<u8> {
    ggml_of(&config(vocabulary))
}

/// A file of whisper.cpp with the shape of a distilled large v3: 128 mel bands, and fewer layers in the decoder.
pub(crate) fn distilled_ggml() -> Vec<u8> {
    ggml_of(&ModelConfig { mel_bins: 128, encoder_layers: 3, ..config(LARGE_V3) })
}

fn ggml_of(config: &ModelConfig) -> Vec<u8> {
    let numbers = [
        0x6767_6d6c,
        config.vocabulary,
        config.audio_positions,
        config.width,
        config.heads,
        config.encoder_layers,
        config.text_positions,
        config.width,
        config.heads,
        config.decoder_layers,
        config.mel_bins,
        0,
        // One filter per band, of one frequency.
        config.mel_bins,
        1,
    ];
    let mut file: Vec<u8> = numbers.iter().flat_map(|number| (*number as u32).to_le_bytes()).collect();
    file.extend(vec![0; 4 * config.mel_bins]);
    // The vocabulary has one token.
    file.extend([1_u32, 1].iter().flat_map(|number| number.to_le_bytes()));
    file.push(b'a');
    for tensor in expected_tensors(config) {
        let head = [tensor.shape.len(), tensor.name.len(), 0];
        let numbers = head.iter().chain(tensor.shape.iter().rev());
        file.extend(numbers.flat_map(|number| (*number as u32).to_le_bytes()));
        file.extend(tensor.name.as_bytes());
        file.extend(vec![0; 4 * tensor.shape.iter().product::<usize>()]);
    }
    file
}

fn config(vocabulary: usize) -> ModelConfig {
    ModelConfig {
        family: Family::Whisper,
        width: 4,
        encoder_layers: 1,
        decoder_layers: 1,
        heads: 1,
        head_width: 4,
        encoder_feed_forward: 8,
        decoder_feed_forward: 8,
        mel_bins: 2,
        vocabulary,
        audio_positions: 6,
        text_positions: 5,
        rotary_width: 0,
        rotary_base: 0.0,
    }
}
