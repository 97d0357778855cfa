//! Deleting content: by its owner, when it expires, and finally the job's record.

use auris_domain::artifact::ArtifactStatus;
use auris_domain::id::{JobId, ProjectId};
use auris_domain::time::{Millis, Timestamp};
use auris_domain::wire;

use super::artifacts::mark_artifacts;
use super::read::{decode_job, job_columns};
use super::steps::DELETED_SPEC;
use crate::crash_point::crash_point;
use crate::error::StoreError;
use crate::sql::{Tx, args, statements};
use crate::store::Store;
use crate::wakeups::Topic;

statements! {
    MARK_DELETED = concat!("UPDATE jobs SET result_deleted_at = COALESCE(result_deleted_at, $3)
        WHERE id = $1 AND project_id = $2 AND status IN ('completed', 'failed', 'cancelled') RETURNING ", job_columns!());
    EXISTS = "SELECT 1 AS one FROM jobs WHERE id = $1 AND project_id = $2";
    DELETE_RESULT = "DELETE FROM job_results WHERE job_id = $1";
    DELETE_REQUEST = "DELETE FROM job_requests WHERE job_id = $1";
    DELETE_OUTPUTS = "DELETE FROM step_outputs WHERE job_id = $1";
    DELETE_SPEAKER_NAMES = "DELETE FROM speaker_names WHERE job_id = $1";
    DELETE_PEAKS = "DELETE FROM audio_peaks WHERE job_id = $1";
    DELETE_FOLLOW_UP = "DELETE FROM follow_ups WHERE job_id = $1";
    /// A step's specification contains the caller's text.
    CLEAR_SPECS = "UPDATE steps SET spec = $2 WHERE job_id = $1";
    /// The kinds of event whose data is content.
    CLEAR_EVENTS = "UPDATE events SET data = '{}'
        WHERE job_id = $1 AND kind IN ('job.transcript.segment', 'job.task.delta')";
    /// A stored answer that contains the job's content is replaced by the job without it; the key stays used.
    STRIP_ANSWERS = "UPDATE idempotency_keys SET body = $2 WHERE job_id = $1";
    EXPIRED = "SELECT id, project_id FROM jobs
        WHERE result_deleted_at IS NULL AND expires_at <= $1 AND status IN ('completed', 'failed', 'cancelled')
        ORDER BY expires_at LIMIT $2";
    /// Only jobs whose content is already deleted, so that no blob outlives its row.
    PURGE = "DELETE FROM jobs WHERE id IN
        (SELECT id FROM jobs WHERE result_deleted_at IS NOT NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2)";
}

/// The outcome of deleting a job's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeleteOutcome {
    NotFound,
    NotFinished,
    /// The caller must now remove the blobs with these keys; no row refers to them any more.
    Deleted(Vec<String>),
}

impl Store {
    /// Deletes the content of a terminal job: result, outputs, request, content of events, artifacts. Deleting it again
    /// does nothing.
    pub async fn delete_content(
        &self,
        project: &ProjectId,
        id: &JobId,
        now: Millis,
        status: ArtifactStatus,
    ) -> Result<DeleteOutcome, StoreError> {
        let mut tx = self.database().begin().await?;
        let marked = args![id, project, now.timestamp()];
        let Some(row) = tx.row(&MARK_DELETED, marked).await? else {
            tx.rollback().await?;
            return self.not_deleted(project, id).await;
        };
        let bare = wire::job(&decode_job(&row)?, None).into_string();
        tx.write(&STRIP_ANSWERS, args![id, bare]).await?;
        let blobs = delete_rows(&mut tx, id, status).await?;
        tx.commit().await?;
        crash_point("store.delete.after_commit");
        self.wake([Topic::Job(id.clone())]);
        Ok(DeleteOutcome::Deleted(blobs))
    }

    /// Terminal jobs that have expired and still have content, oldest first.
    pub async fn expired_jobs(&self, now: Millis, limit: u32) -> Result<Vec<(ProjectId, JobId)>, StoreError> {
        let arguments = args![now.timestamp(), limit];
        let rows = self.database().many_rows(&EXPIRED, arguments).await?;
        rows.iter().map(|row| Ok((row.parsed("project_id")?, row.parsed("id")?))).collect()
    }

    /// Removes up to `limit` records of jobs that expired before the given time and returns their number.
    pub async fn purge_jobs(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.database().write(&PURGE, args![before, limit]).await
    }

    async fn not_deleted(&self, project: &ProjectId, id: &JobId) -> Result<DeleteOutcome, StoreError> {
        let row = self.database().row(&EXISTS, args![id, project]).await?;
        Ok(row.map_or(DeleteOutcome::NotFound, |_| DeleteOutcome::NotFinished))
    }
}

async fn delete_rows(tx: &mut Tx, id: &JobId, status: ArtifactStatus) -> Result<Vec<String>, StoreError> {
    let statements = [
        DELETE_RESULT,
        DELETE_REQUEST,
        DELETE_OUTPUTS,
        DELETE_SPEAKER_NAMES,
        DELETE_PEAKS,
        DELETE_FOLLOW_UP,
        CLEAR_EVENTS,
    ];
    for statement in statements {
        tx.write(&statement, args![id]).await?;
    }
    tx.write(&CLEAR_SPECS, args![id, DELETED_SPEC]).await?;
    mark_artifacts(tx, id, status).await
}
