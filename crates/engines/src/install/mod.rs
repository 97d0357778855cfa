//! Model files: pulled from any of their sources, verified by hash, moved into place whole.

mod archive;
mod download;
mod fetch;
mod source;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::catalog::{Catalog, CatalogModel, ModelFile};
use fetch::{Fetcher, Packages};

/// Hears how a pull goes on.
pub trait PullSink {
    /// A file of a model begins; `bytes` is its size.
    fn file(&mut self, model: &str, file: &str, bytes: u64);
    /// So much of it is there.
    fn progress(&mut self, bytes_done: u64);
    /// A source failed and the next is tried.
    fn warning(&mut self, message: &str);
}

/// A sink that hears nothing.
impl PullSink for crate::Ignore {
    fn file(&mut self, _: &str, _: &str, _: u64) {}
    fn progress(&mut self, _: u64) {}
    fn warning(&mut self, _: &str) {}
}

/// Why a model could not be installed; the message says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InstallError(String);

impl InstallError {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    fn at(path: &Path, error: &io::Error) -> Self {
        Self(format!("`{}`: {error}", path.display()))
    }
}

/// The models folder and where files may come from.
#[derive(Debug, Clone)]
pub struct Installer {
    pub models_dir: PathBuf,
    /// A folder or base URL that holds files by their SHA-256; asked before any other source.
    pub mirror: Option<String>,
    /// Base of the model hub for `hf:` sources.
    pub hub: String,
}

impl Installer {
    pub fn new(models_dir: impl Into<PathBuf>, mirror: Option<String>) -> Self {
        Self { models_dir: models_dir.into(), mirror, hub: "https://huggingface.co".into() }
    }

    /// Installs a model, or the models that stand for it. What is there already is left alone.
    pub fn pull(&self, catalog: &Catalog, id: &str, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let Some(entry) = catalog.find(id) else {
            let message = format!(
                "there is no model `{id}` in the catalogue; `auris models list` shows those that are"
            );
            return Err(InstallError::new(message));
        };
        for other in entry.pulls.iter().filter(|other| *other != id) {
            self.pull(catalog, other, sink)?;
        }
        self.pull_files(entry, sink)
    }

    fn pull_files(&self, entry: &CatalogModel, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let folder = self.models_dir.join(&entry.model.id);
        if entry.files.is_empty() {
            return Ok(());
        }
        let _alone = self.lock(&entry.model.id)?;
        let packages = Packages::new(self.models_dir.join(format!(".packages-{}", std::process::id())));
        for file in &entry.files {
            let path = folder.join(&file.name);
            if path.metadata().is_ok_and(|found| found.len() == file.bytes) {
                continue;
            }
            fs::create_dir_all(&folder).map_err(|error| InstallError::at(&folder, &error))?;
            sink.file(&entry.model.id, &file.name, file.bytes);
            self.pull_file(&entry.model.id, file, &path, &packages, sink)?;
        }
        Ok(())
    }

    /// One process at a time pulls a model; another waits here, and then finds it installed.
    fn lock(&self, id: &str) -> Result<File, InstallError> {
        let path = self.models_dir.join(format!(".{id}.lock"));
        let locked = fs::create_dir_all(&self.models_dir)
            .and_then(|()| File::create(&path))
            .and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| InstallError::at(&path, &error))
    }

    fn pull_file(
        &self,
        model: &str,
        file: &ModelFile,
        path: &Path,
        packages: &Packages,
        sink: &mut dyn PullSink,
    ) -> Result<(), InstallError> {
        // Named by the hash: an interrupted pull goes on where it stopped.
        let part = path.with_file_name(format!(".{}.part", file.sha256));
        let mirror = self.mirror.iter().map(|mirror| format!("mirror:{mirror}"));
        let sources: Vec<String> = mirror.chain(file.sources.iter().cloned()).collect();
        let mut failures = Vec::new();
        for source in &sources {
            let fetcher = Fetcher { packages, hub: &self.hub, file, part: &part };
            match fetch_verified(&fetcher, source, sink) {
                Ok(()) => return fs::rename(&part, path).map_err(|error| InstallError::at(path, &error)),
                Err(error) => {
                    sink.warning(&format!("{source}: {error}"));
                    failures.push(format!("{source}: {error}"));
                }
            }
        }
        Err(InstallError::new(format!(
            "`{}` of the model `{model}` could not be installed from any source:\n  {}\n\
             Set `models.mirror` to a folder or address that holds it as `{}`, or check the network.",
            file.name,
            failures.join("\n  "),
            file.sha256,
        )))
    }

    /// Removes a model's files; `false` where there were none.
    pub fn remove(&self, id: &str) -> Result<bool, InstallError> {
        let folder = self.models_dir.join(id);
        match fs::remove_dir_all(&folder) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(InstallError::at(&folder, &error)),
        }
    }

    /// Reads every file of an installed model; the names of those that are missing or not what they should be.
    pub fn verify(&self, entry: &CatalogModel) -> Vec<String> {
        let folder = self.models_dir.join(&entry.model.id);
        let wrong =
            |file: &&ModelFile| hash(&folder.join(&file.name)).ok().as_deref() != Some(file.sha256.as_str());
        entry.files.iter().filter(wrong).map(|file| file.name.clone()).collect()
    }
}

/// Whether every file of the model is there at its full size.
pub fn is_installed(models_dir: &Path, entry: &CatalogModel) -> bool {
    let folder = models_dir.join(&entry.model.id);
    let whole = |name: &str, bytes: u64| folder.join(name).metadata().is_ok_and(|file| file.len() == bytes);
    !entry.files.is_empty() && entry.files.iter().all(|file| whole(&file.name, file.bytes))
}

/// Whether a model that may have no files of its own can run: its files and those of all that it pulls are there.
pub fn is_ready(models_dir: &Path, catalog: &Catalog, entry: &CatalogModel) -> bool {
    let there = |entry: &CatalogModel| entry.files.is_empty() || is_installed(models_dir, entry);
    there(entry) && entry.pulls.iter().filter_map(|id| catalog.find(id)).all(there)
}

/// The file, whole and right. Where another source's beginning was taken up and did not fit, it is fetched anew.
fn fetch_verified(fetcher: &Fetcher<'_>, source: &str, sink: &mut dyn PullSink) -> Result<(), InstallError> {
    let had_some = fetcher.present() > 0;
    let once = |sink: &mut dyn PullSink| {
        fetcher.fetch(source, sink).and_then(|()| verify(fetcher.part, &fetcher.file.sha256))
    };
    match once(sink) {
        Err(_) if had_some && fetcher.present() == 0 => once(sink),
        outcome => outcome,
    }
}

/// Nothing is used whose hash differs, whoever sent it.
fn verify(part: &Path, sha256: &str) -> Result<(), InstallError> {
    let found = hash(part).map_err(|error| InstallError::at(part, &error))?;
    if found == sha256 {
        return Ok(());
    }
    // The next source must not go on with these bytes; a file that is gone already is fine too.
    let _ = fs::remove_file(part);
    Err(InstallError::new(format!("its SHA-256 is {found}, not {sha256}")))
}

fn hash(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut bytes = vec![0; 1 << 20];
    loop {
        match file.read(&mut bytes)? {
            0 => break,
            read => hasher.update(&bytes[..read]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ignore;

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
        assert!(installer.remove("m").unwrap() && !installer.remove("m").unwrap());
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
    fn an_unknown_model_is_named() {
        let installer = Installer::new("nowhere", None);
        assert!(installer.pull(&catalog(""), "x", &mut Ignore).unwrap_err().to_string().contains("`x`"));
    }
}
