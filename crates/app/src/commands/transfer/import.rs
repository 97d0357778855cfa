//! Reads the file into an empty installation: blobs as they come, then all rows in one transaction.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, bail};
use auris_service::MasterKey;
use auris_store::{Blobs, CarriedRow, Restoration, Store, artifact_of_blob};
use serde_json::json;

use super::{BLOBS, FORMAT, MANIFEST, Manifest, ROWS};
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::{data, master_key};

/// What has come in so far.
#[derive(Default)]
struct Received {
    blobs: u64,
    tables: BTreeMap<String, u64>,
}

pub(crate) async fn run(file: &Path, as_json: bool, config: &Config) -> anyhow::Result<()> {
    let source = File::open(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let mut archive = tar::Archive::new(BufReader::new(source));
    let mut entries = archive.entries()?;
    let first = entries.next().context("the file is empty")??;
    let manifest =
        read_manifest(first).with_context(|| format!("`{}` is no export of Auris", file.display()))?;
    manifest.check(config)?;
    let store = data::open_store(config).await?;
    // Looked at now, so that nothing is carried in vain.
    drop(begin(&store).await?);
    let blobs = data::open_blobs(config)?;
    let mut received = Received::default();
    let mut rows = None;
    for entry in entries {
        let entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        if let Some(key) = name.strip_prefix(BLOBS) {
            received.blob(key, entry, &blobs, config).await.with_context(|| format!("the blob `{key}`"))?;
        } else if let Some(table) = table_of(&name) {
            let rows = match &mut rows {
                Some(rows) => rows,
                None => rows.insert(begin(&store).await?),
            };
            received.rows(table, entry, rows).await.with_context(|| format!("the rows of `{table}`"))?;
        } else {
            bail!("the file has `{name}` in it, which no export writes");
        }
    }
    received.check(&manifest)?;
    rows.context("the file has no rows")?.commit().await?;
    master_key::agreed(config, &store).await?;
    store.close().await;
    tell(&manifest, as_json)
}

async fn begin(store: &Store) -> anyhow::Result<Restoration> {
    store.restore().await?.context(
        "there are jobs, keys or webhook endpoints here already; an import goes into an empty installation: another \
         database, or another data folder",
    )
}

fn read_manifest(entry: tar::Entry<'_, impl Read>) -> anyhow::Result<Manifest> {
    if entry.path()?.to_string_lossy() != MANIFEST {
        bail!("it does not begin with `{MANIFEST}`");
    }
    Ok(serde_json::from_reader(entry)?)
}

/// `rows/07-jobs.jsonl` holds the rows of `jobs`.
fn table_of(name: &str) -> Option<&str> {
    name.strip_prefix(ROWS)?.strip_suffix(".jsonl")?.split_once('-').map(|(_, table)| table)
}

impl Manifest {
    fn check(&self, config: &Config) -> anyhow::Result<()> {
        if self.format != FORMAT || self.schema > Store::known_schema() {
            bail!(
                "the file was written by Auris {}, which is newer than this program; install that first",
                self.program
            );
        }
        let own: Vec<String> = master_key::existing(config)?.iter().map(MasterKey::fingerprint).collect();
        if !own.contains(&self.master_key) {
            bail!(
                "the secrets in the file are sealed with the master key {}, and this installation has {}; set \
                 AURIS_SECURITY__MASTER_KEY to the key of the installation that it comes from, or put its `master.key` \
                 into `{}`",
                self.master_key,
                own.first().map_or("none", String::as_str),
                config.data.display()
            );
        }
        Ok(())
    }
}

impl Received {
    async fn blob(
        &mut self,
        key: &str,
        mut entry: impl Read,
        blobs: &Blobs,
        config: &Config,
    ) -> anyhow::Result<()> {
        if artifact_of_blob(key).is_none() {
            bail!("this is the name of no blob");
        }
        let mut file = tempfile::NamedTempFile::new_in(&config.service.spool_dir)?;
        std::io::copy(&mut entry, &mut file)?;
        blobs.put_file(key, file.path()).await?;
        self.blobs += 1;
        Ok(())
    }

    async fn rows(&mut self, table: &str, entry: impl Read, rows: &mut Restoration) -> anyhow::Result<()> {
        let count = self.tables.entry(table.to_owned()).or_default();
        for line in BufReader::new(entry).lines() {
            let row: CarriedRow = serde_json::from_str(&line?)?;
            rows.insert(table, &row).await?;
            *count += 1;
        }
        Ok(())
    }

    /// A file that was cut off must not pass for a whole one.
    fn check(&self, manifest: &Manifest) -> anyhow::Result<()> {
        if self.blobs != manifest.blobs || self.tables != manifest.tables {
            bail!("the file is not whole: it has less in it than it says; nothing was taken over");
        }
        Ok(())
    }
}

fn tell(manifest: &Manifest, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return print_json(&json!(manifest));
    }
    let jobs = manifest.tables.get("jobs").copied().unwrap_or(0);
    print(&format!("Took over {jobs} jobs and {} blobs, with their ids, keys and secrets.", manifest.blobs))
}
