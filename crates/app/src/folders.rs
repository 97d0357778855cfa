//! The folders of an installation, created when they are first needed.

use std::fs;
use std::path::Path;

use anyhow::Context;
use auris_store::BlobSettings;

use crate::config::Config;

/// Creates the folders that everything else is stored in, readable only by their owner.
pub(crate) fn create(config: &Config) -> anyhow::Result<()> {
    let blobs = match &config.blobs {
        BlobSettings::Folder(folder) => Some(folder),
        BlobSettings::Bucket(_) => None,
    };
    for folder in [&config.data, &config.service.spool_dir].into_iter().chain(blobs) {
        create_private(folder).with_context(|| format!("cannot create the folder `{}`", folder.display()))?;
    }
    Ok(())
}

fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
