//! What the bare SQL loops do: the statements of the store, with the values that the real server wrote.

use std::sync::Arc;

use anyhow::Context;

use crate::captured::{CapturedRow, CopyIds, Insert, inserts};
use crate::database::DatabaseKind;
use crate::home::Home;
use crate::sql::{Statement, Value};

/// The rows of one job, by the transaction that writes them.
pub(crate) struct Recipe {
    pub(crate) created: Vec<Insert>,
    pub(crate) started: Vec<Insert>,
    pub(crate) finished: Vec<Insert>,
    /// How many events are among the rows of a start, and of an end.
    events: (i64, i64),
    /// The job and its step when all is done, for the values of the updates.
    pub(crate) job: CapturedRow,
    pub(crate) step: CapturedRow,
    pub(crate) statements: Statements,
}

/// The texts of the store's statements, as far as rows are not simply inserted.
pub(crate) struct Statements {
    pub(crate) any_queued: Statement,
    pub(crate) candidates: Statement,
    pub(crate) job_of_run: Statement,
    pub(crate) steps_of: Statement,
    pub(crate) outputs: Statement,
    pub(crate) artifacts_of: Statement,
    pub(crate) endpoints: Statement,
    pub(crate) move_job: Statement,
    pub(crate) move_step: Statement,
    pub(crate) job: Statement,
    pub(crate) last_sequence: Statement,
    pub(crate) events: Statement,
    pub(crate) result: Statement,
    pub(crate) step_content: Statement,
}

impl Recipe {
    /// From what was stored of a job right after its creation, and after its end.
    pub(crate) fn new(
        kind: DatabaseKind,
        created: &[CapturedRow],
        ended: &[CapturedRow],
    ) -> anyhow::Result<Self> {
        let row = |table| ended.iter().find(|row| row.table == table).cloned();
        let (job, step) = (row("jobs").context("a job")?, row("steps").context("a step")?);
        let later = ended.iter().filter(|row| !["projects", "jobs", "steps"].contains(&row.table));
        let later = later.filter(|row| !created.contains(row)).cloned();
        let (started, finished): (Vec<_>, Vec<_>) = later.partition(tells_of_a_start);
        let created: Vec<_> = created.iter().filter(|row| row.table != "projects").cloned().collect();
        Ok(Self {
            created: inserts(&created),
            started: inserts(&started),
            finished: inserts(&finished),
            events: (events(&started), events(&finished)),
            job,
            step,
            statements: Statements::new(kind),
        })
    }

    /// How many events go with the two transitions of a step.
    pub(crate) fn events_of_a_step(&self) -> i64 {
        self.events.0 + self.events.1
    }

    /// The arguments of `move_job` at the start or at the end.
    pub(crate) fn moved_job(&self, ids: &CopyIds, ends: bool) -> Vec<Value> {
        let events = if ends { self.events.1 } else { self.events.0 };
        let at_end = |column| if ends { self.job.value(column) } else { nothing(&self.job.value(column)) };
        vec![
            ids.job.as_str().into(),
            Value::from(if ends { 2 } else { 1 }),
            events.into(),
            if ends { "completed".into() } else { "in_progress".into() },
            self.job.value("started_at"),
            at_end("completed_at"),
            Value::from(if ends { 100 } else { 0 }),
            Value::from(i64::from(ends)),
            if ends { "[]".into() } else { r#"["summary"]"#.into() },
            Value::Text(None),
            at_end("usage"),
        ]
    }

    /// The arguments of `move_step` at the start or at the end.
    pub(crate) fn moved_step(&self, ids: &CopyIds, ends: bool) -> Vec<Value> {
        let at_end = |column| if ends { self.step.value(column) } else { nothing(&self.step.value(column)) };
        let before = if ends { "in_progress" } else { "queued" };
        vec![
            ids.job.as_str().into(),
            Value::from(0),
            if ends { "completed".into() } else { "in_progress".into() },
            self.step.value("resolved_model"),
            self.step.value("started_at"),
            at_end("completed_at"),
            Value::from(1),
            Value::from(0),
            if ends { Value::Text(None) } else { "worker_bench".into() },
            if ends { Value::Integer(None) } else { Value::from(4_000_000_000_000) },
            Value::Text(None),
            at_end("usage"),
            Value::from(i64::from(ends)),
            before.into(),
            before.into(),
            before.into(),
        ]
    }
}

/// An empty database with the project of the captured job in it.
pub(crate) async fn prepare(kind: DatabaseKind, captured: &[CapturedRow]) -> anyhow::Result<Home> {
    let home = Home::empty(kind).await?;
    let mut connection = home.database.connect().await?;
    let project: Vec<_> = captured.iter().filter(|row| row.table == "projects").cloned().collect();
    for insert in inserts(&project) {
        insert.write(&mut connection, &CopyIds::generate()).await?;
    }
    Ok(home)
}

impl Statements {
    fn new(kind: DatabaseKind) -> Self {
        let locked = match kind {
            DatabaseKind::Sqlite => "",
            DatabaseKind::Postgres => " FOR NO KEY UPDATE OF jobs SKIP LOCKED",
        };
        let candidates = format!(
            "SELECT steps.job_id, steps.id, steps.ordinal FROM steps JOIN jobs ON jobs.id = steps.job_id
             WHERE steps.status = 'queued' ORDER BY steps.job_id, steps.ordinal LIMIT 1{locked}"
        );
        Self {
            candidates: candidates.into(),
            any_queued: text("SELECT 1 AS one FROM steps WHERE status = 'queued' LIMIT 1"),
            job_of_run: text("SELECT * FROM jobs WHERE id = $1"),
            steps_of: text("SELECT * FROM steps WHERE job_id = $1 ORDER BY ordinal"),
            outputs: text(
                "SELECT step_key, output FROM steps
                 JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
                 WHERE steps.job_id = $1 AND status = 'completed' ORDER BY steps.ordinal",
            ),
            artifacts_of: text("SELECT * FROM artifacts WHERE job_id = $1 ORDER BY id"),
            endpoints: text(
                "SELECT * FROM endpoints WHERE project_id = $1 AND status = 'enabled' ORDER BY id",
            ),
            move_job: text(
                "UPDATE jobs SET version = version + 1, event_seq = event_seq + $3, status = $4, started_at = $5,
                     completed_at = $6, percent = CASE WHEN percent > $7 THEN percent ELSE $7 END,
                     completed_steps = $8, current_steps = $9, error = $10, usage = $11
                 WHERE id = $1 AND version = $2 RETURNING event_seq, percent, audio_processed_ms, audio_total_ms",
            ),
            move_step: text(
                "UPDATE steps SET status = $3, resolved_model = $4, started_at = $5, completed_at = $6, attempt = $7,
                     losses = $8, worker = $9, lease_until_ms = $10, error = $11, usage = $12
                 WHERE job_id = $1 AND ordinal = $2 AND attempt = $13 AND status IN ($14, $15, $16)",
            ),
            job: text(
                "SELECT jobs.*, result FROM jobs LEFT JOIN job_results ON job_id = id
                 WHERE id = $1 AND project_id = $2",
            ),
            last_sequence: text("SELECT event_seq FROM jobs WHERE id = $1"),
            events: text("SELECT * FROM events WHERE job_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3"),
            result: text("SELECT result FROM job_results WHERE job_id = $1"),
            step_content: text(
                "SELECT output, response FROM steps
                 JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
                 WHERE steps.id = $1",
            ),
        }
    }
}

fn text(text: &str) -> Statement {
    Arc::from(text)
}

/// A null of the same type.
fn nothing(value: &Value) -> Value {
    match value {
        Value::Text(_) => Value::Text(None),
        Value::Integer(_) => Value::Integer(None),
    }
}

fn events(rows: &[CapturedRow]) -> i64 {
    rows.iter().filter(|row| row.table == "events").count() as i64
}

fn tells_of_a_start(row: &CapturedRow) -> bool {
    matches!(row.value("kind"), Value::Text(Some(kind)) if row.table == "events" && kind.ends_with(".in_progress"))
}
