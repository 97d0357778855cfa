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

    /// A query that gives the row of the first, and how many rows the others touched together as `touched`. The first is
    /// run before the others, for the count is made for its row. What else waits goes along.
    pub(crate) fn into_query(mut self, waiting: Self) -> (String, Vec<Argument>) {
        for text in self.texts.iter_mut().skip(1) {
            text.push_str(" RETURNING 1");
        }
        let counts = (1..self.texts.len()).map(|place| format!(" + (SELECT COUNT(*) FROM part_{place})"));
        let counts: String = counts.collect();
        let moved = waiting.texts.iter().map(|text| renumbered(text, self.arguments.len()));
        self.texts.extend(moved);
        self.arguments.extend(waiting.arguments);
        let with = with(&self.texts);
        (format!("{with}SELECT part_0.*, CAST(0 AS BIGINT){counts} AS touched FROM part_0"), self.arguments)
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
    fn a_query_has_the_row_of_the_first_counts_the_others_and_takes_along_what_waits() {
        let mut waiting = Gathered::default();
        waiting.add("DELETE FROM c WHERE z = $1", args!["three"]);
        let wanted = "WITH part_0 AS (UPDATE a SET x = $2 WHERE y = $1), \
             part_1 AS (INSERT INTO b VALUES ($3, $12) RETURNING 1), \
             part_2 AS (DELETE FROM c WHERE z = $4) \
             SELECT part_0.*, CAST(0 AS BIGINT) + (SELECT COUNT(*) FROM part_1) AS touched FROM part_0";
        let (text, arguments) = two().into_query(waiting);
        assert_eq!(text, wanted);
        assert_eq!(arguments.len(), 4);
    }
}
