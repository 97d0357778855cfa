//! Several statements as one, so that they need one way to PostgreSQL and back and not one each.
//!
//! It runs all of them on what it saw when it began: none may depend on what another of them writes.

use crate::db::Argument;

/// As many go together; the texts that come of it are prepared once a connection, so they must not be without number.
const MOST: usize = 16;

#[derive(Default)]
pub(crate) struct Gathered {
    texts: Vec<String>,
    arguments: Vec<Argument>,
}

impl Gathered {
    pub(crate) fn add(&mut self, text: &str, arguments: Vec<Argument>) {
        self.texts.push(renumbered(text, self.arguments.len()));
        self.arguments.extend(arguments);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.texts.len() >= MOST
    }

    /// All of them, as a write; `None` where there are none.
    pub(crate) fn into_write(mut self) -> Option<(String, Vec<Argument>)> {
        let last = self.texts.pop()?;
        Some((with(&self.texts) + &last, self.arguments))
    }

    /// All of them, with two more writes, as a query that gives the row of the first of those, and as `touched` how many
    /// rows the second touched. That one is made after the first and only if it found its row: rows would be locked else
    /// that everybody locks behind it.
    pub(crate) fn into_query(
        mut self,
        (first, its_arguments): (&str, Vec<Argument>),
        (second, and_its): (&str, Vec<Argument>),
    ) -> (String, Vec<Argument>) {
        self.add(first, its_arguments);
        let first = format!("part_{}", self.texts.len() - 1);
        self.add(&format!("{second} AND EXISTS (SELECT 1 FROM {first}) RETURNING 1"), and_its);
        let second = format!("part_{}", self.texts.len() - 1);
        let with = with(&self.texts);
        let text = format!("{with}SELECT {first}.*, (SELECT COUNT(*) FROM {second}) AS touched FROM {first}");
        (text, self.arguments)
    }
}

fn with(texts: &[String]) -> String {
    let parts = texts.iter().enumerate().map(|(place, text)| format!("part_{place} AS ({text})"));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("WITH {} ", parts.join(", ")) }
}

/// The same text with every `$n` moved up by as many places.
fn renumbered(text: &str, by: usize) -> String {
    let mut pieces = text.split('$');
    let mut moved = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let (place, rest) = piece.split_at(digits);
        let place: usize = place.parse().unwrap_or_default();
        moved.push_str(&format!("${}{rest}", place + by));
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::args;

    fn two() -> Gathered {
        let mut gathered = Gathered::default();
        gathered.add("UPDATE a SET x = $2 WHERE y = $1", args!["one", 1_i64]);
        gathered.add("INSERT INTO b VALUES ($1, $10)", args!["two"]);
        gathered
    }

    #[test]
    fn places_are_moved_behind_those_of_the_statements_before() {
        let (text, arguments) = two().into_write().unwrap();
        let wanted = "WITH part_0 AS (UPDATE a SET x = $2 WHERE y = $1) INSERT INTO b VALUES ($3, $12)";
        assert_eq!(text, wanted);
        assert_eq!(arguments.len(), 3);
    }

    #[test]
    fn one_stays_as_it_is_and_none_is_none() {
        let mut gathered = Gathered::default();
        gathered.add("DELETE FROM a WHERE x = $1", args![1_i64]);
        assert_eq!(gathered.into_write().unwrap().0, "DELETE FROM a WHERE x = $1");
        assert!(Gathered::default().into_write().is_none());
    }

    #[test]
    fn a_query_makes_its_second_write_where_the_first_found_a_row() {
        let mut waiting = Gathered::default();
        waiting.add("DELETE FROM c WHERE z = $1", args!["zero"]);
        let first = ("UPDATE a SET x = $2 WHERE y = $1 RETURNING x", args!["one", 1_i64]);
        let second = ("UPDATE b SET x = $1 WHERE y = 0", args!["two"]);
        let wanted = "WITH part_0 AS (DELETE FROM c WHERE z = $1), \
             part_1 AS (UPDATE a SET x = $3 WHERE y = $2 RETURNING x), \
             part_2 AS (UPDATE b SET x = $4 WHERE y = 0 AND EXISTS (SELECT 1 FROM part_1) RETURNING 1) \
             SELECT part_1.*, (SELECT COUNT(*) FROM part_2) AS touched FROM part_1";
        let (text, arguments) = waiting.into_query(first, second);
        assert_eq!(text, wanted);
        assert_eq!(arguments.len(), 4);
    }
}
