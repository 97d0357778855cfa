//! Import: reads an export file into an empty installation. Blobs are stored as they come, all rows in one transaction.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use auris_domain::artifact::artifact_of_blob;
use auris_store::{Blobs, CarriedRow, Restoration, Store};

use super::archive::{BLOBS, FORMAT, MANIFEST, Manifest, table_of};
use super::error::Context;
use super::{Operator, OperatorError, Result};
use crate::secrets::MasterKey;

/// What to import, and into what besides the database.
pub struct ImportRequest {
    pub file: PathBuf,
    pub blobs: Blobs,
    /// The master keys of this node, the current one first.
    pub keys: Vec<MasterKey>,
    /// Where a missing `master.key` belongs; named in a message.
    pub data_dir: PathBuf,
    /// A folder for temporary files.
    pub spool_dir: PathBuf,
}

/// An import under way.
struct Importer<'a> {
    operator: &'a Operator,
    request: &'a ImportRequest,
    /// Begun with the first row.
    rows: Option<Restoration>,
    /// What was read so far, to be compared with the manifest.
    blob_count: u64,
    row_counts: BTreeMap<String, u64>,
}

impl Operator {
    /// Imports a file. Nothing is visible before all of it was read.
    pub async fn import(&self, request: &ImportRequest) -> Result<Manifest> {
        let file = request.file.display();
        let source = File::open(&request.file).context(|| format!("cannot read `{file}`"))?;
        let mut archive = tar::Archive::new(BufReader::new(source));
        let mut entries = archive.entries()?;
        let first = entries.next().ok_or_else(|| OperatorError::invalid("the file is empty"))??;
        let manifest = read_manifest(first).context(|| format!("`{file}` is not an export of Auris"))?;
        manifest.check(request)?;
        // Checked before any blob is copied in vain.
        drop(self.begin_restoration().await?);
        self.claim_blobs(&request.blobs).await?;
        let mut importer = Importer::new(self, request);
        for entry in entries {
            let entry = entry?;
            let name = entry.path()?.to_string_lossy().into_owned();
            importer.receive(&name, entry).await?;
        }
        importer.finish(&manifest).await?;
        self.agree_on_master_key(&request.keys).await?;
        Ok(manifest)
    }

    async fn begin_restoration(&self) -> Result<Restoration> {
        let restoration = self.store.restore().await?;
        restoration.ok_or_else(|| {
            OperatorError::conflict(
                "this installation already has jobs, keys or webhook endpoints. Import into an empty installation: \
                 use another database or another data folder",
            )
        })
    }
}

fn read_manifest(entry: tar::Entry<'_, impl Read>) -> Result<Manifest> {
    if entry.path()?.to_string_lossy() != MANIFEST {
        return Err(OperatorError::invalid(format!("it does not start with `{MANIFEST}`")));
    }
    Ok(serde_json::from_reader(entry).map_err(std::io::Error::from)?)
}

impl Manifest {
    fn check(&self, request: &ImportRequest) -> Result<()> {
        if self.format != FORMAT || self.schema > Store::known_schema() {
            return Err(OperatorError::conflict(format!(
                "the file was written by Auris {}, which is newer than this program; upgrade this program first",
                self.program
            )));
        }
        let own: Vec<String> = request.keys.iter().map(MasterKey::fingerprint).collect();
        if own.contains(&self.master_key) {
            return Ok(());
        }
        Err(OperatorError::conflict(format!(
            "the secrets in the file are encrypted with the master key {}, and this installation has {}. Set \
             AURIS_SECURITY__MASTER_KEY to the key of the exporting installation, or copy its `master.key` to `{}`",
            self.master_key,
            own.first().map_or("none", String::as_str),
            request.data_dir.display()
        )))
    }
}

impl<'a> Importer<'a> {
    fn new(operator: &'a Operator, request: &'a ImportRequest) -> Self {
        Self { operator, request, rows: None, blob_count: 0, row_counts: BTreeMap::new() }
    }

    async fn receive(&mut self, name: &str, entry: impl Read) -> Result<()> {
        if let Some(key) = name.strip_prefix(BLOBS) {
            return self.blob(key, entry).await.context(|| format!("the blob `{key}`"));
        }
        match table_of(name) {
            Some(table) => self.rows(table, entry).await.context(|| format!("the rows of `{table}`")),
            None => {
                let message = format!("the file contains `{name}`, which is not part of an export");
                Err(OperatorError::invalid(message))
            }
        }
    }

    async fn blob(&mut self, key: &str, mut entry: impl Read) -> Result<()> {
        if artifact_of_blob(key).is_none() {
            return Err(OperatorError::invalid("this is not the name of a blob"));
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.request.spool_dir)?;
        std::io::copy(&mut entry, &mut file)?;
        self.request.blobs.put_file(key, file.path()).await?;
        self.blob_count += 1;
        Ok(())
    }

    async fn rows(&mut self, table: &str, entry: impl Read) -> Result<()> {
        let rows = match &mut self.rows {
            Some(rows) => rows,
            None => self.rows.insert(self.operator.begin_restoration().await?),
        };
        let count = self.row_counts.entry(table.to_owned()).or_default();
        for line in BufReader::new(entry).lines() {
            let row: CarriedRow = serde_json::from_str(&line?).map_err(std::io::Error::from)?;
            rows.insert(table, &row).await?;
            *count += 1;
        }
        Ok(())
    }

    /// Commits the rows. A truncated file must not be taken for a whole one.
    async fn finish(self, manifest: &Manifest) -> Result<()> {
        if self.blob_count != manifest.blobs || self.row_counts != manifest.tables {
            let message =
                "the file is incomplete: it contains less than its manifest says. Nothing was imported";
            return Err(OperatorError::invalid(message));
        }
        let rows = self.rows.ok_or_else(|| OperatorError::invalid("the file contains no rows"))?;
        Ok(rows.commit().await?)
    }
}
