//! Installation of model files: fetched from any of their sources, verified by hash, then moved into place.

mod add;
mod archive;
mod download;
mod error;
mod fetch;
pub mod file_names;
mod local_catalog;
mod missing;
mod model_id;
mod own_gguf;
mod own_weights;
mod package_cache;
mod part_file;
mod sink;
mod source;
mod staging;
mod unit_prices;
mod verify;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use auris_engine_core::Ignore;

pub use add::{Adding, NewModel, Trial};
pub use error::InstallError;
pub(crate) use local_catalog::FileVersion;
pub use local_catalog::LocalCatalog;
pub use sink::PullSink;
pub use unit_prices::UnitPrices;
pub use verify::PackedCopyState;

use crate::catalog::{Catalog, CatalogModel, ModelFile};
use fetch::Fetcher;
use package_cache::PackageCache;
use part_file::PartFile;

/// The folder of the models and where files may be fetched from.
#[derive(Debug, Clone)]
pub struct Installer {
    pub models_dir: PathBuf,
    /// A folder or base URL with files named by their SHA-256; tried before any other source.
    pub mirror: Option<String>,
    /// Base URL of the model hub for `hf:` sources.
    pub hub: String,
}

impl Installer {
    pub fn new(models_dir: impl Into<PathBuf>, mirror: Option<String>) -> Self {
        Self { models_dir: models_dir.into(), mirror, hub: "https://huggingface.co".into() }
    }

    /// Installs a model, or the models that it consists of. Files that are already installed are skipped. Stops when the
    /// sink says so.
    pub fn pull(&self, catalog: &Catalog, id: &str, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let Some(entry) = catalog.find(id) else {
            let message = format!(
                "the model `{id}` is not in the catalogue; `auris models list` shows the available ones"
            );
            return Err(InstallError::new(message));
        };
        if entry.local {
            let message = format!(
                "the model `{id}` was added from a file and cannot be downloaded; if its files are lost, run `auris models \
                 remove {id}` and then `auris models add FILE --id {id}`"
            );
            return Err(InstallError::new(message));
        }
        for other in entry.pulls.iter().chain(&entry.upgrades).filter(|other| *other != id) {
            self.pull(catalog, other, sink)?;
        }
        self.pull_files(entry, sink)
    }

    fn pull_files(&self, entry: &CatalogModel, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let folder = self.models_dir.join(&entry.model.id);
        if entry.files.is_empty() {
            return Ok(());
        }
        let _lock = self.lock(&entry.model.id)?;
        let packages = PackageCache::new(self.models_dir.join(format!(".{}.packages", entry.model.id)));
        for file in &entry.files {
            let path = folder.join(&file.name);
            if path.metadata().is_ok_and(|found| found.len() == file.bytes) {
                continue;
            }
            fs::create_dir_all(&folder).map_err(|error| InstallError::at(&folder, &error))?;
            sink.file(&entry.model.id, &file.name, file.bytes);
            let pull = FilePull { installer: self, model: &entry.model.id, file, packages: &packages };
            pull.run(&path, sink)?;
        }
        Ok(())
    }

    /// Lets only one process at a time pull a model. Another one waits here and then finds it installed.
    fn lock(&self, id: &str) -> Result<File, InstallError> {
        let path = self.models_dir.join(format!(".{id}.lock"));
        let locked = fs::create_dir_all(&self.models_dir)
            .and_then(|()| File::create(&path))
            .and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| InstallError::at(&path, &error))
    }

    /// Removes a model's files with their packed copy and, if it was added on this machine, the model itself. Returns
    /// `false` if there was nothing to remove.
    pub fn remove(&self, entry: &CatalogModel) -> Result<bool, InstallError> {
        if entry.local {
            // First, so that no process looks for files that are gone.
            self.local_catalog().remove(&entry.model.id)?;
        }
        // Only the id of a model with files is the name of a folder.
        if entry.files.is_empty() {
            return Ok(entry.local);
        }
        let folder = self.models_dir.join(&entry.model.id);
        match fs::remove_dir_all(&folder) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(entry.local),
            Err(error) => Err(InstallError::at(&folder, &error)),
        }
    }

    fn local_catalog(&self) -> LocalCatalog {
        LocalCatalog::in_folder(&self.models_dir)
    }

    /// Checks the packed copy of a model's weights, and deletes a damaged one.
    pub fn check_packed_copy(&self, entry: &CatalogModel) -> PackedCopyState {
        PackedCopyState::check(&self.models_dir.join(&entry.model.id))
    }

    /// Reads every file of a model and returns the names of those that are missing or damaged.
    pub fn verify(&self, entry: &CatalogModel) -> Vec<String> {
        self.verify_reporting(entry, &mut Ignore)
    }

    /// As `verify`. If the sink says that it was cancelled, the result means nothing.
    pub fn verify_reporting(&self, entry: &CatalogModel, sink: &mut dyn PullSink) -> Vec<String> {
        let folder = self.models_dir.join(&entry.model.id);
        let damaged = |file: &&ModelFile| {
            sink.file(&entry.model.id, &file.name, file.bytes);
            !verify::has_hash(&folder.join(&file.name), &file.sha256, sink)
        };
        entry.files.iter().filter(damaged).map(|file| file.name.clone()).collect()
    }
}

/// Whether every file of the model exists with its full size.
pub fn is_installed(models_dir: &Path, entry: &CatalogModel) -> bool {
    let folder = models_dir.join(&entry.model.id);
    let complete =
        |file: &ModelFile| folder.join(&file.name).metadata().is_ok_and(|found| found.len() == file.bytes);
    !entry.files.is_empty() && entry.files.iter().all(complete)
}

/// Whether a model has files to verify: all exist, whatever they contain, or the operator added it.
pub fn is_verifiable(models_dir: &Path, entry: &CatalogModel) -> bool {
    let folder = models_dir.join(&entry.model.id);
    let exists = |file: &ModelFile| folder.join(&file.name).exists();
    !entry.files.is_empty() && (entry.local || entry.files.iter().all(exists))
}

/// Whether a model can run: its files, if it has any, and those of all models that it pulls are installed.
pub fn is_ready(models_dir: &Path, catalog: &Catalog, entry: &CatalogModel) -> bool {
    let has_files = |entry: &CatalogModel| entry.files.is_empty() || is_installed(models_dir, entry);
    has_files(entry) && entry.pulls.iter().filter_map(|id| catalog.find(id)).all(has_files)
}

/// Whether a model can run as well as it can: the models that upgrade it are installed too.
pub fn is_complete(models_dir: &Path, catalog: &Catalog, entry: &CatalogModel) -> bool {
    let upgrades = entry.upgrades.iter().filter_map(|id| catalog.find(id));
    is_ready(models_dir, catalog, entry) && upgrades.into_iter().all(|entry| is_installed(models_dir, entry))
}

/// The pull of one file.
struct FilePull<'a> {
    installer: &'a Installer,
    model: &'a str,
    file: &'a ModelFile,
    packages: &'a PackageCache,
}

impl FilePull<'_> {
    fn run(&self, path: &Path, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        // Named by the hash, so that an interrupted pull resumes.
        let part = path.with_file_name(format!(".{}.part", self.file.sha256));
        let mut failures = Vec::new();
        for source in self.sources() {
            match self.fetcher(&part).fetch_verified(&source, sink) {
                Ok(()) => return fs::rename(&part, path).map_err(|error| InstallError::at(path, &error)),
                Err(_) if sink.is_cancelled() => break,
                Err(error) => {
                    sink.warning(&format!("{source}: {error}"));
                    failures.push(format!("{source}: {error}"));
                }
            }
        }
        Err(if sink.is_cancelled() { self.cancelled() } else { self.failure(&failures) })
    }

    fn cancelled(&self) -> InstallError {
        InstallError::new(format!(
            "the pull of the model `{}` was cancelled; the next pull continues where it stopped",
            self.model
        ))
    }

    fn sources(&self) -> Vec<String> {
        let mirror = self.installer.mirror.iter().map(|mirror| format!("mirror:{mirror}"));
        mirror.chain(self.file.sources.iter().cloned()).collect()
    }

    fn fetcher<'a>(&'a self, part: &'a Path) -> Fetcher<'a> {
        Fetcher {
            packages: self.packages,
            hub: &self.installer.hub,
            file: self.file,
            part: PartFile { path: part, full_size: self.file.bytes },
        }
    }

    fn failure(&self, failures: &[String]) -> InstallError {
        InstallError::new(format!(
            "`{}` of the model `{}` could not be installed from any source:\n  {}\n\
             Set `models.mirror` to a folder or URL that has it as `{}`, or check the network.",
            self.file.name,
            self.model,
            failures.join("\n  "),
            self.file.sha256,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    fn catalog(sources: &str) -> Catalog {
        let text = format!(
            "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"whisper\"\ncapabilities = []\n\
             [[models.files]]\nname = \"hello.txt\"\nsha256 = \"{HELLO}\"\nbytes = 5\nsources = [{sources}]\n\
             [[models]]\nid = \"alias\"\ndisplay_name = \"A\"\nengine = \"auto\"\ncapabilities = []\npulls = [\"m\"]\n"
        );
        Catalog::parse(&text).unwrap()
    }

    fn write(folder: &Path, name: &str, text: &str) -> String {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        format!("\"file:{}\"", path.display())
    }

    #[test]
    fn the_first_source_with_the_right_bytes_wins() {
        let folder = tempfile::tempdir().unwrap();
        let wrong = write(folder.path(), "wrong", "jello");
        let right = write(folder.path(), "right", "hello");
        let catalog = catalog(&format!("{wrong}, {right}"));
        let installer = Installer::new(folder.path().join("models"), None);
        installer.pull(&catalog, "alias", &mut Ignore).unwrap();
        let entry = catalog.find("m").unwrap();
        assert!(is_installed(&installer.models_dir, entry) && installer.verify(entry).is_empty());
        assert_eq!(fs::read_dir(installer.models_dir.join("m")).unwrap().count(), 1);
        assert!(installer.remove(entry).unwrap() && !installer.remove(entry).unwrap());
    }

    #[test]
    fn a_mirror_by_hash_is_asked_first() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(HELLO), "hello").unwrap();
        let mirror = folder.path().display().to_string();
        let installer = Installer::new(folder.path().join("models"), Some(mirror));
        installer.pull(&catalog(""), "m", &mut Ignore).unwrap();
        assert_eq!(fs::read(installer.models_dir.join("m/hello.txt")).unwrap(), b"hello");
    }

    #[test]
    fn when_every_source_fails_the_error_names_them_and_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let source = write(folder.path(), "wrong", "jello");
        let installer = Installer::new(folder.path().join("models"), None);
        let error = installer.pull(&catalog(&source), "m", &mut Ignore).unwrap_err().to_string();
        assert!(error.contains("its SHA-256 is") && error.contains("models.mirror") && error.contains(HELLO));
        assert!(!is_installed(&installer.models_dir, catalog(&source).find("m").unwrap()));
    }

    #[test]
    fn a_damaged_file_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = catalog("");
        fs::create_dir_all(folder.path().join("m")).unwrap();
        fs::write(folder.path().join("m/hello.txt"), "jello").unwrap();
        let installer = Installer::new(folder.path(), None);
        assert_eq!(installer.verify(catalog.find("m").unwrap()), ["hello.txt"]);
    }

    #[test]
    fn a_file_of_another_length_is_verified_and_a_missing_one_is_left_to_the_next_pull() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = catalog("");
        let entry = catalog.find("m").unwrap();
        assert!(!is_verifiable(folder.path(), entry));
        fs::create_dir_all(folder.path().join("m")).unwrap();
        fs::write(folder.path().join("m/hello.txt"), "hell").unwrap();
        assert!(is_verifiable(folder.path(), entry) && !is_installed(folder.path(), entry));
        assert!(!is_verifiable(folder.path(), catalog.find("alias").unwrap()));
    }

    #[test]
    fn removing_a_model_without_files_deletes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine"), "x").unwrap();
        let text = "[[models]]\nid = \"..\"\ndisplay_name = \"M\"\nengine = \"fake\"\ncapabilities = []\n";
        let catalog = Catalog::parse(text).unwrap();
        let installer = Installer::new(folder.path().join("models"), None);
        fs::create_dir(&installer.models_dir).unwrap();
        assert!(!installer.remove(catalog.find("..").unwrap()).unwrap());
        assert!(folder.path().join("mine").exists());
    }

    #[test]
    fn an_unknown_model_is_named() {
        let installer = Installer::new("nowhere", None);
        assert!(installer.pull(&catalog(""), "x", &mut Ignore).unwrap_err().to_string().contains("`x`"));
    }
}
