//! The folders of an installation, created when they are first needed.

use std::path::Path;

use auris_store::{BlobSettings, private_files};

use super::Result;
use super::error::Context;

/// The folders that an installation stores files in.
pub struct Folders<'a> {
    pub data: &'a Path,
    /// For uploads in progress.
    pub spool: &'a Path,
    pub blobs: &'a BlobSettings,
}

impl Folders<'_> {
    /// Creates the folders, readable only by their owner. The folders for uploads and for blobs are made private even if
    /// they exist; an existing data folder may contain files of others.
    pub fn create(&self) -> Result<()> {
        create_private(self.data)?;
        let blobs = match self.blobs {
            BlobSettings::Folder(folder) => Some(folder.as_path()),
            BlobSettings::Bucket(_) => None,
        };
        for folder in std::iter::once(self.spool).chain(blobs) {
            create_private(folder)?;
            let wrong = || format!("cannot change the permissions of the folder `{}`", folder.display());
            private_files::restrict(folder).context(wrong)?;
        }
        Ok(())
    }
}

fn create_private(folder: &Path) -> Result<()> {
    private_files::create_folder(folder)
        .context(|| format!("cannot create the folder `{}`", folder.display()))
}
