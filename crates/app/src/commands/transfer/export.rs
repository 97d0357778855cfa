//! Writes the file: what is in it, then the blobs, then the rows that name them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use auris_domain::time::Clock;
use auris_store::{Blobs, CarriedRow, Snapshot, Store};
use futures::TryStreamExt;
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};

use super::{BLOBS, FORMAT, MANIFEST, Manifest, ROWS};
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::{data, master_key};

const PATIENCE: Duration = Duration::from_secs(1);

/// The rows of a snapshot, each table in a file of its own, and the blobs that they name.
struct Gathered {
    folder: TempDir,
    tables: Vec<(String, u64)>,
    blobs: Vec<(String, u64)>,
}

pub(crate) async fn run(file: &Path, live: bool, as_json: bool, config: &Config) -> anyhow::Result<()> {
    if file.exists() {
        bail!("`{}` exists already; name another file", file.display());
    }
    if !live {
        check_stopped(config).await?;
    }
    let store = data::open_store(config).await?;
    master_key::agreed(config, &store).await?;
    let key = master_key::existing(config)?.into_iter().next().context("there is no master key")?;
    let gathered = gather(&store, config).await?;
    let manifest = gathered.manifest(&store, key.fingerprint()).await?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written =
        NamedTempFile::new_in(folder).with_context(|| format!("cannot write to `{}`", folder.display()))?;
    write(written.as_file(), &manifest, &gathered, &data::open_blobs(config)?, config).await?;
    written.as_file().sync_all()?;
    written.persist_noclobber(file).with_context(|| format!("cannot write `{}`", file.display()))?;
    store.close().await;
    tell(&manifest, file, as_json)
}

/// What is accepted after the snapshot would stay behind.
async fn check_stopped(config: &Config) -> anyhow::Result<()> {
    let Ok(text) = std::fs::read_to_string(config.data.join("serve.json")) else { return Ok(()) };
    let told: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(address) = told["address"].as_str() else { return Ok(()) };
    let connected = tokio::time::timeout(PATIENCE, tokio::net::TcpStream::connect(address)).await;
    if matches!(connected, Ok(Ok(_))) {
        bail!(
            "the service runs on {address}: what it accepts from now on would not be in the file. Stop it first, or \
             take a snapshot of the running service with --live"
        );
    }
    Ok(())
}

async fn gather(store: &Store, config: &Config) -> anyhow::Result<Gathered> {
    let folder = tempfile::tempdir_in(&config.service.spool_dir)?;
    let mut gathered = Gathered { folder, tables: Vec::new(), blobs: Vec::new() };
    let mut snapshot = store.snapshot().await?;
    for table in snapshot.tables.clone() {
        gathered
            .take(&mut snapshot, &table)
            .await
            .with_context(|| format!("cannot read the rows of `{table}`"))?;
    }
    Ok(gathered)
}

impl Gathered {
    async fn take(&mut self, snapshot: &mut Snapshot, table: &str) -> anyhow::Result<()> {
        let mut file = BufWriter::new(File::create(self.folder.path().join(table))?);
        let (mut rows, mut count) = (snapshot.rows(table), 0);
        while let Some(row) = rows.try_next().await? {
            serde_json::to_writer(&mut file, &row)?;
            file.write_all(b"\n")?;
            count += 1;
            if table == "artifacts" {
                self.blobs.extend(blob_of(&row));
            }
        }
        self.tables.push((table.to_owned(), count));
        Ok(file.flush()?)
    }

    async fn manifest(&self, store: &Store, master_key: String) -> anyhow::Result<Manifest> {
        Ok(Manifest {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").into(),
            schema: store.schema_version().await?,
            master_key,
            created_at: Clock::System.now().timestamp().to_rfc3339(),
            tables: self.tables.iter().cloned().collect::<BTreeMap<_, _>>(),
            blobs: self.blobs.len() as u64,
            blob_bytes: self.blobs.iter().map(|(_, bytes)| bytes).sum(),
        })
    }
}

fn blob_of(row: &CarriedRow) -> Option<(String, u64)> {
    let is_there = row.get("status")? == "available";
    let (key, bytes) = (row.get("blob_key")?.as_str()?, row.get("bytes")?.as_u64()?);
    is_there.then(|| (key.to_owned(), bytes))
}

async fn write(
    file: &File,
    manifest: &Manifest,
    gathered: &Gathered,
    blobs: &Blobs,
    config: &Config,
) -> anyhow::Result<()> {
    let mut archive = tar::Builder::new(BufWriter::new(file));
    let text = serde_json::to_vec_pretty(manifest)?;
    archive.append_data(&mut header(text.len() as u64), MANIFEST, text.as_slice())?;
    for (key, bytes) in &gathered.blobs {
        let blob =
            fetch(blobs, key, config).await.with_context(|| format!("cannot read the blob `{key}`"))?;
        if blob.metadata()?.len() != *bytes {
            bail!("the blob `{key}` has {} bytes; its record says {bytes}", blob.metadata()?.len());
        }
        archive.append_data(&mut header(*bytes), format!("{BLOBS}{key}"), blob)?;
    }
    for (number, (table, _)) in gathered.tables.iter().enumerate() {
        let rows = File::open(gathered.folder.path().join(table))?;
        let name = format!("{ROWS}{number:02}-{table}.jsonl");
        archive.append_data(&mut header(rows.metadata()?.len()), name, rows)?;
    }
    Ok(archive.into_inner()?.flush()?)
}

/// The blob as a file: in place, or fetched for the time being.
async fn fetch(blobs: &Blobs, key: &str, config: &Config) -> anyhow::Result<File> {
    if let Some(path) = blobs.local_path(key) {
        return Ok(File::open(path)?);
    }
    let mut blob = blobs.get_stream(key, None).await?.context("it is not there")?;
    let mut file = tempfile::tempfile_in(&config.service.spool_dir)?;
    while let Some(chunk) = blob.stream.try_next().await? {
        file.write_all(&chunk)?;
    }
    std::io::Seek::rewind(&mut file)?;
    Ok(file)
}

fn header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header
}

fn tell(manifest: &Manifest, file: &Path, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return print_json(&json!({"file": file, "manifest": manifest}));
    }
    let jobs = manifest.tables.get("jobs").copied().unwrap_or(0);
    print(&format!(
        "Wrote {jobs} jobs and {} blobs to `{}`. It opens only with the master key {}: take that along too.",
        manifest.blobs,
        file.display(),
        manifest.master_key
    ))
}
