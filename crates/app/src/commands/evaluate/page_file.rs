//! The HTML report as a file, with links to the recordings.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use auris_evaluation::{Evaluation, Page, page};
use tempfile::NamedTempFile;

/// A report that replaces its file only when it is complete.
pub(super) struct PageFile {
    path: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
}

impl PageFile {
    /// Fails if the file cannot be written.
    pub(super) fn create(path: &Path) -> anyhow::Result<Self> {
        let problem = || format!("cannot write `{}`", path.display());
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let folder = folder.canonicalize().with_context(problem)?;
        let readable = Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().prefix(".report").permissions(readable).tempfile_in(&folder);
        Ok(Self { path: path.to_owned(), folder, file: file.with_context(problem)? })
    }

    /// Writes the report. `recordings` is the folder that was evaluated.
    pub(super) fn write(mut self, report: &Evaluation, recordings: &Path) -> anyhow::Result<()> {
        let problem = || format!("cannot write `{}`", self.path.display());
        let recordings = recordings.canonicalize().with_context(problem)?;
        let link = |file: &str| {
            let path = recordings.join(file);
            // A link to a recording may be removed before the page is read.
            relative(&self.folder, &path.canonicalize().unwrap_or(path)).display().to_string()
        };
        let links: Vec<String> = report.recordings.iter().map(|one| link(&one.file)).collect();
        let html = page(&Page { evaluation: report, links: &links });
        self.file.write_all(html.as_bytes()).with_context(problem)?;
        self.file.persist(&self.path).with_context(problem)?;
        eprintln!("{}", self.path.display());
        Ok(())
    }
}

/// The path from a folder to a file. Both are absolute.
fn relative(folder: &Path, file: &Path) -> PathBuf {
    let common = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_the_page() {
        let from =
            |folder: &str, file: &str| relative(Path::new(folder), Path::new(file)).display().to_string();
        assert_eq!(from("/data/calls", "/data/calls/a/b.wav"), "a/b.wav");
        assert_eq!(from("/home/anna/reports", "/data/calls/b.wav"), "../../../data/calls/b.wav");
        assert_eq!(from("/", "/b.wav"), "b.wav");
    }
}
