//! Events: numbered per job without gaps, stored without content, read with it.

use auris_domain::event::{Event, EventType};
use auris_domain::id::{EventId, JobId, StepId};
use auris_domain::machine::StepHold;
use auris_domain::time::Millis;
use auris_domain::wire::{self, EventContent, JsonText};

use super::content_bytes::SMALL_CONTENT_BYTES;
use super::read::{decode_job, job_columns};
use crate::error::StoreError;
use crate::sql::{Argument, Row, Statement, Tx, Unread, args, statements, to_milliseconds, unreadable};
use crate::store::Store;
use crate::wakeups::Topic;

/// Maximum percentage of a running job; only completion sets 100.
const MAX_PERCENT_RUNNING: u8 = 99;

macro_rules! insert_events {
    () => {
        "INSERT INTO events (job_id, sequence, id, kind, created_at, step_id, data) VALUES"
    };
}

statements! {
    INSERT_EVENT: BatchedWrite = concat!(insert_events!(), " ($1, $3, $4, $5, $2, $6, $7)");
    INSERT_TWO: BatchedWrite = concat!(insert_events!(), " ($1, $3, $4, $5, $2, $6, $7), ($1, $8, $9, $10, $2, $11, $12)");
    INSERT_FOUR: BatchedWrite = concat!(insert_events!(), " ($1, $3, $4, $5, $2, $6, $7), ($1, $8, $9, $10, $2, $11, $12),
        ($1, $13, $14, $15, $2, $16, $17), ($1, $18, $19, $20, $2, $21, $22)");
    /// Takes the numbers of the new events. It locks the job's row, so that concurrent writers wait.
    APPEND = concat!("UPDATE jobs SET event_seq = event_seq + $2,
            percent = CASE WHEN percent > $3 THEN percent ELSE $3 END,
            audio_processed_ms = COALESCE($4, audio_processed_ms), audio_total_ms = COALESCE($5, audio_total_ms)
        WHERE id = $1 AND status IN ('in_progress', 'cancelling') RETURNING ", job_columns!());
    /// Runs after the job's row is locked, so that the answer stays true until the commit.
    FENCE = "SELECT 1 AS one FROM steps WHERE job_id = $1 AND ordinal = $2 AND attempt = $3 AND status = 'in_progress'";
    EVENTS = "SELECT job_id, sequence, id, kind, created_at, step_id, data FROM events
        WHERE job_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3";
    /// This and the next statement leave out content that is larger than their second argument.
    RESULT = "SELECT CAST(octet_length(result) AS BIGINT) AS bytes,
            CASE WHEN octet_length(result) <= CAST($2 AS BIGINT) THEN result END AS result
        FROM job_results WHERE job_id = $1";
    STEP_CONTENT = "SELECT CAST(octet_length(output) + octet_length(response) AS BIGINT) AS bytes,
            CASE WHEN octet_length(output) + octet_length(response) <= CAST($2 AS BIGINT) THEN output END AS output,
            CASE WHEN octet_length(output) + octet_length(response) <= CAST($2 AS BIGINT) THEN response END AS response
        FROM steps
        JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
        WHERE steps.id = $1";
    LAST_SEQUENCE = "SELECT event_seq FROM jobs WHERE id = $1";
    COUNT_EVENTS = "SELECT COUNT(*) AS events FROM events WHERE job_id = $1 AND kind = $2";
}

/// An event to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    pub kind: EventType,
    pub step_id: Option<StepId>,
    /// Without content, unless the event itself is content. The store fills in the data of `job.progress`.
    pub data: JsonText,
}

/// The progress of a running step.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioProgress {
    /// The percentage of the whole job.
    pub percent: u8,
    /// `None` if the step reads no audio.
    pub processed_seconds: Option<f64>,
    pub total_seconds: Option<f64>,
}

/// Events and progress that a running step reports.
#[derive(Debug, Clone, PartialEq)]
pub struct StepEvents {
    pub job: JobId,
    /// Fences the report: it is refused if the step is no longer in this attempt.
    pub hold: StepHold,
    pub events: Vec<NewEvent>,
    pub progress: Option<AudioProgress>,
    pub now: Millis,
}

/// Events of one job with consecutive numbers from `first`.
pub(crate) struct NumberedEvents<'a> {
    pub(crate) job: &'a JobId,
    pub(crate) first: i64,
    pub(crate) events: &'a [NewEvent],
}

impl Store {
    /// Appends events of a running step and updates its job's progress. Returns false, and writes nothing, if the step
    /// no longer runs in this attempt.
    pub async fn append_events(&self, mut step: StepEvents) -> Result<bool, StoreError> {
        let mut tx = self.database().begin().await?;
        if !append(&mut tx, &mut step).await? {
            tx.rollback().await?;
            return Ok(false);
        }
        tx.commit().await?;
        self.wake([Topic::Job(step.job)]);
        Ok(true)
    }

    /// The stored events after the given number, in order, without results and outputs.
    pub async fn read_events(&self, job: &JobId, after: i64, limit: u32) -> Result<Vec<Event>, StoreError> {
        let rows = self.database().many_rows(&EVENTS, args![job, after, limit]).await?;
        rows.iter().map(decode_event).collect()
    }

    /// The number of the newest event; zero if there is no such job.
    pub async fn last_sequence(&self, job: &JobId) -> Result<i64, StoreError> {
        let row = self.database().row(&LAST_SEQUENCE, args![job]).await?;
        row.map_or(Ok(0), |row| row.integer("event_seq"))
    }

    pub async fn count_events(&self, job: &JobId, kind: EventType) -> Result<i64, StoreError> {
        let arguments = args![job, kind.as_str()];
        let row = self.database().row(&COUNT_EVENTS, arguments).await?;
        row.map_or(Ok(0), |row| row.integer("events"))
    }

    /// Adds the content that the event refers to, unless it was deleted. Large content is not added; its bytes are
    /// returned instead.
    pub async fn fill_in(&self, event: &mut Event) -> Result<Option<u64>, StoreError> {
        let Some((statement, id)) = content_of(event) else { return Ok(None) };
        let Some(row) = self.database().row(&statement, args![id, SMALL_CONTENT_BYTES]).await? else {
            return Ok(None);
        };
        let bytes = row.count("bytes")?;
        if bytes > SMALL_CONTENT_BYTES as u64 {
            return Ok(Some(bytes));
        }
        add_content(event, &row)?;
        Ok(None)
    }

    /// The event with its content, however large that is.
    pub async fn fill_in_large(&self, event: &Event) -> Result<Unread<Event>, StoreError> {
        let rows = match content_of(event) {
            Some((statement, id)) => self.database().many_rows(&statement, args![id, i64::MAX]).await?,
            None => Vec::new(),
        };
        let mut event = event.clone();
        Ok(Unread::of_rows(rows, move |rows| {
            if let Some(row) = rows.first() {
                add_content(&mut event, row)?;
            }
            Ok(event)
        }))
    }
}

/// The statement that selects an event's content, and the id of the row; `None` for an event without content.
fn content_of(event: &Event) -> Option<(Statement, &str)> {
    if event.kind.is_terminal() {
        return Some((RESULT, event.job_id.as_str()));
    }
    let step = event.step_id.as_ref().filter(|_| event.kind == EventType::StepCompleted)?;
    Some((STEP_CONTENT, step.as_str()))
}

fn add_content(event: &mut Event, row: &Row) -> Result<(), StoreError> {
    let added = if event.kind.is_terminal() {
        event.add_content(&EventContent::Result(&row.json_text("result")?))
    } else {
        let (output, response) = (row.json_text("output")?, row.json_text("response")?);
        event.add_content(&EventContent::Step { output: &output, response: &response })
    };
    added.map_err(|_| unreadable("data"))
}

async fn append(tx: &mut Tx, step: &mut StepEvents) -> Result<bool, StoreError> {
    let Some(row) = tx.row(&APPEND, progress_arguments(step)).await? else {
        return Ok(false);
    };
    if tx.row(&FENCE, args![&step.job, step.hold.ordinal(), step.hold.attempt()]).await?.is_none() {
        return Ok(false);
    }
    let progress = step.events.iter_mut().filter(|event| event.kind == EventType::JobProgress);
    for event in progress {
        event.data = wire::job(&decode_job(&row)?, None);
    }
    let first = row.integer("event_seq")? - step.events.len() as i64 + 1;
    let events = NumberedEvents { job: &step.job, first, events: &step.events };
    insert_events(tx, events, step.now).await?;
    Ok(true)
}

fn progress_arguments(step: &StepEvents) -> Vec<Argument> {
    let progress = step.progress.as_ref();
    let percent = progress.map_or(0, |progress| progress.percent.min(MAX_PERCENT_RUNNING));
    args![
        &step.job,
        step.events.len() as i64,
        i64::from(percent),
        progress.and_then(|progress| progress.processed_seconds).map(to_milliseconds),
        progress.and_then(|progress| progress.total_seconds).map(to_milliseconds),
    ]
}

/// Writes events under numbers that the job's row has given out; returns their ids.
pub(crate) async fn insert_events(
    tx: &mut Tx,
    numbered: NumberedEvents<'_>,
    now: Millis,
) -> Result<Vec<EventId>, StoreError> {
    let ids: Vec<EventId> = numbered.events.iter().map(|_| EventId::generate(now)).collect();
    let mut sequence = numbered.first;
    let mut rest: Vec<(&EventId, &NewEvent)> = ids.iter().zip(numbered.events).collect();
    while !rest.is_empty() {
        // Statements for one, two and four events: few round trips for many events, and few texts to prepare.
        let (statement, count) = match rest.len() {
            1 => (INSERT_EVENT, 1),
            2 | 3 => (INSERT_TWO, 2),
            _ => (INSERT_FOUR, 4),
        };
        let mut arguments = args![numbered.job, now.timestamp()];
        for (id, event) in rest.drain(..count) {
            let data = event.data.as_str();
            arguments.extend(args![sequence, id, event.kind.as_str(), event.step_id.as_ref(), data]);
            sequence += 1;
        }
        tx.write_later(&statement, arguments).await?;
    }
    Ok(ids)
}

fn decode_event(row: &Row) -> Result<Event, StoreError> {
    let data = row.json_text("data")?;
    if !data.as_str().starts_with('{') {
        return Err(StoreError::Corrupt("an event's data is not an object".into()));
    }
    Ok(Event {
        id: row.parsed("id")?,
        job_id: row.parsed("job_id")?,
        sequence: row.integer("sequence")?,
        kind: row.parsed("kind")?,
        created_at: row.moment("created_at")?,
        step_id: row.optional_parsed("step_id")?,
        data,
    })
}
