//! Artifacts: the records of retained content.

use auris_domain::artifact::{Artifact, ArtifactStatus, Purpose};
use auris_domain::id::{ArtifactId, JobId, ProjectId};
use auris_domain::time::Millis;

use crate::db::{Row, Tx, args};
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

macro_rules! artifact_columns {
    () => {
        "id, project_id, job_id, purpose, media_type, bytes, status, created_at, expires_at, blob_key"
    };
}

statements! {
    INSERT_ARTIFACT = concat!("INSERT INTO artifacts (", artifact_columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");
    ARTIFACT = concat!("SELECT ", artifact_columns!(), " FROM artifacts WHERE id = $1");
    ARTIFACTS_OF = concat!("SELECT ", artifact_columns!(), " FROM artifacts WHERE job_id = $1 ORDER BY id");
    DELETE_ARTIFACT = "UPDATE artifacts SET status = 'deleted'
        WHERE id = $1 AND project_id = $2 AND status = 'available' RETURNING blob_key";
    MARK_ARTIFACTS = "UPDATE artifacts SET status = $2 WHERE job_id = $1 AND status = 'available'";
    BLOB_KEYS = "SELECT blob_key FROM artifacts WHERE job_id = $1 ORDER BY id";
    IS_AVAILABLE = "SELECT id FROM artifacts WHERE id = $1 AND status = 'available'";
}

impl Store {
    /// The artifact, if it is this project's.
    pub async fn artifact(
        &self,
        project: &ProjectId,
        id: &ArtifactId,
    ) -> Result<Option<Artifact>, StoreError> {
        let artifact = self.artifact_by_id(id).await?;
        Ok(artifact.filter(|artifact| artifact.project_id == *project))
    }

    /// The artifact, whoever's it is: for addresses that were signed for their owner.
    pub async fn artifact_by_id(&self, id: &ArtifactId) -> Result<Option<Artifact>, StoreError> {
        let row = self.database().row(&ARTIFACT, args![id]).await?;
        row.as_ref().map(decode_artifact).transpose()
    }

    /// All artifacts of a job, oldest first.
    pub async fn artifacts_of(&self, job: &JobId) -> Result<Vec<Artifact>, StoreError> {
        let rows = self.database().rows(&ARTIFACTS_OF, args![job]).await?;
        rows.iter().map(decode_artifact).collect()
    }

    /// Marks an artifact as deleted. `None`: the project has no such artifact. `Some(None)`: its content was gone already.
    /// `Some(Some(key))`: the blob to remove now.
    pub async fn delete_artifact(
        &self,
        project: &ProjectId,
        id: &ArtifactId,
        _now: Millis,
    ) -> Result<Option<Option<String>>, StoreError> {
        let mut tx = self.database().begin().await?;
        let row = tx.row(&DELETE_ARTIFACT, args![id, project]).await?;
        let key = row.map(|row| row.text("blob_key")).transpose()?;
        tx.commit().await?;
        match key {
            Some(key) => Ok(Some(Some(key))),
            None => Ok(self.artifact(project, id).await?.map(|_| None)),
        }
    }

    /// Those of `ids` whose blob must stay; the blobs of all others are orphans.
    pub async fn artifact_exists(&self, ids: &[ArtifactId]) -> Result<Vec<ArtifactId>, StoreError> {
        let mut existing = Vec::new();
        for id in ids {
            if self.database().row(&IS_AVAILABLE, args![id]).await?.is_some() {
                existing.push(id.clone());
            }
        }
        Ok(existing)
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
        tx.later(&INSERT_ARTIFACT, arguments).await?;
    }
    Ok(())
}

/// Marks what is still there and returns every blob key of the job: a removal that a crash cut short is made up for.
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
        purpose: row.word("purpose", Purpose::parse)?,
        media_type: row.text("media_type")?,
        bytes: row.count("bytes")?,
        status: row.word("status", ArtifactStatus::parse)?,
        created_at: row.moment("created_at")?,
        expires_at: row.moment("expires_at")?,
        blob_key: row.text("blob_key")?,
    })
}
