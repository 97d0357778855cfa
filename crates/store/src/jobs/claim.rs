//! Claiming steps: a worker takes queued steps, fairly between projects, many in one transaction. No two workers get the
//! same step.

use auris_domain::id::{JobId, ProjectId};
use auris_domain::machine::{Change, ClaimedStep, Command, Run};
use auris_domain::step::{Step, StepStatus};
use auris_domain::time::Millis;

use super::read::{VersionedRun, load_runs_in};
use super::transition::Transition;
use crate::crash_point::crash_point;
use crate::error::StoreError;
use crate::money::settle;
use crate::sql::{Row, Tx, args, statements};
use crate::store::Store;
use crate::wakeups::Topic;

/// Maximum number of rounds. Other workers can take every candidate before this one has locked it; after eight
/// rounds, the worker's next poll tries again.
const MAX_ROUNDS: usize = 8;

statements! {
    /// The oldest queued steps of a project. On PostgreSQL their jobs are locked, because every transaction locks a job
    /// before its steps; jobs that are locked by others are skipped. It compares pairs there, because otherwise it could
    /// scan all finished steps in the order of their jobs.
    CANDIDATES = "SELECT job_id, ordinal FROM steps WHERE status = 'queued' AND project_id = $1
            ORDER BY job_id, ordinal LIMIT $2",
        postgres = "SELECT steps.job_id, steps.ordinal FROM steps JOIN jobs ON jobs.id = steps.job_id
            WHERE steps.status = 'queued' AND (steps.project_id, steps.job_id) > ($1, '')
                AND (steps.project_id, steps.job_id) < ($1, 'job_zzzzzzzzzzzzzzzzzzzzz')
            ORDER BY steps.project_id, steps.job_id, steps.ordinal LIMIT $2
            FOR NO KEY UPDATE OF jobs SKIP LOCKED";
}

/// What a worker got.
#[derive(Debug, Default)]
pub struct Claims {
    pub steps: Vec<ClaimedStep>,
    /// Steps (job and ordinal) that exceed the job's budget and whose skipping would end the job. They are left queued,
    /// because the end of a job is committed together with its result: load, apply `Start`, make the result, commit.
    pub ending: Vec<(JobId, i64)>,
}

impl Store {
    /// Claims up to `limit` queued steps: an equal share from each waiting project, within a project the oldest first.
    pub async fn claim_steps(
        &self,
        worker: &str,
        limit: u32,
        now: Millis,
        lease_until: Millis,
    ) -> Result<Claims, StoreError> {
        let worker = Worker { name: worker, now, lease_until };
        let mut claims = Claims::default();
        for _ in 0..MAX_ROUNDS {
            let free = limit as usize - claims.steps.len();
            let round = self.claim_round(&worker, free).await?;
            let is_last = round.is_last(free);
            claims.steps.extend(round.claims.steps);
            claims.ending.extend(round.claims.ending);
            if is_last {
                break;
            }
        }
        Ok(claims)
    }

    async fn claim_round(&self, worker: &Worker<'_>, limit: usize) -> Result<Round, StoreError> {
        let mut round = Round::default();
        let projects = self.next_projects(limit).await?;
        if projects.is_empty() {
            return Ok(round);
        }
        let mut tx = self.database().begin().await?;
        for (project, share) in shares(&projects, limit) {
            worker.claim_from_project(&mut tx, project, share, &mut round).await?;
        }
        round.settle_releases(&mut tx).await?;
        tx.commit().await?;
        crash_point("store.claim.after_commit");
        self.wake(std::mem::take(&mut round.topics));
        Ok(round)
    }
}

/// Divides `limit` between the projects; the first ones get the remainder.
fn shares(projects: &[String], limit: usize) -> Vec<(&str, usize)> {
    let each = limit / projects.len();
    let remainder = limit % projects.len();
    let share = |index: usize| each + usize::from(index < remainder);
    projects.iter().enumerate().map(|(index, project)| (project.as_str(), share(index))).collect()
}

/// The result of one transaction.
#[derive(Default)]
struct Round {
    candidates: usize,
    /// Whether some project had as many candidates as its share allowed, so that it may have more.
    may_have_more: bool,
    claims: Claims,
    topics: Vec<Topic>,
    /// What skipped steps no longer need of their projects' balances.
    releases: Vec<(ProjectId, i64)>,
}

impl Round {
    /// Whether another round would find nothing more, or would have to wait for the steps in `ending`.
    fn is_last(&self, limit: usize) -> bool {
        let claimed = self.claims.steps.len();
        let is_done = claimed == limit || !self.claims.ending.is_empty();
        let is_exhausted = self.candidates == 0 || (claimed > 0 && !self.may_have_more);
        is_done || is_exhausted
    }

    /// The balances come last and always in the same order, so that two workers never wait for each other.
    async fn settle_releases(&mut self, tx: &mut Tx) -> Result<(), StoreError> {
        self.releases.sort();
        for (project, released) in &self.releases {
            settle(tx, project, *released, 0).await?;
        }
        Ok(())
    }
}

struct Worker<'a> {
    name: &'a str,
    now: Millis,
    lease_until: Millis,
}

/// What starting a step does to its job.
enum Start {
    Started(Box<Run>, Vec<Change>),
    /// The step exceeds the budget, and skipping it ends the job.
    EndsJob,
    /// Another worker was faster: the candidates were read before the job's row was locked.
    Stale,
}

impl Worker<'_> {
    async fn claim_from_project(
        &self,
        tx: &mut Tx,
        project: &str,
        share: usize,
        round: &mut Round,
    ) -> Result<(), StoreError> {
        let rows = tx.rows(&CANDIDATES, args![project, share as i64]).await?;
        round.candidates += rows.len();
        round.may_have_more |= rows.len() == share;
        if rows.is_empty() {
            return Ok(());
        }
        let candidates: Vec<(JobId, i64)> = rows.iter().map(decode_candidate).collect::<Result<_, _>>()?;
        let mut jobs: Vec<&str> = candidates.iter().map(|(job, _)| job.as_str()).collect();
        jobs.dedup();
        for loaded in load_runs_in(tx, &jobs).await? {
            let own = candidates.iter().filter(|(job, _)| *job == loaded.run.job.id);
            let ordinals: Vec<i64> = own.map(|(_, ordinal)| *ordinal).collect();
            self.claim_from_job(tx, loaded, &ordinals, round).await?;
        }
        Ok(())
    }

    async fn claim_from_job(
        &self,
        tx: &mut Tx,
        loaded: VersionedRun,
        ordinals: &[i64],
        round: &mut Round,
    ) -> Result<(), StoreError> {
        let mut run = loaded.run;
        let changes = self.start_steps(&mut run, ordinals, &mut round.claims);
        if changes.is_empty() {
            return Ok(());
        }
        let mut transition = Transition {
            version: loaded.version,
            run: &mut run,
            changes: &changes,
            lease: Some((self.name, self.lease_until)),
            now: self.now,
        };
        let written = transition.write(tx).await?;
        round.topics.extend(written.topics);
        if let Some(released) = written.released {
            round.releases.push((run.job.project_id.clone(), released));
        }
        round.claims.steps.extend(started_steps(&run, &changes, ordinals));
        Ok(())
    }

    /// Applies `Start` to each step and returns the changes. Steps that would end the job are added to `claims.ending`.
    fn start_steps(&self, run: &mut Run, ordinals: &[i64], claims: &mut Claims) -> Vec<Change> {
        let mut changes = Vec::new();
        for ordinal in ordinals {
            match self.start(run, *ordinal) {
                Start::Started(after, made) => {
                    *run = *after;
                    changes.extend(made);
                }
                Start::EndsJob => claims.ending.push((run.job.id.clone(), *ordinal)),
                Start::Stale => {}
            }
        }
        changes
    }

    fn start(&self, run: &Run, ordinal: i64) -> Start {
        let mut after = run.clone();
        match after.apply(Command::Start { ordinal }, self.now.timestamp()) {
            Ok(_) if after.job.status().is_terminal() => Start::EndsJob,
            Ok(changes) => Start::Started(Box::new(after), changes),
            Err(_) => Start::Stale,
        }
    }
}

/// Those of the steps that the changes started; a step beyond the budget was skipped instead.
fn started_steps(run: &Run, changes: &[Change], ordinals: &[i64]) -> Vec<ClaimedStep> {
    let steps = ordinals.iter().filter_map(|ordinal| run.step(*ordinal));
    let started = steps.filter(|step| is_started(changes, step));
    started.map(|step| ClaimedStep::new(run.job.clone(), step.clone())).collect()
}

fn is_started(changes: &[Change], step: &Step) -> bool {
    let is_changed = |change: &Change| matches!(change, Change::Step(ordinal, _) if *ordinal == step.ordinal);
    step.status() == StepStatus::InProgress && changes.iter().any(is_changed)
}

fn decode_candidate(row: &Row) -> Result<(JobId, i64), StoreError> {
    Ok((row.parsed("job_id")?, row.integer("ordinal")?))
}
