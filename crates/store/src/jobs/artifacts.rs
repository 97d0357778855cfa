//! Artifacts: the records of retained content.

use std::collections::HashMap;

use auris_domain::artifact::{Artifact, ArtifactStatus};
use auris_domain::id::{ArtifactId, JobId, ProjectId};
use auris_domain::time::Timestamp;

use crate::error::StoreError;
use crate::sql::{Row, Tx, args, listed_in_postgres, listed_in_sqlite, rows_argument, statements};
use crate::store::Store;

macro_rules! artifact_columns {
    () => {
        "id, project_id, job_id, purpose, media_type, bytes, status, created_at, expires_at, blob_key"
    };
}

statements! {
    INSERT_ARTIFACT: BatchedWrite = concat!("INSERT INTO artifacts (", artifact_columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");
    ARTIFACT = concat!("SELECT ", artifact_columns!(), " FROM artifacts WHERE id = $1");
    ARTIFACTS_OF = concat!("SELECT ", artifact_columns!(), " FROM artifacts WHERE job_id = $1 ORDER BY id");
    DELETE_ARTIFACT = "UPDATE artifacts SET status = 'deleted'
        WHERE id = $1 AND project_id = $2 AND status = 'available' RETURNING blob_key";
    /// The waveform of a recording is content too.
    DELETE_PEAKS_OF_ARTIFACT = "DELETE FROM audio_peaks
        WHERE job_id = (SELECT job_id FROM artifacts WHERE id = $1 AND purpose = 'input.audio')";
    MARK_ARTIFACTS = "UPDATE artifacts SET status = $2 WHERE job_id = $1 AND status = 'available'";
    BLOB_KEYS = "SELECT blob_key FROM artifacts WHERE job_id = $1 ORDER BY id";
    STATUSES = concat!("SELECT id, status FROM artifacts WHERE ", listed_in_sqlite!("id", "$1")),
        postgres = concat!("SELECT id, status FROM artifacts WHERE ", listed_in_postgres!("id", "$1"));
    KNOWN_BEFORE = concat!("SELECT 1 AS known FROM artifacts WHERE created_at < $2 AND ", listed_in_sqlite!("id", "$1"), " LIMIT 1"),
        postgres = concat!("SELECT 1 AS known FROM artifacts WHERE created_at < $2 AND ", listed_in_postgres!("id", "$1"),
            " LIMIT 1");
    /// The limit is inside, so that a database in which everything has expired is not read as a whole.
    RECENT_BLOBS = "SELECT blob_key FROM
            (SELECT blob_key, status, created_at FROM artifacts ORDER BY id DESC LIMIT $1) AS recent
        WHERE status = 'available' AND created_at < $2";
    AVAILABLE_PAGE = concat!("SELECT ", artifact_columns!(), " FROM artifacts
        WHERE id > $1 AND status = 'available' ORDER BY id LIMIT $2");
}

/// The outcome of deleting an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactDeletion {
    /// The project has no such artifact.
    NotFound,
    /// Its content was deleted or expired before.
    AlreadyGone,
    /// The caller must now remove the blob with this key.
    Deleted(String),
}

impl Store {
    /// The artifact, if it belongs to the project.
    pub async fn artifact(
        &self,
        project: &ProjectId,
        id: &ArtifactId,
    ) -> Result<Option<Artifact>, StoreError> {
        let artifact = self.artifact_by_id(id).await?;
        Ok(artifact.filter(|artifact| artifact.project_id == *project))
    }

    /// The artifact of any project, for signed addresses, which only the owner can obtain.
    pub async fn artifact_by_id(&self, id: &ArtifactId) -> Result<Option<Artifact>, StoreError> {
        let row = self.database().row(&ARTIFACT, args![id]).await?;
        row.as_ref().map(decode_artifact).transpose()
    }

    /// All artifacts of a job, oldest first.
    pub async fn artifacts_of(&self, job: &JobId) -> Result<Vec<Artifact>, StoreError> {
        let rows = self.database().rows(&ARTIFACTS_OF, args![job]).await?;
        rows.iter().map(decode_artifact).collect()
    }

    /// Marks an artifact as deleted.
    pub async fn delete_artifact(
        &self,
        project: &ProjectId,
        id: &ArtifactId,
    ) -> Result<ArtifactDeletion, StoreError> {
        let mut tx = self.database().begin().await?;
        let row = tx.row(&DELETE_ARTIFACT, args![id, project]).await?;
        let key = row.map(|row| row.text("blob_key")).transpose()?;
        if key.is_some() {
            tx.write(&DELETE_PEAKS_OF_ARTIFACT, args![id]).await?;
        }
        tx.commit().await?;
        if let Some(key) = key {
            return Ok(ArtifactDeletion::Deleted(key));
        }
        let found = self.artifact(project, id).await?;
        Ok(found.map_or(ArtifactDeletion::NotFound, |_| ArtifactDeletion::AlreadyGone))
    }

    /// The status of each of the artifacts that exists.
    pub async fn artifact_statuses(
        &self,
        ids: &[ArtifactId],
    ) -> Result<HashMap<ArtifactId, ArtifactStatus>, StoreError> {
        let rows = self.database().many_rows(&STATUSES, vec![rows_argument(ids)?]).await?;
        rows.iter().map(|row| Ok((row.parsed("id")?, row.parsed("status")?))).collect()
    }

    /// Whether one of the artifacts exists and was created before the given time.
    pub async fn knows_artifact(&self, ids: &[ArtifactId], before: Timestamp) -> Result<bool, StoreError> {
        let arguments = vec![rows_argument(ids)?, before.into()];
        Ok(!self.database().many_rows(&KNOWN_BEFORE, arguments).await?.is_empty())
    }

    /// The keys of the newest blobs that should exist: those among the last `limit` artifacts that were created before
    /// the given time.
    pub async fn recent_blob_keys(&self, limit: u32, before: Timestamp) -> Result<Vec<String>, StoreError> {
        let rows = self.database().rows(&RECENT_BLOBS, args![limit, before]).await?;
        rows.iter().map(|row| row.text("blob_key")).collect()
    }

    /// Up to `limit` available artifacts of all projects after the given one, in the order of their ids.
    pub async fn available_artifacts(
        &self,
        after: Option<&ArtifactId>,
        limit: u32,
    ) -> Result<Vec<Artifact>, StoreError> {
        let after = after.map_or("", ArtifactId::as_str);
        let rows = self.database().many_rows(&AVAILABLE_PAGE, args![after, limit]).await?;
        rows.iter().map(decode_artifact).collect()
    }
}

pub(crate) async fn insert_artifacts(tx: &mut Tx, artifacts: &[Artifact]) -> Result<(), StoreError> {
    for artifact in artifacts {
        let arguments = args![
            &artifact.id,
            &artifact.project_id,
            &artifact.job_id,
            artifact.purpose.as_str(),
            &artifact.media_type,
            artifact.bytes,
            artifact.status.as_str(),
            artifact.created_at,
            artifact.expires_at,
            &artifact.blob_key,
        ];
        tx.write_later(&INSERT_ARTIFACT, arguments).await?;
    }
    Ok(())
}

/// Marks the job's available artifacts and returns the blob keys of all its artifacts, so that a removal that was
/// interrupted by a crash is completed.
pub(crate) async fn mark_artifacts(
    tx: &mut Tx,
    job: &JobId,
    status: ArtifactStatus,
) -> Result<Vec<String>, StoreError> {
    tx.write(&MARK_ARTIFACTS, args![job, status.as_str()]).await?;
    let rows = tx.rows(&BLOB_KEYS, args![job]).await?;
    rows.iter().map(|row| row.text("blob_key")).collect()
}

fn decode_artifact(row: &Row) -> Result<Artifact, StoreError> {
    Ok(Artifact {
        id: row.parsed("id")?,
        project_id: row.parsed("project_id")?,
        job_id: row.parsed("job_id")?,
        purpose: row.parsed("purpose")?,
        media_type: row.text("media_type")?,
        bytes: row.count("bytes")?,
        status: row.parsed("status")?,
        created_at: row.moment("created_at")?,
        expires_at: row.moment("expires_at")?,
        blob_key: row.text("blob_key")?,
    })
}
