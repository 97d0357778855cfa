//! Checks of single settings.

use std::path::PathBuf;

use anyhow::bail;

pub(super) fn at_least(name: &str, value: u64, least: u64) -> anyhow::Result<()> {
    if value < least {
        bail!("the setting `{name}` is {value}; it must be at least {least}");
    }
    Ok(())
}

pub(super) fn given(path: &str) -> Option<PathBuf> {
    (!path.is_empty()).then(|| PathBuf::from(path))
}
