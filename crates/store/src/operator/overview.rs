//! The jobs and steps of all projects: how many wait and run, and lists of them.

use auris_domain::id::{JobId, ProjectId, StepId};
use auris_domain::job::{JobStatus, Operation};
use auris_domain::time::Timestamp;

use crate::error::StoreError;
use crate::jobs::{StoredJob, decode_stored, job_columns};
use crate::sql::{Argument, Row, args, statements};
use crate::store::Store;

/// Sorts after every job id, in any collation.
const AFTER_ALL_JOBS: &str = "job_zzzzzzzzzzzzzzzzzzzzz";
/// Running steps that are listed.
const MAX_RUNNING: u32 = 100;

/// The conditions that every list has: `$1` is the upper and `$2` the lower limit of the ids, and an empty `$3` stands for
/// all operations.
macro_rules! listed_jobs {
    () => {
        "jobs.id < $1 AND jobs.id >= $2 AND ($3 = '' OR jobs.operation = $3)"
    };
}

statements! {
    /// Two parts, because each has an index.
    COUNTS = "SELECT 'queued' AS status, COUNT(*) AS jobs FROM jobs WHERE status = 'queued'
        UNION ALL SELECT status, COUNT(*) AS jobs FROM jobs WHERE status IN ('in_progress', 'cancelling')
        GROUP BY status";
    QUEUED_STEPS = "SELECT project_id, COUNT(*) AS steps, MIN(created_at) AS oldest FROM steps WHERE status = 'queued'
        GROUP BY project_id";
    RUNNING_COUNTS = "SELECT project_id, COUNT(*) AS steps FROM steps WHERE status = 'in_progress' GROUP BY project_id";
    RUNNING_STEPS = "SELECT id, job_id, project_id, step_key, resolved_model, requested_model, worker, started_at
        FROM steps WHERE status = 'in_progress' ORDER BY id LIMIT $1";
    PAGE_OF_ALL = concat!("SELECT ", job_columns!(), ", light AS result FROM jobs LEFT JOIN job_results ON job_id = id
        WHERE ", listed_jobs!(), " AND ($4 = '' OR jobs.status = $4) ORDER BY jobs.id DESC LIMIT $5");
    /// PostgreSQL compares pairs, as in `jobs::read::PAGE`.
    PAGE_OF_PROJECT = concat!("SELECT ", job_columns!(), ", light AS result
            FROM jobs LEFT JOIN job_results ON job_id = id
            WHERE jobs.project_id = $6 AND ", listed_jobs!(), " AND ($4 = '' OR jobs.status = $4)
            ORDER BY jobs.id DESC LIMIT $5"),
        postgres = concat!("SELECT ", job_columns!(), ", light AS result
            FROM jobs LEFT JOIN job_results ON job_id = id
            WHERE (jobs.project_id, jobs.id) < ($6, $1) AND (jobs.project_id, jobs.id) >= ($6, $2)
                AND ($3 = '' OR jobs.operation = $3) AND ($4 = '' OR jobs.status = $4)
            ORDER BY jobs.project_id DESC, jobs.id DESC LIMIT $5");
    /// For the statuses that few jobs have.
    PAGE_OF_STATUS = concat!("SELECT ", job_columns!(), ", light AS result
        FROM jobs LEFT JOIN job_results ON job_id = id
        WHERE jobs.status = $4 AND jobs.status IN ('in_progress', 'cancelling', 'failed', 'cancelled') AND ",
        listed_jobs!(), " ORDER BY jobs.id DESC LIMIT $5");
}

/// Which jobs of all projects to list.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    pub project: Option<ProjectId>,
    pub operation: Option<Operation>,
    pub status: Option<JobStatus>,
    /// The first id that is too new.
    pub before: Option<JobId>,
    /// The oldest id.
    pub from: Option<JobId>,
    pub limit: u32,
}

/// How many jobs have not ended, by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobCounts {
    pub queued: u64,
    pub in_progress: u64,
    pub cancelling: u64,
}

/// The steps of a project that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectQueue {
    pub project: ProjectId,
    pub queued_steps: u64,
    pub oldest: Timestamp,
}

/// A step that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningStep {
    pub id: StepId,
    pub job: JobId,
    pub project: ProjectId,
    pub key: String,
    pub model: Option<String>,
    pub worker: Option<String>,
    pub started_at: Option<Timestamp>,
}

impl Store {
    pub async fn job_counts(&self) -> Result<JobCounts, StoreError> {
        let mut counts = JobCounts::default();
        for row in self.database().many_rows(&COUNTS, args![]).await? {
            let jobs = row.count("jobs")?;
            match row.parsed("status")? {
                JobStatus::Queued => counts.queued = jobs,
                JobStatus::InProgress => counts.in_progress = jobs,
                JobStatus::Cancelling => counts.cancelling = jobs,
                JobStatus::Completed | JobStatus::Failed | JobStatus::Cancelled => {}
            }
        }
        Ok(counts)
    }

    /// The projects with queued steps.
    pub async fn project_queues(&self) -> Result<Vec<ProjectQueue>, StoreError> {
        let rows = self.database().many_rows(&QUEUED_STEPS, args![]).await?;
        let queue = |row: &Row| {
            Ok(ProjectQueue {
                project: row.parsed("project_id")?,
                queued_steps: row.count("steps")?,
                oldest: row.moment("oldest")?,
            })
        };
        rows.iter().map(queue).collect()
    }

    /// How many steps run for each project that has any.
    pub async fn running_counts(&self) -> Result<Vec<(ProjectId, u64)>, StoreError> {
        let rows = self.database().many_rows(&RUNNING_COUNTS, args![]).await?;
        rows.iter().map(|row| Ok((row.parsed("project_id")?, row.count("steps")?))).collect()
    }

    /// The steps that run, oldest first, up to a limit.
    pub async fn running_steps(&self) -> Result<Vec<RunningStep>, StoreError> {
        let rows = self.database().many_rows(&RUNNING_STEPS, args![MAX_RUNNING]).await?;
        rows.iter().map(decode_running).collect()
    }

    /// A page of the jobs of all projects, newest first; and whether there are more.
    pub async fn list_all_jobs(&self, filter: &JobFilter) -> Result<(Vec<StoredJob>, bool), StoreError> {
        let statement = match (&filter.project, filter.status) {
            (Some(_), _) => &PAGE_OF_PROJECT,
            (None, Some(JobStatus::Queued | JobStatus::Completed) | None) => &PAGE_OF_ALL,
            (None, Some(_)) => &PAGE_OF_STATUS,
        };
        let mut rows = self.database().many_rows(statement, arguments(filter)).await?;
        let has_more = rows.len() > filter.limit as usize;
        rows.truncate(filter.limit as usize);
        Ok((rows.iter().map(decode_stored).collect::<Result<_, _>>()?, has_more))
    }
}

fn arguments(filter: &JobFilter) -> Vec<Argument> {
    let before = filter.before.as_ref().map_or(AFTER_ALL_JOBS, JobId::as_str);
    let from = filter.from.as_ref().map_or("", JobId::as_str);
    let operation = filter.operation.map_or("", Operation::as_str);
    let status = filter.status.map_or("", JobStatus::as_str);
    let mut arguments = args![before, from, operation, status, i64::from(filter.limit) + 1];
    arguments.extend(filter.project.as_ref().map(Argument::from));
    arguments
}

fn decode_running(row: &Row) -> Result<RunningStep, StoreError> {
    let resolved = row.optional_text("resolved_model")?;
    Ok(RunningStep {
        id: row.parsed("id")?,
        job: row.parsed("job_id")?,
        project: row.parsed("project_id")?,
        key: row.text("step_key")?,
        model: resolved.map_or_else(|| row.optional_text("requested_model"), |model| Ok(Some(model)))?,
        worker: row.optional_text("worker")?,
        started_at: row.optional_moment("started_at")?,
    })
}
