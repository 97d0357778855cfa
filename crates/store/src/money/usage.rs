//! Usage of projects, summed from the ledger by day and model, exact to the last digit.

use std::collections::BTreeMap;

use auris_domain::id::{EntryId, ProjectId};
use auris_domain::time::{Millis, Timestamp};
use auris_domain::usage::Usage;

use crate::error::StoreError;
use crate::sql::{Row, args, statements};
use crate::store::Store;

/// Number of entries that are read at a time. Decimals are summed here, because SQL would round them.
const ENTRIES_PER_PAGE: i64 = 10_000;
/// Sorts after every entry id.
const AFTER_ALL_ENTRIES: &str = "led_zzzzzzzzzzzzzzzzzzzzz";

statements! {
    /// Ids sort by time, so that a span of time is a range of the index.
    ENTRIES = "SELECT id, model, kind, audio_seconds, input_tokens, output_tokens, characters, amount, created_at
            FROM ledger WHERE project_id = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4",
        postgres = "SELECT id, model, kind, audio_seconds, input_tokens, output_tokens, characters, amount, created_at
            FROM ledger WHERE (project_id, id) > ($1, $2) AND (project_id, id) < ($1, $3)
            ORDER BY project_id, id LIMIT $4";
}

/// A span of time, including `since` and excluding `until`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

/// A project's usage of one model on one day, UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageLine {
    pub day: String,
    pub model: String,
    /// The number of synchronous calls and steps.
    pub entries: u64,
    pub usage: Usage,
}

impl Store {
    /// A project's usage in a span of time, ordered by day and model.
    pub async fn usage_lines(&self, project: &ProjectId, span: Span) -> Result<Vec<UsageLine>, StoreError> {
        let (mut last, end) = bounds(span);
        let mut lines: BTreeMap<(String, String), UsageLine> = BTreeMap::new();
        loop {
            let rows =
                self.database().many_rows(&ENTRIES, args![project, &last, &end, ENTRIES_PER_PAGE]).await?;
            for row in &rows {
                add(&mut lines, row)?;
            }
            match rows.last() {
                Some(row) if rows.len() as i64 == ENTRIES_PER_PAGE => last = row.text("id")?,
                Some(_) | None => return Ok(lines.into_values().collect()),
            }
        }
    }
}

/// The ids between which the entries of a span are.
fn bounds(span: Span) -> (String, String) {
    let first = |moment: Timestamp| EntryId::first_of(Millis(moment.0.saturating_mul(1000))).to_string();
    // Without its last character, an id sorts just before the first id of that time.
    let since = span.since.map(first).map(|id| id[..id.len() - 1].to_owned()).unwrap_or_default();
    (since, span.until.map_or_else(|| AFTER_ALL_ENTRIES.to_owned(), first))
}

fn add(lines: &mut BTreeMap<(String, String), UsageLine>, row: &Row) -> Result<(), StoreError> {
    if row.text("kind")? == "credit" {
        return Ok(());
    }
    let day = row.moment("created_at")?.day();
    let model = row.text("model")?;
    let line = lines.entry((day.clone(), model.clone())).or_insert_with(|| UsageLine {
        day,
        model,
        entries: 0,
        usage: Usage::NONE,
    });
    line.entries += 1;
    line.usage = line.usage.clone() + decode_usage(row)?;
    Ok(())
}

fn decode_usage(row: &Row) -> Result<Usage, StoreError> {
    Ok(Usage {
        audio_seconds: row.count("audio_seconds")?,
        input_tokens: row.count("input_tokens")?,
        output_tokens: row.count("output_tokens")?,
        characters: row.count("characters")?,
        cost_usd: row.parsed("amount")?,
    })
}
