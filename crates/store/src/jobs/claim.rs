//! Claiming steps: a worker takes queued steps, fairly between projects, many in one transaction. No two workers get the
//! same step.

use auris_domain::id::{JobId, ProjectId};
use auris_domain::machine::ClaimedStep;
use auris_domain::time::Millis;

use super::fair_order::ServingOrder;
use super::read::{VersionedRun, load_claimable_in};
use super::start_steps::start_steps;
use super::transition::{StepLease, Transition};
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
    /// before its steps; jobs that are locked by others are skipped. The text for PostgreSQL compares pairs of project and
    /// job. With two separate conditions, the server may read all finished steps in the order of their jobs.
    CANDIDATES = "SELECT job_id, ordinal, alone FROM steps WHERE status = 'queued' AND project_id = $1
            ORDER BY job_id, ordinal LIMIT $2",
        postgres = "SELECT steps.job_id, steps.ordinal, steps.alone FROM steps JOIN jobs ON jobs.id = steps.job_id
            WHERE steps.status = 'queued' AND (steps.project_id, steps.job_id) > ($1, '')
                AND (steps.project_id, steps.job_id) < ($1, 'job_zzzzzzzzzzzzzzzzzzzzz')
            ORDER BY steps.project_id, steps.job_id, steps.ordinal LIMIT $2
            FOR NO KEY UPDATE OF jobs SKIP LOCKED";
    /// Marks the steps of a worker that now runs more than one. The statement waits for a step that another transaction
    /// is writing. That cannot deadlock: the other transaction has locked the step's job, and waits for no other job.
    MARK_SHARED: BatchedWrite = "UPDATE steps SET shared = 1 WHERE worker = $1 AND status = 'in_progress' AND shared = 0";
}

/// A worker that asks for steps.
#[derive(Debug, Clone, Copy)]
pub struct StepWorker<'a> {
    /// The name of the process, another one after each restart.
    pub name: &'a str,
    /// How many steps the process runs already.
    pub running: usize,
    pub now: Millis,
    pub lease_until: Millis,
}

/// What a worker got.
#[derive(Debug, Default)]
pub struct Claims {
    pub steps: Vec<ClaimedStep>,
    /// Steps (job and ordinal) that exceed the job's budget and whose skipping would end the job. They are left queued,
    /// because the end of a job is committed together with its result: load, apply `Start`, make the result, commit.
    pub ending: Vec<(JobId, i64)>,
    /// Whether the next step must be run alone and waits until this worker's steps have ended. Nothing after it was
    /// claimed, so that its turn comes. Never set by `claim_for_idle_projects`.
    pub alone_waits: bool,
}

impl Claims {
    /// Whether the worker got a step that must be run alone. Then it got no other.
    pub fn is_alone(&self) -> bool {
        self.steps.iter().any(|claimed| claimed.step().runs_alone())
    }
}

impl Store {
    /// Claims up to `limit` queued steps: an equal share from each waiting project, within a project the oldest first. A
    /// step that must be run alone is claimed only by a worker that runs nothing else.
    pub async fn claim_steps(&self, worker: StepWorker<'_>, limit: u32) -> Result<Claims, StoreError> {
        let mut claims = Claims::default();
        for _ in 0..MAX_ROUNDS {
            let free = limit as usize - claims.steps.len();
            let order = self.next_projects(free).await?;
            let worker = StepWorker { running: worker.running + claims.steps.len(), ..worker };
            let round = self.claim_round(worker, &order, free).await?;
            if let Some(index) = round.next_project {
                order.continue_at(index, self.last_served());
            }
            let is_last = round.is_last(free);
            claims.steps.extend(round.claims.steps);
            claims.ending.extend(round.claims.ending);
            claims.alone_waits = round.claims.alone_waits;
            if is_last {
                break;
            }
        }
        Ok(claims)
    }

    /// Claims one step for each of up to `limit` waiting projects that have no running step. A project whose next step
    /// must be run alone is skipped: `claim_steps` claims that one.
    pub async fn claim_for_idle_projects(
        &self,
        worker: StepWorker<'_>,
        limit: u32,
    ) -> Result<Claims, StoreError> {
        let order = self.next_idle_projects().await?;
        let mut round = Round { running: worker.running, ..Round::default() };
        if order.projects.is_empty() {
            return Ok(round.claims);
        }
        let mut tx = self.database().begin().await?;
        for (index, project) in order.projects.iter().enumerate() {
            if round.claims.steps.len() == limit as usize || round.is_stopped() {
                order.continue_at(index, self.last_checked());
                break;
            }
            worker.claim_from_project(&mut tx, project, 1, &mut round).await?;
            round.claims.alone_waits = false;
        }
        self.commit_round(tx, worker.name, &mut round).await?;
        Ok(round.claims)
    }

    async fn claim_round(
        &self,
        worker: StepWorker<'_>,
        order: &ServingOrder,
        limit: usize,
    ) -> Result<Round, StoreError> {
        let mut round = Round { running: worker.running, ..Round::default() };
        if order.projects.is_empty() {
            return Ok(round);
        }
        let mut tx = self.database().begin().await?;
        for (index, (project, share)) in shares(&order.projects, limit).into_iter().enumerate() {
            worker.claim_from_project(&mut tx, project, share, &mut round).await?;
            if round.is_stopped() {
                let served = usize::from(!round.claims.alone_waits);
                round.next_project = Some(index + served);
                break;
            }
        }
        self.commit_round(tx, worker.name, &mut round).await?;
        Ok(round)
    }

    async fn commit_round(&self, mut tx: Tx, worker: &str, round: &mut Round) -> Result<(), StoreError> {
        round.mark_shared(&mut tx, worker).await?;
        round.settle_releases(&mut tx).await?;
        tx.commit().await?;
        crash_point("store.claim.after_commit");
        self.wake(std::mem::take(&mut round.topics));
        Ok(())
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
    /// How many steps the worker ran before.
    running: usize,
    candidates: usize,
    /// Whether some project had as many candidates as its share allowed, so that it may have more.
    may_have_more: bool,
    claims: Claims,
    /// The index of the project to serve first the next time, if a step that must be run alone stopped this round.
    next_project: Option<usize>,
    topics: Vec<Topic>,
    /// What skipped steps no longer need of their projects' balances.
    releases: Vec<(ProjectId, i64)>,
}

impl Round {
    /// Whether this round is the last one: another would find nothing, or the caller must first handle the steps in
    /// `ending`.
    fn is_last(&self, limit: usize) -> bool {
        let claimed = self.claims.steps.len();
        let is_done = self.is_stopped() || claimed == limit || !self.claims.ending.is_empty();
        let is_exhausted = self.candidates == 0 || (claimed > 0 && !self.may_have_more);
        is_done || is_exhausted
    }

    /// Those of a project's next steps that the worker may start now: the steps before the first one that must be run
    /// alone, or only that one.
    fn admit(&mut self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        match candidates.iter().position(|candidate| candidate.runs_alone) {
            None => {}
            Some(0) if self.is_idle() => candidates.truncate(1),
            Some(first) => {
                candidates.truncate(first);
                self.claims.alone_waits = true;
            }
        }
        candidates
    }

    /// Whether nothing more may be claimed: a step must be run alone, or waits for that.
    fn is_stopped(&self) -> bool {
        self.claims.alone_waits || self.claims.is_alone()
    }

    fn is_idle(&self) -> bool {
        self.running == 0 && self.claims.steps.is_empty()
    }

    /// Marks the steps that no longer run alone. Needed only when a second step is added: if there were two or more
    /// before, all are marked already, and new ones are marked when they start.
    async fn mark_shared(&self, tx: &mut Tx, worker: &str) -> Result<(), StoreError> {
        let claimed = self.claims.steps.len();
        if self.running <= 1 && claimed > 0 && self.running + claimed > 1 {
            tx.write_later(&MARK_SHARED, args![worker]).await?;
        }
        Ok(())
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

/// A queued step.
struct Candidate {
    job: JobId,
    ordinal: i64,
    runs_alone: bool,
}

impl StepWorker<'_> {
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
        let candidates: Vec<Candidate> = rows.iter().map(decode_candidate).collect::<Result<_, _>>()?;
        let candidates = round.admit(candidates);
        if candidates.is_empty() {
            return Ok(());
        }
        let mut jobs: Vec<&str> = candidates.iter().map(|candidate| candidate.job.as_str()).collect();
        jobs.dedup();
        for loaded in load_claimable_in(tx, &jobs).await? {
            let own = candidates.iter().filter(|candidate| candidate.job == loaded.run.job.id);
            let ordinals: Vec<i64> = own.map(|candidate| candidate.ordinal).collect();
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
        let started = start_steps(&mut run, ordinals, self.now.timestamp());
        let job = &run.job.id;
        round.claims.ending.extend(started.ending.iter().map(|ordinal| (job.clone(), *ordinal)));
        if started.changes.is_empty() {
            return Ok(());
        }
        let mut transition = Transition {
            version: loaded.version,
            run: &mut run,
            changes: &started.changes,
            lease: Some(StepLease { worker: self.name, until: self.lease_until, shared: !round.is_idle() }),
            now: self.now,
        };
        let written = transition.write(tx).await?;
        round.topics.extend(written.topics);
        if let Some(released) = written.released {
            round.releases.push((run.job.project_id.clone(), released));
        }
        round.claims.steps.extend(started.claimed(&run, ordinals)?);
        Ok(())
    }
}

fn decode_candidate(row: &Row) -> Result<Candidate, StoreError> {
    Ok(Candidate {
        job: row.parsed("job_id")?,
        ordinal: row.integer("ordinal")?,
        runs_alone: row.integer("alone")? != 0,
    })
}
