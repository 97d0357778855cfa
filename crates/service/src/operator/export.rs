//! Export: the whole installation in one file.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use auris_store::{Blobs, NamedBlob, Snapshot};
use futures::TryStreamExt;
use serde::Serialize;
use tempfile::{NamedTempFile, TempDir};

use super::archive::{BLOBS, FORMAT, MANIFEST, Manifest, rows_name};
use super::error::Context;
use super::{Operator, OperatorError, Result};
use crate::secrets::MasterKey;

/// Where to export to, and from where besides the database.
pub struct ExportRequest {
    /// The file to create. It must not exist.
    pub file: PathBuf,
    pub blobs: Blobs,
    /// The master keys of this node, the current one first.
    pub keys: Vec<MasterKey>,
    /// A folder for temporary files.
    pub spool_dir: PathBuf,
}

/// What was exported.
#[derive(Debug, Clone, Serialize)]
pub struct Export {
    pub file: PathBuf,
    pub manifest: Manifest,
}

/// The rows of a snapshot, one file per table, and the blobs that they name.
struct CopiedRows {
    folder: TempDir,
    tables: Vec<(String, u64)>,
    blobs: Vec<NamedBlob>,
}

impl Operator {
    /// Writes everything as of now to a file. Jobs that a running service accepts later are not in it.
    pub async fn export(&self, request: &ExportRequest) -> Result<Export> {
        let file = &request.file;
        if file.exists() {
            let message = format!("`{}` already exists; name another file", file.display());
            return Err(OperatorError::conflict(message));
        }
        self.agree_on_master_key(&request.keys).await?;
        let rows = self.copy_rows(&request.spool_dir).await?;
        let manifest = self.manifest(&rows, &request.keys).await?;
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let written =
            NamedTempFile::new_in(folder).context(|| format!("cannot write to `{}`", folder.display()))?;
        write_archive(written.as_file(), &manifest, &rows, request).await?;
        written.as_file().sync_all()?;
        written.persist_noclobber(file).context(|| format!("cannot write `{}`", file.display()))?;
        Ok(Export { file: file.clone(), manifest })
    }

    async fn copy_rows(&self, spool_dir: &Path) -> Result<CopiedRows> {
        let folder = tempfile::tempdir_in(spool_dir)?;
        let mut rows = CopiedRows { folder, tables: Vec::new(), blobs: Vec::new() };
        let mut snapshot = self.store.snapshot().await?;
        for table in snapshot.tables.clone() {
            let copied = rows.copy_table(&mut snapshot, &table).await;
            copied.context(|| format!("cannot read the rows of `{table}`"))?;
        }
        Ok(rows)
    }

    async fn manifest(&self, rows: &CopiedRows, keys: &[MasterKey]) -> Result<Manifest> {
        Ok(Manifest {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").into(),
            schema: self.store.schema_version().await?,
            master_key: keys.first().map(MasterKey::fingerprint).unwrap_or_default(),
            created_at: self.clock.now().timestamp().to_rfc3339(),
            tables: rows.tables.iter().cloned().collect(),
            blobs: rows.blobs.len() as u64,
            blob_bytes: rows.blobs.iter().map(|blob| blob.bytes).sum(),
        })
    }
}

impl CopiedRows {
    async fn copy_table(&mut self, snapshot: &mut Snapshot, table: &str) -> Result<()> {
        let mut file = BufWriter::new(File::create(self.folder.path().join(table))?);
        let mut rows = snapshot.rows(table);
        let mut count = 0;
        while let Some(row) = rows.try_next().await? {
            serde_json::to_writer(&mut file, &row).map_err(std::io::Error::from)?;
            file.write_all(b"\n")?;
            count += 1;
            self.blobs.extend(NamedBlob::of(table, &row)?);
        }
        self.tables.push((table.to_owned(), count));
        Ok(file.flush()?)
    }
}

async fn write_archive(
    file: &File,
    manifest: &Manifest,
    rows: &CopiedRows,
    request: &ExportRequest,
) -> Result<()> {
    let mut archive = tar::Builder::new(BufWriter::new(file));
    let text = serde_json::to_vec_pretty(manifest).map_err(std::io::Error::from)?;
    archive.append_data(&mut header(text.len() as u64), MANIFEST, text.as_slice())?;
    for NamedBlob { key, bytes } in &rows.blobs {
        let blob = read_blob(request, key).await.context(|| format!("cannot read the blob `{key}`"))?;
        let size = blob.metadata()?.len();
        if size != *bytes {
            let message = format!("the blob `{key}` has {size} bytes; its record says {bytes}");
            return Err(OperatorError::conflict(message));
        }
        archive.append_data(&mut header(size), format!("{BLOBS}{key}"), blob)?;
    }
    for (number, (table, _)) in rows.tables.iter().enumerate() {
        let file = File::open(rows.folder.path().join(table))?;
        archive.append_data(&mut header(file.metadata()?.len()), rows_name(number, table), file)?;
    }
    Ok(archive.into_inner()?.flush()?)
}

/// The blob as a file: opened in place, or downloaded to a temporary file.
async fn read_blob(request: &ExportRequest, key: &str) -> Result<File> {
    if let Some(path) = request.blobs.local_path(key) {
        return Ok(File::open(path)?);
    }
    let blob = request.blobs.get_stream(key, None).await?;
    let mut blob = blob.ok_or_else(|| OperatorError::not_found("it does not exist"))?;
    let mut file = tempfile::tempfile_in(&request.spool_dir)?;
    while let Some(chunk) = blob.stream.try_next().await? {
        file.write_all(&chunk)?;
    }
    file.rewind()?;
    Ok(file)
}

fn header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header
}
