//! The master key and those before it: from the settings, else from a file in the data folder, one key a line.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use auris_service::{MasterKey, MasterKeys};
use auris_store::Store;

use crate::config::Config;

/// Under which name the database remembers which master key is in use.
pub(crate) const FINGERPRINT: &str = "master_key.fingerprint";

/// The keys of this node, after it was seen that they are those of the others: nodes that disagree could not open each
/// other's secrets. A node that knows the agreed key as a previous one brings a new one along.
pub(crate) async fn agreed(config: &Config, store: &Store) -> anyhow::Result<MasterKeys> {
    let known = store.agreement(FINGERPRINT).await?;
    if known.is_some() && existing(config)?.is_empty() {
        bail!(
            "this database was set up with a master key that this node does not have; set \
             AURIS_SECURITY__MASTER_KEY to it, or put that node's `master.key` into `{}`",
            config.data.display()
        );
    }
    let keys = load(config)?;
    let own: Vec<String> = existing(config)?.iter().map(MasterKey::fingerprint).collect();
    let current = own.first().context("there is no master key")?;
    let agreed = store.agree(FINGERPRINT, current).await?;
    if !own.contains(&agreed) {
        bail!(
            "the master key of this node ({current}) is not the one that the database was set up with ({agreed}); all \
             nodes share one: set AURIS_SECURITY__MASTER_KEY to that of the other nodes, or copy their `master.key`"
        );
    }
    if agreed != *current {
        store.change_agreement(FINGERPRINT, &agreed, current).await?;
    }
    Ok(keys)
}

/// The keys that are there, the current one first; none where there never was one.
pub(crate) fn existing(config: &Config) -> anyhow::Result<Vec<MasterKey>> {
    if let Some(text) = &config.master_key {
        let texts = std::iter::once(text).chain(&config.previous_master_keys);
        let keys: Result<Vec<MasterKey>, _> = texts.map(|text| MasterKey::from_base64(text)).collect();
        return keys.context("the setting `security.master_key`");
    }
    let path = path(config);
    if path.exists() { read(&path) } else { Ok(Vec::new()) }
}

/// The keys of the configuration, else of the data folder, where the first start makes one.
pub(crate) fn load(config: &Config) -> anyhow::Result<MasterKeys> {
    if let Some(text) = &config.master_key {
        let current = MasterKey::from_base64(text).context("the setting `security.master_key`")?;
        let previous = config.previous_master_keys.iter().map(|text| MasterKey::from_base64(text));
        let previous: Result<Vec<MasterKey>, _> = previous.collect();
        return Ok(MasterKeys::new(
            current,
            previous.context("the setting `security.previous_master_keys`")?,
        ));
    }
    let path = path(config);
    if !path.exists() {
        let first = MasterKey::generate().to_base64();
        write_new(&path, &first).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    let keys = read(&path)?;
    let reload = path.clone();
    MasterKeys::reloading(keys, Box::new(move || read(&reload).ok()))
        .with_context(|| format!("`{}` holds no key", path.display()))
}

/// Makes a new key the current one of the data folder; the others stay, to open what they sealed.
pub(crate) fn renew(config: &Config) -> anyhow::Result<()> {
    refuse_setting(config)?;
    load(config)?;
    let path = path(config);
    let mut keys = vec![MasterKey::generate()];
    keys.extend(read(&path)?);
    replace(&path, &keys)
}

/// Leaves only the current key of the data folder; how many others went.
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
            "the master key is the setting `security.master_key`; change it there, with the old one in \
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

/// Writes a new file that its owner alone can read. Two processes that start at once end up with one key.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    match written(path, text)?.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
    }
}

/// Puts the keys in the place of those that are there, all at once.
fn replace(path: &Path, keys: &[MasterKey]) -> anyhow::Result<()> {
    let lines: Vec<String> = keys.iter().map(MasterKey::to_base64).collect();
    let file = written(path, &format!("{}\n", lines.join("\n")))?;
    file.persist(path).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(())
}

fn written(path: &Path, text: &str) -> std::io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}
