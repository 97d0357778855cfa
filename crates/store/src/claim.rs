//! Claims: a worker takes queued steps, project by project in turn, many in one transaction, no two workers the same.

use auris_domain::id::{JobId, ProjectId};
use auris_domain::job::Job;
use auris_domain::machine::{Change, Command, Run};
use auris_domain::step::{Step, StepStatus};
use auris_domain::time::Millis;

use crate::balances::settle_in;
use crate::crash::crash_point;
use crate::db::{Row, Tx, args};
use crate::error::StoreError;
use crate::jobs::{VersionedRun, load_runs_in};
use crate::movement::Movement;
use crate::notify::Topic;
use crate::statements::statements;
use crate::store::Store;

/// Rivals may take every candidate between the look and the lock; after this many tries the next poll will do.
const ROUNDS: usize = 8;

statements! {
    /// The oldest of a project's steps. On PostgreSQL the jobs' rows are locked, as everywhere before their steps; those
    /// that others hold are passed over. It is asked by pairs there, because it would walk through all finished steps
    /// if it could take them in the order of their jobs.
    CANDIDATES = "SELECT job_id, ordinal FROM steps WHERE status = 'queued' AND project_id = $1
            ORDER BY job_id, ordinal LIMIT $2",
        postgres = "SELECT steps.job_id, steps.ordinal FROM steps JOIN jobs ON jobs.id = steps.job_id
            WHERE steps.status = 'queued' AND (steps.project_id, steps.job_id) > ($1, '')
                AND (steps.project_id, steps.job_id) < ($1, 'job_zzzzzzzzzzzzzzzzzzzzz')
            ORDER BY steps.project_id, steps.job_id, steps.ordinal LIMIT $2
            FOR NO KEY UPDATE OF jobs SKIP LOCKED";
}

/// A step that its worker now runs, and the job as it is since.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedStep {
    pub step: Step,
    pub job: Job,
}

/// What a worker got.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    pub steps: Vec<ClaimedStep>,
    /// Steps that the budget forbids and whose skipping would end their job. They are left queued, because the end of a
    /// job is committed together with its result: load, apply `Start`, make the result, commit.
    pub ending: Vec<(JobId, i64)>,
}

struct Worker<'a> {
    name: &'a str,
    now: Millis,
    lease_until: Millis,
}

struct Round {
    candidates: usize,
    /// Some project gave all that its share allowed, so it may have more.
    may_have_more: bool,
    claims: Claims,
    topics: Vec<Topic>,
    /// What skipped steps no longer need of their projects' balances.
    releases: Vec<(ProjectId, i64)>,
}

impl Store {
    /// Takes up to `limit` queued steps: of each project that waits its share, of a project the oldest first.
    pub async fn claim_steps(
        &self,
        worker: &str,
        limit: u32,
        now: Millis,
        lease_until: Millis,
    ) -> Result<Claims, StoreError> {
        let worker = Worker { name: worker, now, lease_until };
        let mut claims = Claims::default();
        for _ in 0..ROUNDS {
            let places = limit as usize - claims.steps.len();
            let turns = self.next_turns(places).await?;
            if turns.is_empty() {
                break;
            }
            let mut tx = self.database().begin().await?;
            let round = worker.claim(&mut tx, &shares(&turns, places)).await?;
            tx.commit().await?;
            crash_point("store.claim.after_commit");
            self.wake(round.topics);
            let got_any = !round.claims.steps.is_empty();
            claims.steps.extend(round.claims.steps);
            claims.ending.extend(round.claims.ending);
            let done = claims.steps.len() == limit as usize || !claims.ending.is_empty();
            if done || round.candidates == 0 || (got_any && !round.may_have_more) {
                break;
            }
        }
        Ok(claims)
    }
}

/// Divides the places between the projects; those first in turn get what is left over.
fn shares(turns: &[String], places: usize) -> Vec<(&str, usize)> {
    let (each, over) = (places / turns.len(), places % turns.len());
    let share = |index: usize| each + usize::from(index < over);
    turns.iter().enumerate().map(|(index, project)| (project.as_str(), share(index))).collect()
}

impl Worker<'_> {
    async fn claim(&self, tx: &mut Tx, shares: &[(&str, usize)]) -> Result<Round, StoreError> {
        let mut round = Round {
            candidates: 0,
            may_have_more: false,
            claims: Claims::default(),
            topics: Vec::new(),
            releases: Vec::new(),
        };
        for (project, share) in shares {
            let rows = tx.rows(&CANDIDATES, args![*project, *share as i64]).await?;
            round.candidates += rows.len();
            round.may_have_more |= rows.len() == *share;
            if rows.is_empty() {
                continue;
            }
            let candidates: Vec<(JobId, i64)> =
                rows.iter().map(decode_candidate).collect::<Result<_, _>>()?;
            let mut jobs: Vec<&str> = candidates.iter().map(|(job, _)| job.as_str()).collect();
            jobs.dedup();
            for loaded in load_runs_in(tx, &jobs).await? {
                let own = candidates.iter().filter(|(job, _)| *job == loaded.run.job.id);
                let ordinals: Vec<i64> = own.map(|(_, ordinal)| *ordinal).collect();
                self.claim_of_job(tx, loaded, &ordinals, &mut round).await?;
            }
        }
        // Always in one order, and last, so that two workers never wait for each other.
        round.releases.sort();
        for (project, released) in &round.releases {
            settle_in(tx, project, *released, 0).await?;
        }
        Ok(round)
    }

    async fn claim_of_job(
        &self,
        tx: &mut Tx,
        loaded: VersionedRun,
        ordinals: &[i64],
        round: &mut Round,
    ) -> Result<(), StoreError> {
        let mut run = loaded.run;
        let mut changes = Vec::new();
        for ordinal in ordinals {
            match self.start(&run, *ordinal) {
                Start::Moved(moved, made) => {
                    run = *moved;
                    changes.extend(made);
                }
                Start::Ends => round.claims.ending.push((run.job.id.clone(), *ordinal)),
                Start::Stale => {}
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        let mut movement = Movement {
            version: loaded.version,
            run: &mut run,
            changes: &changes,
            lease: Some((self.name, self.lease_until)),
            now: self.now,
        };
        let written = movement.write(tx).await?;
        round.topics.extend(written.topics);
        if let Some(released) = written.released {
            round.releases.push((run.job.project_id.clone(), released));
        }
        let started = ordinals.iter().filter_map(|ordinal| run.step(*ordinal));
        let started = started.filter(|step| started_by(&changes, step));
        round
            .claims
            .steps
            .extend(started.map(|step| ClaimedStep { step: step.clone(), job: run.job.clone() }));
        Ok(())
    }

    fn start(&self, run: &Run, ordinal: i64) -> Start {
        let mut moved = run.clone();
        match moved.apply(Command::Start { ordinal }, self.now.timestamp()) {
            Ok(_) if moved.job.status.is_terminal() => Start::Ends,
            Ok(changes) => Start::Moved(Box::new(moved), changes),
            // A rival was faster: the list of candidates was read before the job's row was held.
            Err(_) => Start::Stale,
        }
    }
}

enum Start {
    Moved(Box<Run>, Vec<Change>),
    Ends,
    Stale,
}

fn started_by(changes: &[Change], step: &Step) -> bool {
    let changed = |change: &Change| matches!(change, Change::Step(ordinal, _) if *ordinal == step.ordinal);
    step.status == StepStatus::InProgress && changes.iter().any(changed)
}

fn decode_candidate(row: &Row) -> Result<(JobId, i64), StoreError> {
    Ok((row.parsed("job_id")?, row.integer("ordinal")?))
}
