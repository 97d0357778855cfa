//! The folders of an installation, created when they are first needed.

use std::path::Path;

use anyhow::Context;
use auris_store::{BlobSettings, private_files};

use crate::config::Config;

/// Creates the folders that everything else is stored in, readable only by their owner. The folders for uploads and for
/// blobs are made private even if they exist; an existing data folder may contain files of others.
pub(crate) fn create(config: &Config) -> anyhow::Result<()> {
    create_private(&config.data)?;
    let blobs = match &config.blobs {
        BlobSettings::Folder(folder) => Some(folder),
        BlobSettings::Bucket(_) => None,
    };
    for folder in std::iter::once(&config.service.spool_dir).chain(blobs) {
        create_private(folder)?;
        let wrong = || format!("cannot change the permissions of the folder `{}`", folder.display());
        private_files::restrict(folder).with_context(wrong)?;
    }
    Ok(())
}

fn create_private(folder: &Path) -> anyhow::Result<()> {
    let wrong = || format!("cannot create the folder `{}`", folder.display());
    private_files::create_folder(folder).with_context(wrong)
}
