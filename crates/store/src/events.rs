//! Events: numbered without gaps per job, stored without content, told with it.

use auris_domain::event::{Event, EventType};
use auris_domain::id::{EventId, JobId, StepId};
use auris_domain::time::Millis;
use serde_json::Value;

use crate::db::{Row, Tx, args};
use crate::decode::{to_json, to_milliseconds};
use crate::error::StoreError;
use crate::jobs::{decode_job, job_columns};
use crate::notify::Topic;
use crate::statements::statements;
use crate::store::Store;

/// 100 is told by the job's completion alone.
const MOST_IN_PROGRESS: u8 = 99;

macro_rules! insert_events {
    () => {
        "INSERT INTO events (job_id, sequence, id, kind, created_at, step_id, data) VALUES"
    };
}

statements! {
    INSERT_EVENT = concat!(insert_events!(), " ($1, $3, $4, $5, $2, $6, $7)");
    INSERT_TWO = concat!(insert_events!(), " ($1, $3, $4, $5, $2, $6, $7), ($1, $8, $9, $10, $2, $11, $12)");
    INSERT_FOUR = concat!(insert_events!(), " ($1, $3, $4, $5, $2, $6, $7), ($1, $8, $9, $10, $2, $11, $12),
        ($1, $13, $14, $15, $2, $16, $17), ($1, $18, $19, $20, $2, $21, $22)");
    /// Takes the numbers of the new events; this is also what makes rivals wait their turn.
    APPEND = concat!("UPDATE jobs SET event_seq = event_seq + $2,
            percent = CASE WHEN percent > $3 THEN percent ELSE $3 END,
            audio_processed_ms = COALESCE($4, audio_processed_ms), audio_total_ms = COALESCE($5, audio_total_ms)
        WHERE id = $1 AND status IN ('in_progress', 'cancelling') RETURNING ", job_columns!());
    /// Asked after the job's row is held, so that the answer stays true until the commit.
    FENCE = "SELECT 1 AS one FROM steps WHERE job_id = $1 AND ordinal = $2 AND attempt = $3 AND status = 'in_progress'";
    EVENTS = "SELECT job_id, sequence, id, kind, created_at, step_id, data FROM events
        WHERE job_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3";
    RESULT = "SELECT result FROM job_results WHERE job_id = $1";
    STEP_CONTENT = "SELECT output, response FROM steps
        JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
        WHERE steps.id = $1";
    LAST_SEQUENCE = "SELECT event_seq FROM jobs WHERE id = $1";
    COUNT_EVENTS = "SELECT COUNT(*) AS events FROM events WHERE job_id = $1 AND kind = $2";
}

/// An event on its way to the store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    pub kind: EventType,
    pub step_id: Option<StepId>,
    /// Without content, unless the event is content itself. For `job.progress` the store fills it in.
    pub data: Value,
}

/// How far a running step has come.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioProgress {
    /// Of the whole job.
    pub percent: u8,
    /// Absent where the step reads no audio.
    pub processed_seconds: Option<f64>,
    pub total_seconds: Option<f64>,
}

impl Store {
    /// Appends events of a running step and moves its job's progress. False, and nothing written, when `fence` (the
    /// step's ordinal and attempt) no longer runs it.
    pub async fn append_events(
        &self,
        job: &JobId,
        fence: (i64, i64),
        events: Vec<NewEvent>,
        progress: Option<AudioProgress>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let mut tx = self.database().begin().await?;
        if !append(&mut tx, job, fence, events, progress, now).await? {
            tx.rollback().await?;
            return Ok(false);
        }
        tx.commit().await?;
        self.wake([Topic::Job(job.clone())]);
        Ok(true)
    }

    /// Events after the given number, in order, as they are stored: results and outputs are put in by `fill_in`, one
    /// event at a time, because they can be large.
    pub async fn read_events(&self, job: &JobId, after: i64, limit: u32) -> Result<Vec<Event>, StoreError> {
        let rows = self.database().rows(&EVENTS, args![job, after, limit]).await?;
        rows.iter().map(decode_event).collect()
    }

    /// The number of the newest event; zero for a job that is not there.
    pub async fn last_sequence(&self, job: &JobId) -> Result<i64, StoreError> {
        let row = self.database().row(&LAST_SEQUENCE, args![job]).await?;
        row.map_or(Ok(0), |row| row.integer("event_seq"))
    }

    pub async fn count_events(&self, job: &JobId, kind: EventType) -> Result<i64, StoreError> {
        let arguments = args![job, kind.as_str()];
        let row = self.database().row(&COUNT_EVENTS, arguments).await?;
        row.map_or(Ok(0), |row| row.integer("events"))
    }

    /// Puts in the content that the event tells of, where it is still there.
    pub async fn fill_in(&self, event: &mut Event) -> Result<(), StoreError> {
        if event.kind.is_terminal() {
            if let Some(row) = self.database().row(&RESULT, args![&event.job_id]).await? {
                event.data["result"] = row.json("result")?;
            }
        } else if event.kind == EventType::StepCompleted
            && let Some(step) = &event.step_id
            && let Some(row) = self.database().row(&STEP_CONTENT, args![step]).await?
        {
            event.data["output"] = row.json("output")?;
            event.data["response"] = row.json("response")?;
        }
        Ok(())
    }
}

async fn append(
    tx: &mut Tx,
    job: &JobId,
    (ordinal, attempt): (i64, i64),
    mut events: Vec<NewEvent>,
    progress: Option<AudioProgress>,
    now: Millis,
) -> Result<bool, StoreError> {
    let progress = progress.as_ref();
    let percent = progress.map_or(0, |progress| progress.percent.min(MOST_IN_PROGRESS));
    let arguments = args![
        job,
        events.len() as i64,
        i64::from(percent),
        progress.and_then(|progress| progress.processed_seconds).map(to_milliseconds),
        progress.and_then(|progress| progress.total_seconds).map(to_milliseconds),
    ];
    let Some(row) = tx.row(&APPEND, arguments).await? else {
        return Ok(false);
    };
    if tx.row(&FENCE, args![job, ordinal, attempt]).await?.is_none() {
        return Ok(false);
    }
    let told = events.iter_mut().filter(|event| event.kind == EventType::JobProgress);
    for event in told {
        event.data = decode_job(&row)?.wire(None);
    }
    let first = row.integer("event_seq")? - events.len() as i64 + 1;
    insert_events(tx, job, first, &events, now).await?;
    Ok(true)
}

/// Writes events under numbers that the job's row has given out; returns their ids.
pub(crate) async fn insert_events(
    tx: &mut Tx,
    job: &JobId,
    first: i64,
    events: &[NewEvent],
    now: Millis,
) -> Result<Vec<EventId>, StoreError> {
    let ids: Vec<EventId> = events.iter().map(|_| EventId::generate(now)).collect();
    let mut rest: Vec<(i64, &EventId, &NewEvent)> =
        (first..).zip(&ids).zip(events).map(|((sequence, id), event)| (sequence, id, event)).collect();
    while !rest.is_empty() {
        // Few statements for many events, and few texts to prepare.
        let (statement, count) = match rest.len() {
            1 => (INSERT_EVENT, 1),
            2 | 3 => (INSERT_TWO, 2),
            _ => (INSERT_FOUR, 4),
        };
        let mut arguments = args![job, now.timestamp()];
        for (sequence, id, event) in rest.drain(..count) {
            let (step, data) = (event.step_id.as_ref(), to_json(&event.data)?);
            arguments.extend(args![sequence, id, event.kind.as_str(), step, data]);
        }
        tx.later(&statement, arguments).await?;
    }
    Ok(ids)
}

fn decode_event(row: &Row) -> Result<Event, StoreError> {
    let data: Value = row.json("data")?;
    if !data.is_object() {
        return Err(StoreError::Corrupt("an event's data is no object".into()));
    }
    Ok(Event {
        id: row.parsed("id")?,
        job_id: row.parsed("job_id")?,
        sequence: row.integer("sequence")?,
        kind: row.word("kind", EventType::parse)?,
        created_at: row.moment("created_at")?,
        step_id: row.optional_parsed("step_id")?,
        data,
    })
}
