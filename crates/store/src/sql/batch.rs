//! Several writes sent to PostgreSQL as one statement, so that they need one round trip instead of one each.
//!
//! PostgreSQL runs all parts of such a statement on the same snapshot, so no part may depend on what another part writes.

use super::arguments::Argument;
use super::statements::{BatchedWrite, ConditionalWrite, ReturningWrite};

/// Maximum number of writes in one batch. Longer batches would make more distinct texts, and each is prepared once per
/// connection. The number of prepared texts is bounded in any case: the driver evicts the least recently used one when
/// its cache of `PREPARED_STATEMENTS` is full.
const MAX_WRITES: usize = 16;

/// Writes that are waiting to be sent.
#[derive(Default)]
pub(crate) struct Batch {
    texts: Vec<String>,
    arguments: Vec<Argument>,
}

/// Two writes that run in one round trip. The second runs only if the first matches a row.
pub(crate) struct WritePair<'a> {
    pub(crate) first: &'a ReturningWrite,
    pub(crate) first_arguments: Vec<Argument>,
    pub(crate) second: &'a ConditionalWrite,
    pub(crate) second_arguments: Vec<Argument>,
}

impl Batch {
    pub(crate) fn add(&mut self, write: &BatchedWrite, arguments: Vec<Argument>) {
        self.push(write.statement().postgres, arguments);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.texts.len() >= MAX_WRITES
    }

    /// The whole batch as one write; `None` if it is empty.
    pub(crate) fn into_write(mut self) -> Option<(String, Vec<Argument>)> {
        let last = self.texts.pop()?;
        Some((with_clause(&self.texts) + &last, self.arguments))
    }

    /// The batch plus two writes as one query. It returns the first write's row and, as `touched`, the row count of the
    /// second. The second runs only if the first matched a row, so that steps are never locked before their job.
    pub(crate) fn into_query(mut self, pair: WritePair<'_>) -> (String, Vec<Argument>) {
        let row = self.push(pair.first.statement().postgres, pair.first_arguments);
        let write = pair.second.statement().postgres;
        let conditional = format!("{write} AND EXISTS (SELECT 1 FROM {row}) RETURNING 1");
        let written = self.push(&conditional, pair.second_arguments);
        let with = with_clause(&self.texts);
        let text = format!("{with}SELECT {row}.*, (SELECT COUNT(*) FROM {written}) AS touched FROM {row}");
        (text, self.arguments)
    }

    /// Adds a text and returns its name in the `WITH` clause.
    fn push(&mut self, text: &str, arguments: Vec<Argument>) -> String {
        self.texts.push(renumbered(text, self.arguments.len()));
        self.arguments.extend(arguments);
        part_name(self.texts.len() - 1)
    }
}

fn part_name(index: usize) -> String {
    format!("part_{index}")
}

fn with_clause(texts: &[String]) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let part = |(index, text): (usize, &String)| format!("{} AS ({text})", part_name(index));
    let parts: Vec<String> = texts.iter().enumerate().map(part).collect();
    format!("WITH {} ", parts.join(", "))
}

/// The same text with every `$n` increased by `offset`. The statement types guarantee that digits follow every `$`.
fn renumbered(text: &str, offset: usize) -> String {
    let mut pieces = text.split('$');
    let mut moved = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = piece.split_at(digits);
        let number: usize = number.parse().unwrap_or_default();
        moved.push_str(&format!("${}{rest}", number + offset));
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::super::arguments::args;
    use super::*;

    const UPDATE_A: &str = "UPDATE a SET x = $2 WHERE y = $1";
    const INSERT_B: &str = "INSERT INTO b VALUES ($1, $10)";
    const DELETE_C: &str = "DELETE FROM c WHERE z = $1";

    #[test]
    fn parameters_are_renumbered_after_those_of_earlier_writes() {
        let mut batch = Batch::default();
        batch.add(&BatchedWrite::new("", UPDATE_A), args!["one", 1_i64]);
        batch.add(&BatchedWrite::new("", INSERT_B), args!["two"]);
        let (text, arguments) = batch.into_write().unwrap();
        assert_eq!(text, "WITH part_0 AS (UPDATE a SET x = $2 WHERE y = $1) INSERT INTO b VALUES ($3, $12)");
        assert_eq!(arguments.len(), 3);
    }

    #[test]
    fn a_single_write_is_unchanged_and_an_empty_batch_is_nothing() {
        let mut batch = Batch::default();
        batch.add(&BatchedWrite::new("", DELETE_C), args![1_i64]);
        assert_eq!(batch.into_write().unwrap().0, DELETE_C);
        assert!(Batch::default().into_write().is_none());
    }

    #[test]
    fn the_second_write_of_a_query_depends_on_the_first() {
        let mut batch = Batch::default();
        batch.add(&BatchedWrite::new("", DELETE_C), args!["zero"]);
        let pair = WritePair {
            first: &ReturningWrite::new("", "UPDATE a SET x = $2 WHERE y = $1 RETURNING x"),
            first_arguments: args!["one", 1_i64],
            second: &ConditionalWrite::new("", "UPDATE b SET x = $1 WHERE y = 0"),
            second_arguments: args!["two"],
        };
        let (text, arguments) = batch.into_query(pair);
        assert_eq!(
            text,
            "WITH part_0 AS (DELETE FROM c WHERE z = $1), \
             part_1 AS (UPDATE a SET x = $3 WHERE y = $2 RETURNING x), \
             part_2 AS (UPDATE b SET x = $4 WHERE y = 0 AND EXISTS (SELECT 1 FROM part_1) RETURNING 1) \
             SELECT part_1.*, (SELECT COUNT(*) FROM part_2) AS touched FROM part_1"
        );
        assert_eq!(arguments.len(), 4);
    }
}
