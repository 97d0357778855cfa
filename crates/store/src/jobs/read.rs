//! Reading jobs: one, a page, or a whole run.

use auris_domain::id::{JobId, ProjectId};
use auris_domain::job::{Job, JobDetails, JobRequest, JobRun, JobState, JobStatus, Progress};
use auris_domain::machine::Run;
use auris_domain::step::{EndColumns, Step};
use auris_domain::wire::JsonText;

use super::content_bytes::SMALL_CONTENT_BYTES;
use super::steps::{decode_step, decode_step_with_work, decode_steps, step_columns};
use crate::error::StoreError;
use crate::sql::{
    Row, Tx, Unread, args, listed_in_postgres, listed_in_sqlite, rows_argument, statements, to_seconds,
};
use crate::store::Store;

/// Sorts after every job id, in any collation.
const AFTER_ALL_JOBS: &str = "job_zzzzzzzzzzzzzzzzzzzzz";
/// Maximum queue position that is reported. Counting further would cost more than the exact number is worth.
const MAX_POSITION: u64 = 1000;

macro_rules! job_columns {
    () => {
        "jobs.id, jobs.project_id, jobs.operation, jobs.status, jobs.version, jobs.event_seq, jobs.created_at,
         jobs.started_at, jobs.completed_at, jobs.expires_at, jobs.result_deleted_at, jobs.percent,
         jobs.completed_steps, jobs.total_steps, jobs.current_steps, jobs.audio_processed_ms, jobs.audio_total_ms,
         jobs.failure_policy, jobs.max_cost_usd, jobs.webhook_url, jobs.error, jobs.usage, jobs.metadata"
    };
}
pub(crate) use job_columns;

statements! {
    JOB = concat!("SELECT ", job_columns!(), ", CAST(octet_length(result) AS BIGINT) AS result_bytes,
            CASE WHEN octet_length(result) <= CAST($3 AS BIGINT) THEN result END AS result
        FROM jobs LEFT JOIN job_results ON job_id = id WHERE id = $1 AND project_id = $2");
    FULL_RESULT = "SELECT result FROM job_results WHERE job_id = $1";
    /// PostgreSQL compares pairs, as in `PAGE`.
    QUEUE_POSITION = "SELECT COUNT(*) AS ahead FROM
            (SELECT 1 FROM jobs WHERE status = 'queued' AND project_id = $1 AND id < $2 LIMIT 1000) AS earlier",
        postgres = "SELECT COUNT(*) AS ahead FROM
            (SELECT 1 FROM jobs WHERE status = 'queued' AND (project_id, id) > ($1, '') AND (project_id, id) < ($1, $2)
                LIMIT 1000) AS earlier";
    REQUEST = "SELECT request FROM job_requests WHERE job_id = $1";
    /// PostgreSQL compares pairs, because its generic plan does not know the project: otherwise it would scan the primary
    /// key through the jobs of all projects.
    PAGE = concat!("SELECT ", job_columns!(), ", light AS result FROM jobs LEFT JOIN job_results ON job_id = id
            WHERE project_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
        postgres = concat!("SELECT ", job_columns!(), ", light AS result FROM jobs LEFT JOIN job_results ON job_id = id
            WHERE (project_id, id) > ($1, '') AND (project_id, id) < ($1, $2)
            ORDER BY project_id DESC, id DESC LIMIT $3");
    /// Jobs with their steps, in one statement, so that both are of the same version.
    RUNS = concat!("SELECT ", job_columns!(), ", ", step_columns!(), "
            FROM jobs JOIN steps ON steps.job_id = jobs.id
            WHERE ", listed_in_sqlite!("jobs.id", "$1"), " ORDER BY jobs.id, steps.ordinal"),
        postgres = concat!("SELECT ", job_columns!(), ", ", step_columns!(), "
            FROM jobs JOIN steps ON steps.job_id = jobs.id
            WHERE ", listed_in_postgres!("jobs.id", "$1"), " ORDER BY jobs.id, steps.ordinal");
    /// The same with the specs of the steps that can be claimed.
    CLAIMABLE_RUNS = concat!("SELECT ", job_columns!(), ", ", step_columns!(), ",
            CASE steps.status WHEN 'queued' THEN steps.spec END AS spec
            FROM jobs JOIN steps ON steps.job_id = jobs.id
            WHERE ", listed_in_sqlite!("jobs.id", "$1"), " ORDER BY jobs.id, steps.ordinal"),
        postgres = concat!("SELECT ", job_columns!(), ", ", step_columns!(), ",
            CASE steps.status WHEN 'queued' THEN steps.spec END AS spec
            FROM jobs JOIN steps ON steps.job_id = jobs.id
            WHERE ", listed_in_postgres!("jobs.id", "$1"), " ORDER BY jobs.id, steps.ordinal");
}

/// A job and its result: the full result if one job is read, the light one in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredJob {
    pub job: Job,
    /// `None` also if the result is large.
    pub result: Option<JsonText>,
    /// The bytes of a large result, which `large_result` reads.
    pub large_result_bytes: Option<u64>,
}

/// A run and the version at which it was loaded; `commit_run` refuses it if the stored version has changed.
#[derive(Debug, Clone)]
pub struct VersionedRun {
    pub run: Run,
    pub version: i64,
}

impl Store {
    /// The job, if it belongs to the project, with its result unless that is large.
    pub async fn job(&self, project: &ProjectId, id: &JobId) -> Result<Option<StoredJob>, StoreError> {
        let Some(row) = self.database().row(&JOB, args![id, project, SMALL_CONTENT_BYTES]).await? else {
            return Ok(None);
        };
        let mut stored = decode_stored(&row)?;
        let result_bytes = row.optional_integer("result_bytes")?.filter(|bytes| *bytes > SMALL_CONTENT_BYTES);
        stored.large_result_bytes = result_bytes.map(|bytes| bytes as u64);
        if stored.job.status() == JobStatus::Queued {
            stored.job.progress.queue_position = Some(self.queue_position(project, id).await?);
        }
        Ok(Some(stored))
    }

    /// The result of a job; `None` if it has none, or no longer.
    pub async fn large_result(&self, id: &JobId) -> Result<Option<Unread<JsonText>>, StoreError> {
        let row = self.database().many_rows(&FULL_RESULT, args![id]).await?.pop();
        Ok(row.map(|row| Unread::of_row(row, |row| row.json_text("result"))))
    }

    /// What the job's steps need beyond their specs; `None` if its content was deleted.
    pub async fn job_request(&self, id: &JobId) -> Result<Option<JobRequest>, StoreError> {
        let row = self.database().row(&REQUEST, args![id]).await?;
        // A transcription of the first release stored null.
        row.map(|row| Ok(row.json::<Option<JobRequest>>("request")?.unwrap_or_default())).transpose()
    }

    /// A page of a project's jobs, newest first, that begins after the given job; and whether there are more.
    pub async fn list_jobs(
        &self,
        project: &ProjectId,
        after: Option<&JobId>,
        limit: u32,
    ) -> Result<(Vec<StoredJob>, bool), StoreError> {
        let before = after.map_or(AFTER_ALL_JOBS, JobId::as_str);
        let arguments = args![project, before, i64::from(limit) + 1];
        let mut rows = self.database().many_rows(&PAGE, arguments).await?;
        let has_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let mut jobs: Vec<StoredJob> = rows.iter().map(decode_stored).collect::<Result<_, _>>()?;
        self.fill_positions(&mut jobs).await?;
        Ok((jobs, has_more))
    }

    /// The job with its steps, to apply a command to. The steps have no work.
    pub async fn load_run(&self, id: &JobId) -> Result<Option<VersionedRun>, StoreError> {
        let rows = self.database().rows(&RUNS, vec![rows_argument(&[id])?]).await?;
        let runs = decode_runs(&rows, decode_step)?;
        Ok(runs.into_iter().next())
    }

    /// The number of queued jobs of the project that are older than this one, which need not be stored yet.
    pub async fn queue_position(&self, project: &ProjectId, id: &JobId) -> Result<u64, StoreError> {
        let row = self.database().row(&QUEUE_POSITION, args![project, id]).await?;
        row.map_or(Ok(0), |row| row.count("ahead"))
    }

    /// Counts the queue only up to the page's oldest job. A page leaves out no job of its project, so the positions of the
    /// others follow from it.
    async fn fill_positions(&self, jobs: &mut [StoredJob]) -> Result<(), StoreError> {
        let all = jobs.iter_mut().map(|stored| &mut stored.job);
        let queued: Vec<&mut Job> = all.filter(|job| job.status() == JobStatus::Queued).collect();
        let Some(oldest) = queued.last() else {
            return Ok(());
        };
        let ahead = self.queue_position(&oldest.project_id, &oldest.id).await?;
        for (offset, job) in queued.into_iter().rev().enumerate() {
            job.progress.queue_position = Some((ahead + offset as u64).min(MAX_POSITION));
        }
        Ok(())
    }
}

/// Several jobs with their steps, ordered by id, in a transaction that has locked the jobs' rows. Queued steps have their
/// work.
pub(crate) async fn load_claimable_in(tx: &mut Tx, ids: &[&str]) -> Result<Vec<VersionedRun>, StoreError> {
    let rows = tx.rows(&CLAIMABLE_RUNS, vec![rows_argument(ids)?]).await?;
    decode_runs(&rows, decode_step_with_work)
}

/// The rows of one job follow each other. A job has at least one step, so without a row there is no job.
fn decode_runs(
    rows: &[Row],
    decode: fn(&Row) -> Result<Step, StoreError>,
) -> Result<Vec<VersionedRun>, StoreError> {
    let ids: Vec<String> = rows.iter().map(|row| row.text("id")).collect::<Result<_, _>>()?;
    let mut runs = Vec::new();
    let mut rest = rows;
    for same in ids.chunk_by(|one, next| one == next) {
        let (own, others) = rest.split_at(same.len());
        let run = Run { job: decode_job(&own[0])?, steps: decode_steps(own, decode)? };
        runs.push(VersionedRun { run, version: own[0].integer("version")? });
        rest = others;
    }
    Ok(runs)
}

pub(crate) fn decode_stored(row: &Row) -> Result<StoredJob, StoreError> {
    let result = row.optional_json_text("result")?;
    Ok(StoredJob { job: decode_job(row)?, result, large_result_bytes: None })
}

pub(crate) fn decode_job(row: &Row) -> Result<Job, StoreError> {
    let details = JobDetails {
        id: row.parsed("id")?,
        project_id: row.parsed("project_id")?,
        operation: row.parsed("operation")?,
        created_at: row.moment("created_at")?,
        progress: decode_progress(row)?,
        metadata: row.json("metadata")?,
        expires_at: row.moment("expires_at")?,
        result_deleted_at: row.optional_moment("result_deleted_at")?,
        failure_policy: row.parsed("failure_policy")?,
        max_cost_usd: row.optional_parsed("max_cost_usd")?,
        webhook_url: row.optional_text("webhook_url")?,
    };
    Ok(Job::restore(details, decode_job_run(row)?))
}

fn decode_job_run(row: &Row) -> Result<JobRun, StoreError> {
    let end = EndColumns {
        at: row.optional_moment("completed_at")?,
        error: row.optional_json("error")?,
        usage: row.optional_json("usage")?,
    };
    let state = JobState::from_columns(row.parsed("status")?, end)
        .ok_or_else(|| StoreError::Corrupt("an ended job has no end time, error or usage".into()))?;
    Ok(JobRun { state, started_at: row.optional_moment("started_at")? })
}

/// Reads a job's progress from the row that an update returned.
pub(crate) fn decode_progress_into(row: &Row, progress: &mut Progress) -> Result<(), StoreError> {
    progress.percent = decode_percent(row)?;
    progress.audio_seconds_processed = row.optional_integer("audio_processed_ms")?.map(to_seconds);
    progress.audio_seconds_total = row.optional_integer("audio_total_ms")?.map(to_seconds);
    Ok(())
}

fn decode_percent(row: &Row) -> Result<u8, StoreError> {
    u8::try_from(row.integer("percent")?)
        .map_err(|_| StoreError::Corrupt("a job's percentage is out of range".into()))
}

fn decode_progress(row: &Row) -> Result<Progress, StoreError> {
    Ok(Progress {
        percent: decode_percent(row)?,
        queue_position: None,
        completed_steps: row.count("completed_steps")?,
        total_steps: row.count("total_steps")?,
        current_steps: row.json("current_steps")?,
        audio_seconds_processed: row.optional_integer("audio_processed_ms")?.map(to_seconds),
        audio_seconds_total: row.optional_integer("audio_total_ms")?.map(to_seconds),
    })
}
