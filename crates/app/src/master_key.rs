//! The master keys of a node: from the settings, or from a file in the data folder with one key per line.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use auris_service::operator::Operator;
use auris_service::{MasterKey, MasterKeys};
use auris_store::private_files;

use crate::config::Config;

/// Loads the master keys and checks that they match the ones the database was set up with.
pub(crate) async fn agreed(config: &Config, operator: &Operator) -> anyhow::Result<MasterKeys> {
    if operator.expected_master_key().await?.is_some() && existing(config)?.is_empty() {
        bail!(
            "this database was set up with a master key that this node does not have; set \
             AURIS_SECURITY__MASTER_KEY to that key, or copy the other node's `master.key` to `{}`",
            config.data.display()
        );
    }
    let keys = load(config)?;
    operator.agree_on_master_key(&existing(config)?).await?;
    Ok(keys)
}

/// The keys that exist, the current one first. Empty before the first start.
pub(crate) fn existing(config: &Config) -> anyhow::Result<Vec<MasterKey>> {
    if let Some(text) = &config.master_key {
        let texts = std::iter::once(text).chain(&config.previous_master_keys);
        let keys: Result<Vec<MasterKey>, _> = texts.map(|text| MasterKey::from_base64(text)).collect();
        return keys.context("the setting `security.master_key`");
    }
    let path = path(config);
    if path.exists() { read(&path) } else { Ok(Vec::new()) }
}

/// Loads the keys of the settings, or of the data folder, where the first start creates one.
pub(crate) fn load(config: &Config) -> anyhow::Result<MasterKeys> {
    match &config.master_key {
        Some(current) => from_settings(current, &config.previous_master_keys),
        None => from_file(&path(config)),
    }
}

fn from_settings(current: &str, previous: &[String]) -> anyhow::Result<MasterKeys> {
    let current = MasterKey::from_base64(current).context("the setting `security.master_key`")?;
    let previous: Result<Vec<MasterKey>, _> =
        previous.iter().map(|text| MasterKey::from_base64(text)).collect();
    Ok(MasterKeys::new(current, previous.context("the setting `security.previous_master_keys`")?))
}

fn from_file(path: &Path) -> anyhow::Result<MasterKeys> {
    if !path.exists() {
        let first = MasterKey::generate().to_base64();
        write_new(path, &first).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    let wrong = || format!("cannot change the permissions of `{}`", path.display());
    private_files::restrict(path).with_context(wrong)?;
    let keys = read(path)?;
    let reload = path.to_owned();
    MasterKeys::reloading(keys, Box::new(move || read(&reload).ok()))
        .with_context(|| format!("`{}` contains no key", path.display()))
}

/// Creates a new current key in the data folder. The old keys stay, to decrypt what they encrypted.
pub(crate) fn create_new(config: &Config) -> anyhow::Result<()> {
    refuse_setting(config)?;
    load(config)?;
    let path = path(config);
    let mut keys = vec![MasterKey::generate()];
    keys.extend(read(&path)?);
    replace(&path, &keys)
}

/// Removes all keys of the data folder except the current one. Returns how many were removed.
pub(crate) fn forget_old(config: &Config) -> anyhow::Result<usize> {
    refuse_setting(config)?;
    let path = path(config);
    let keys = read(&path)?;
    replace(&path, keys.get(..1).context("there is no master key yet")?)?;
    Ok(keys.len() - 1)
}

fn refuse_setting(config: &Config) -> anyhow::Result<()> {
    if config.master_key.is_some() {
        bail!(
            "the master key is the setting `security.master_key`, not a file. Change the setting, move the old key to \
             `security.previous_master_keys`, and run `auris webhooks reseal`"
        );
    }
    Ok(())
}

fn path(config: &Config) -> PathBuf {
    config.data.join("master.key")
}

fn read(path: &Path) -> anyhow::Result<Vec<MasterKey>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let keys: Result<Vec<MasterKey>, _> = lines.map(MasterKey::from_base64).collect();
    keys.with_context(|| format!("`{}`", path.display()))
}

/// Writes a new file that only its owner can read. If two processes start at once, both use the first one's key.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    match write_temporary(path, text)?.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
    }
}

/// Replaces all keys of the file at once.
fn replace(path: &Path, keys: &[MasterKey]) -> anyhow::Result<()> {
    let lines: Vec<String> = keys.iter().map(MasterKey::to_base64).collect();
    let file = write_temporary(path, &format!("{}\n", lines.join("\n")))?;
    file.persist(path).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(())
}

/// A temporary file in the same folder, so that it can replace the real one in one step.
fn write_temporary(path: &Path, text: &str) -> std::io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}
