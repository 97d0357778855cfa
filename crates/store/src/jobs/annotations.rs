//! What the console adds to a job: names of speakers, the waveform of the recording, and analyses of it.

use auris_domain::id::{JobId, ProjectId, StepId};
use auris_domain::job::{Job, JobStatus};
use auris_domain::metadata::Metadata;
use auris_domain::wire::JsonText;
use strum::{EnumString, IntoStaticStr};

use super::read::{decode_job, job_columns};
use crate::error::StoreError;
use crate::sql::{Row, Tx, Unread, args, statements};
use crate::store::Store;

/// The job `$1` and the text `$2`, if the job still has its content. PostgreSQL locks the job's row, so that content that
/// is being deleted at the same time is not added again.
macro_rules! unless_deleted {
    ($lock:literal) => {
        concat!(
            "SELECT jobs.id, CAST($2 AS TEXT) FROM jobs WHERE jobs.id = $1 AND jobs.result_deleted_at IS NULL",
            $lock
        )
    };
}

statements! {
    SET_SPEAKER_NAMES = concat!("INSERT INTO speaker_names (job_id, names) ", unless_deleted!(""), "
            ON CONFLICT (job_id) DO UPDATE SET names = excluded.names"),
        postgres = concat!("INSERT INTO speaker_names (job_id, names) ", unless_deleted!(" FOR SHARE"), "
            ON CONFLICT (job_id) DO UPDATE SET names = excluded.names");
    SPEAKER_NAMES = "SELECT names FROM speaker_names WHERE job_id = $1";
    SET_PEAKS = concat!("INSERT INTO audio_peaks (job_id, peaks) ", unless_deleted!(""), "
            ON CONFLICT (job_id) DO UPDATE SET peaks = excluded.peaks"),
        postgres = concat!("INSERT INTO audio_peaks (job_id, peaks) ", unless_deleted!(" FOR SHARE"), "
            ON CONFLICT (job_id) DO UPDATE SET peaks = excluded.peaks");
    PEAKS = "SELECT peaks FROM audio_peaks WHERE job_id = $1";
    ANALYSES_OF = "SELECT analysis_id FROM analyses_of WHERE job_id = $1 ORDER BY analysis_id";
    LATEST_ANALYSES = concat!("SELECT ", job_columns!(), " FROM analyses_of
            JOIN jobs ON jobs.id = analyses_of.analysis_id
        WHERE analyses_of.job_id = $1 ORDER BY analyses_of.analysis_id DESC LIMIT $2");
    RESULTS_OF_ANALYSES = "SELECT job_id, result FROM job_results WHERE job_id IN
            (SELECT analysis_id FROM analyses_of WHERE analyses_of.job_id = $1 ORDER BY analysis_id DESC LIMIT $2)";
    RESULT_BYTES_OF_ANALYSES = "SELECT CAST(COALESCE(SUM(octet_length(result)), 0) AS BIGINT) AS bytes
        FROM job_results WHERE job_id IN
            (SELECT analysis_id FROM analyses_of WHERE analyses_of.job_id = $1 ORDER BY analysis_id DESC LIMIT $2)";
    /// The steps of a job and of the analyses of its recording.
    ATTEMPTS = "SELECT id, attempt FROM steps WHERE job_id IN
            (SELECT CAST($1 AS TEXT) UNION ALL SELECT analysis_id FROM analyses_of WHERE job_id = $1)
        ORDER BY id";
    /// An analysis is newer than the job whose recording it uses.
    METADATA_OF_RECORDING = "SELECT metadata FROM jobs WHERE id IN
            (SELECT CAST($1 AS TEXT) UNION ALL SELECT job_id FROM analyses_of WHERE analysis_id = $1)
        ORDER BY id DESC";
    INSERT_ANALYSIS_OF: BatchedWrite = "INSERT INTO analyses_of (job_id, analysis_id) VALUES ($1, $2)";
    INSERT_FOLLOW_UP: BatchedWrite = "INSERT INTO follow_ups (job_id, project_id, request, status)
        VALUES ($1, $2, $3, 'waiting')";
    FOLLOW_UP = "SELECT job_id, project_id, request, status, error FROM follow_ups WHERE job_id = $1";
    /// Follow-ups whose transcription has ended.
    DUE_FOLLOW_UPS = "SELECT follow_ups.job_id, follow_ups.project_id, follow_ups.request, follow_ups.status,
            follow_ups.error FROM follow_ups JOIN jobs ON jobs.id = follow_ups.job_id
        WHERE follow_ups.status = 'waiting' AND jobs.status IN ('completed', 'failed', 'cancelled')
        ORDER BY follow_ups.job_id LIMIT $1";
    END_FOLLOW_UP = "UPDATE follow_ups SET status = $2, error = $3, request = '' WHERE job_id = $1 AND status = 'waiting'";
}

/// What ties a new job to another one.
#[derive(Debug, Clone, Default)]
pub struct JobLinks {
    /// The job whose recording is analysed.
    pub analysed: Option<JobId>,
    /// The request for an analysis that starts when the job has completed.
    pub follow_up: Option<String>,
}

/// An analysis that was requested together with a transcription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    /// The transcription.
    pub job: JobId,
    pub project: ProjectId,
    /// The request; empty when it was submitted or has failed.
    pub request: String,
    pub status: FollowUpStatus,
    pub error: Option<String>,
}

/// How far a follow-up is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FollowUpStatus {
    Waiting,
    Submitted,
    Failed,
}

impl FollowUpStatus {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Store {
    /// Replaces the names of a job's speakers; false if the job's content was deleted.
    pub async fn set_speaker_names(&self, job: &JobId, names: &JsonText) -> Result<bool, StoreError> {
        Ok(self.database().write(&SET_SPEAKER_NAMES, args![job, names.to_string()]).await? > 0)
    }

    pub async fn speaker_names(&self, job: &JobId) -> Result<Option<JsonText>, StoreError> {
        let row = self.database().row(&SPEAKER_NAMES, args![job]).await?;
        row.map(|row| row.json_text("names")).transpose()
    }

    /// Stores the waveform of a job's recording; false if the job's content was deleted.
    pub async fn set_peaks(&self, job: &JobId, peaks: &JsonText) -> Result<bool, StoreError> {
        Ok(self.database().write(&SET_PEAKS, args![job, peaks.to_string()]).await? > 0)
    }

    pub async fn peaks(&self, job: &JobId) -> Result<Option<JsonText>, StoreError> {
        let row = self.database().row(&PEAKS, args![job]).await?;
        row.map(|row| row.json_text("peaks")).transpose()
    }

    /// The analyses of a job's recording, oldest first.
    pub async fn analyses_of(&self, job: &JobId) -> Result<Vec<JobId>, StoreError> {
        let rows = self.database().rows(&ANALYSES_OF, args![job]).await?;
        rows.iter().map(|row| row.parsed("analysis_id")).collect()
    }

    /// The latest analyses of a job's recording without their results, newest first.
    pub async fn latest_analyses(&self, job: &JobId, limit: u32) -> Result<Vec<Job>, StoreError> {
        let rows = self.database().rows(&LATEST_ANALYSES, args![job, limit]).await?;
        let mut analyses: Vec<Job> = rows.iter().map(decode_job).collect::<Result<_, _>>()?;
        for job in &mut analyses {
            if job.status() == JobStatus::Queued {
                job.progress.queue_position = Some(self.queue_position(&job.project_id, &job.id).await?);
            }
        }
        Ok(analyses)
    }

    /// The results of the latest analyses of a job's recording that have one.
    pub async fn results_of_analyses(
        &self,
        job: &JobId,
        limit: u32,
    ) -> Result<Unread<Vec<(JobId, JsonText)>>, StoreError> {
        let rows = self.database().many_rows(&RESULTS_OF_ANALYSES, args![job, limit]).await?;
        let decode = |row: Row| Ok((row.parsed("job_id")?, row.json_text("result")?));
        Ok(Unread::of_rows(rows, move |rows| rows.into_iter().map(decode).collect()))
    }

    /// The bytes of the results of the latest analyses of a job's recording.
    pub async fn result_bytes_of_analyses(&self, job: &JobId, limit: u32) -> Result<u64, StoreError> {
        let row = self.database().row(&RESULT_BYTES_OF_ANALYSES, args![job, limit]).await?;
        row.map_or(Ok(0), |row| row.count("bytes"))
    }

    /// How often each step of a job and of the analyses of its recording was started.
    pub async fn step_attempts(&self, job: &JobId) -> Result<Vec<(StepId, i64)>, StoreError> {
        let rows = self.database().many_rows(&ATTEMPTS, args![job]).await?;
        rows.iter().map(|row| Ok((row.parsed("id")?, row.integer("attempt")?))).collect()
    }

    /// The metadata of a job, and then of the job whose recording it analyzes.
    pub async fn metadata_of_recording(&self, job: &JobId) -> Result<Vec<Metadata>, StoreError> {
        let rows = self.database().rows(&METADATA_OF_RECORDING, args![job]).await?;
        rows.iter().map(|row| row.json("metadata")).collect()
    }

    pub async fn follow_up(&self, job: &JobId) -> Result<Option<FollowUp>, StoreError> {
        let row = self.database().row(&FOLLOW_UP, args![job]).await?;
        row.as_ref().map(decode_follow_up).transpose()
    }

    /// Up to `limit` follow-ups whose transcription has ended.
    pub async fn due_follow_ups(&self, limit: u32) -> Result<Vec<FollowUp>, StoreError> {
        let rows = self.database().many_rows(&DUE_FOLLOW_UPS, args![limit]).await?;
        rows.iter().map(decode_follow_up).collect()
    }

    /// Records that a follow-up was submitted or has failed.
    pub async fn end_follow_up(
        &self,
        job: &JobId,
        status: FollowUpStatus,
        error: Option<String>,
    ) -> Result<(), StoreError> {
        self.database().write(&END_FOLLOW_UP, args![job, status.as_str(), error]).await.map(drop)
    }
}

/// Adds the links of a new job to its transaction.
pub(super) async fn insert_links(tx: &mut Tx, job: &Job, links: &JobLinks) -> Result<(), StoreError> {
    if let Some(analysed) = &links.analysed {
        tx.write_later(&INSERT_ANALYSIS_OF, args![analysed, &job.id]).await?;
    }
    if let Some(request) = &links.follow_up {
        tx.write_later(&INSERT_FOLLOW_UP, args![&job.id, &job.project_id, request]).await?;
    }
    Ok(())
}

fn decode_follow_up(row: &Row) -> Result<FollowUp, StoreError> {
    Ok(FollowUp {
        job: row.parsed("job_id")?,
        project: row.parsed("project_id")?,
        request: row.text("request")?,
        status: row.parsed("status")?,
        error: row.optional_text("error")?,
    })
}
