//! What waits and what runs, of all projects.

use std::collections::BTreeMap;

use auris_domain::id::{JobId, NodeId, ProjectId, StepId};
use auris_domain::time::Timestamp;
use auris_store::RunningStep;
use serde::Serialize;

use super::super::{Operator, Result};

type ProjectNames = BTreeMap<ProjectId, String>;

/// How many jobs have not ended, by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OpenJobs {
    pub queued: u64,
    pub in_progress: u64,
    pub cancelling: u64,
}

/// The steps of a project that wait or run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QueueRecord {
    pub project: String,
    pub queued_steps: u64,
    pub running_steps: u64,
    pub oldest_queued_at: Option<Timestamp>,
}

/// A step that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunningStepRecord {
    pub project: String,
    pub job_id: JobId,
    pub step_id: StepId,
    pub step: String,
    pub model: Option<String>,
    /// `None` if a process of an earlier version runs it.
    pub node: Option<NodeId>,
    pub started_at: Option<Timestamp>,
}

impl RunningStepRecord {
    fn of(step: RunningStep, names: &ProjectNames) -> Self {
        Self {
            project: name_of(&step.project, names),
            job_id: step.job,
            step_id: step.id,
            step: step.key,
            model: step.model,
            node: step.worker.and_then(|worker| worker.parse().ok()),
            started_at: step.started_at,
        }
    }
}

impl Operator {
    pub(super) async fn open_jobs(&self) -> Result<OpenJobs> {
        let counts = self.store.job_counts().await?;
        Ok(OpenJobs { queued: counts.queued, in_progress: counts.in_progress, cancelling: counts.cancelling })
    }

    /// The projects with steps that wait or run, the oldest project first.
    pub(super) async fn queue(&self, names: &ProjectNames) -> Result<Vec<QueueRecord>> {
        let mut projects: BTreeMap<ProjectId, QueueRecord> = BTreeMap::new();
        for queue in self.store.project_queues().await? {
            let record = projects.entry(queue.project).or_default();
            record.queued_steps = queue.queued_steps;
            record.oldest_queued_at = Some(queue.oldest);
        }
        for (project, running) in self.store.running_counts().await? {
            projects.entry(project).or_default().running_steps = running;
        }
        let named = projects.into_iter();
        Ok(named.map(|(id, record)| QueueRecord { project: name_of(&id, names), ..record }).collect())
    }

    pub(super) async fn running_steps(&self, names: &ProjectNames) -> Result<Vec<RunningStepRecord>> {
        let running = self.store.running_steps().await?;
        Ok(running.into_iter().map(|step| RunningStepRecord::of(step, names)).collect())
    }
}

/// The id stands for a project that was created since the names were read.
fn name_of(project: &ProjectId, names: &ProjectNames) -> String {
    names.get(project).cloned().unwrap_or_else(|| project.to_string())
}
