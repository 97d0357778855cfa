//! The bare SQL loops: what the store does for each measure, statement by statement, and nothing else.

use std::sync::Arc;

use anyhow::ensure;

use crate::captured::CopyIds;
use crate::load::Work;
use crate::sql::{Connection, Value};
use crate::sql_baseline::Recipe;

const EVENTS_AT_ONCE: i64 = 100;
/// Rivals may take every candidate between the look and the lock; the store tries as often.
const CLAIM_ROUNDS: usize = 8;

/// One connection and what to do on it.
pub(crate) struct SqlWorker {
    pub(crate) connection: Connection,
    pub(crate) recipe: Arc<Recipe>,
    pub(crate) task: Task,
}

pub(crate) enum Task {
    Create,
    /// Claims one queued step and completes it.
    MoveStep,
    /// Creates a job, then claims and completes one, whosever it is.
    Cycle,
    ReadJob(Reading),
    ReadEvents(Reading),
}

/// Which jobs are read, over and over, from which place on.
pub(crate) struct Reading {
    pub(crate) jobs: Arc<Vec<CopyIds>>,
    pub(crate) next: usize,
}

impl Reading {
    fn next(&mut self) -> CopyIds {
        self.next += 1;
        self.jobs[self.next % self.jobs.len()].clone()
    }
}

impl Work for SqlWorker {
    async fn once(&mut self) -> anyhow::Result<u64> {
        let recipe = Arc::clone(&self.recipe);
        let connection = &mut self.connection;
        match &mut self.task {
            Task::Create => create(connection, &recipe).await,
            Task::MoveStep => move_step(connection, &recipe).await,
            Task::Cycle => cycle(connection, &recipe).await,
            Task::ReadJob(reading) => read_job(connection, &recipe, &reading.next()).await,
            Task::ReadEvents(reading) => read_events(connection, &recipe, &reading.next()).await,
        }
    }
}

async fn create(connection: &mut Connection, recipe: &Recipe) -> anyhow::Result<u64> {
    let ids = CopyIds::generate();
    connection.begin().await?;
    for row in &recipe.created {
        row.write(connection, &ids).await?;
    }
    connection.commit().await?;
    Ok(1)
}

async fn cycle(connection: &mut Connection, recipe: &Recipe) -> anyhow::Result<u64> {
    create(connection, recipe).await?;
    while move_step(connection, recipe).await? == 0 {}
    Ok(1)
}

/// Two transitions; none when nothing is queued.
async fn move_step(connection: &mut Connection, recipe: &Recipe) -> anyhow::Result<u64> {
    for _ in 0..CLAIM_ROUNDS {
        if connection.rows(&recipe.statements.any_queued, &[]).await?.is_empty() {
            return Ok(0);
        }
        connection.begin().await?;
        let claimed = claim(connection, recipe).await?;
        connection.commit().await?;
        if let Some(ids) = claimed {
            read_inputs(connection, recipe, &ids).await?;
            finish(connection, recipe, &ids).await?;
            return Ok(2);
        }
    }
    Ok(0)
}

/// The oldest queued step, unless a rival took it between the look and the lock.
async fn claim(connection: &mut Connection, recipe: &Recipe) -> anyhow::Result<Option<CopyIds>> {
    let statements = &recipe.statements;
    let candidates = connection.rows(&statements.candidates, &[]).await?;
    let Some(candidate) = candidates.first() else {
        return Ok(None);
    };
    let ids = ids_of(&candidate.named_values()?);
    load(connection, recipe, &ids).await?;
    if connection.rows(&statements.move_job, &recipe.moved_job(&ids, false)).await?.is_empty() {
        return Ok(None);
    }
    connection.write(&statements.move_step, &recipe.moved_step(&ids, false)).await?;
    for row in &recipe.started {
        row.write(connection, &ids).await?;
    }
    Ok(Some(ids))
}

async fn load(connection: &mut Connection, recipe: &Recipe, ids: &CopyIds) -> anyhow::Result<()> {
    let job = [ids.job.as_str().into()];
    connection.rows(&recipe.statements.job_of_run, &job).await?;
    connection.rows(&recipe.statements.steps_of, &job).await.map(drop)
}

/// What a running text step reads from the database.
async fn read_inputs(connection: &mut Connection, recipe: &Recipe, ids: &CopyIds) -> anyhow::Result<()> {
    let job = [ids.job.as_str().into()];
    connection.rows(&recipe.statements.artifacts_of, &job).await?;
    connection.rows(&recipe.statements.outputs, &job).await.map(drop)
}

async fn finish(connection: &mut Connection, recipe: &Recipe, ids: &CopyIds) -> anyhow::Result<()> {
    let statements = &recipe.statements;
    load(connection, recipe, ids).await?;
    // The result is put together from outputs, the given transcript and the list of artifacts.
    read_inputs(connection, recipe, ids).await?;
    connection.rows(&statements.artifacts_of, &[ids.job.as_str().into()]).await?;
    connection.begin().await?;
    let moved = connection.rows(&statements.move_job, &recipe.moved_job(ids, true)).await?;
    ensure!(moved.len() == 1, "the job did not end");
    connection.write(&statements.move_step, &recipe.moved_step(ids, true)).await?;
    connection.rows(&statements.endpoints, &[recipe.job.value("project_id")]).await?;
    for row in &recipe.finished {
        row.write(connection, ids).await?;
    }
    connection.commit().await
}

async fn read_job(connection: &mut Connection, recipe: &Recipe, ids: &CopyIds) -> anyhow::Result<u64> {
    let values = [ids.job.as_str().into(), recipe.job.value("project_id")];
    let rows = connection.rows(&recipe.statements.job, &values).await?;
    ensure!(rows.len() == 1, "the job is not there");
    Ok(1)
}

async fn read_events(connection: &mut Connection, recipe: &Recipe, ids: &CopyIds) -> anyhow::Result<u64> {
    let statements = &recipe.statements;
    let job = [ids.job.as_str().into()];
    read_job(connection, recipe, ids).await?;
    connection.rows(&statements.last_sequence, &job).await?;
    let values = [ids.job.as_str().into(), Value::from(0), Value::from(EVENTS_AT_ONCE)];
    let events = connection.rows(&statements.events, &values).await?;
    // The content of the two events that have some.
    connection.rows(&statements.step_content, &[ids.step.as_str().into()]).await?;
    connection.rows(&statements.result, &job).await?;
    Ok(events.len() as u64)
}

/// The ids in the first two columns.
pub(crate) fn ids_of(columns: &[(String, Value)]) -> CopyIds {
    let text = |index: usize| match columns.get(index) {
        Some((_, Value::Text(Some(text)))) => text.clone(),
        Some(_) | None => String::new(),
    };
    CopyIds { job: text(0), step: text(1) }
}
