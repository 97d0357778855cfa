//! Divides what the net finds where it joins too much: months of a list, and a name and the quarter beside it.

use std::ops::Range;

use super::business_dates::is_quarter_sign;
use super::date_line::Line;
use super::kinds::EntityKind;
use crate::spoken::month;
use crate::words::{Token, tokens};

/// The entities in a range that the net takes for one: none, one or two.
pub(super) fn divided(text: &str, range: Range<usize>, kind: EntityKind) -> Vec<Range<usize>> {
    let words = tokens(text, range.clone());
    match kind {
        EntityKind::Date => dates(range, &words),
        EntityKind::Person | EntityKind::Location | EntityKind::Organization => name(range, &words),
        EntityKind::Time
        | EntityKind::Money
        | EntityKind::Percent
        | EntityKind::Number
        | EntityKind::Phone
        | EntityKind::Email
        | EntityKind::Url => vec![range],
    }
}

/// `April and May` are two dates, and `annualized` is none.
fn dates(range: Range<usize>, words: &[Token]) -> Vec<Range<usize>> {
    match words {
        [first, link, second] if link.is_one_of(&["and", "or"]) && is_month(first) && is_month(second) => {
            vec![first.range.clone(), second.range.clone()]
        }
        [word] if word.is_one_of(&["annualised", "annualized"]) => Vec::new(),
        _ => vec![range],
    }
}

fn is_month(word: &Token) -> bool {
    month(&word.lower).is_some()
}

/// A name without a quarter before or after it: `Ingersoll Rand` of `Ingersoll Rand first quarter`. `Q3` is not a name.
fn name(range: Range<usize>, words: &[Token]) -> Vec<Range<usize>> {
    let line = Line(words);
    let first = usize::from(line.word(0) == "the");
    let quarter = |at: usize| line.end_of_date(at).filter(|end| names_quarter(&words[at..*end]));
    if let Some(end) = quarter(first) {
        return words.get(end).map(|next| next.range.start..range.end).into_iter().collect();
    }
    let at_end = |at: &usize| quarter(*at) == Some(words.len());
    match (first + 1..words.len()).find(at_end) {
        Some(at) => std::iter::once(range.start..words[at - 1].range.end).collect(),
        None => vec![range],
    }
}

fn names_quarter(date: &[Token]) -> bool {
    date.iter().any(|word| is_quarter_sign(&word.lower) || word.is_one_of(&["quarter", "quarters"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use EntityKind::{Date, Organization};

    fn parts(text: &str, kind: EntityKind) -> Vec<&str> {
        divided(text, 0..text.len(), kind).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn months_of_a_pair_are_two_dates() {
        assert_eq!(parts("April and May", Date), ["April", "May"]);
        assert_eq!(parts("May and June 2020", Date), ["May and June 2020"]);
        assert!(parts("annualized", Date).is_empty());
    }

    #[test]
    fn a_name_has_no_quarter() {
        assert_eq!(parts("the Ingersoll Rand first quarter", Organization), ["the Ingersoll Rand"]);
        assert_eq!(parts("Q3 2020 ConocoPhillips", Organization), ["ConocoPhillips"]);
        assert_eq!(parts("Latin Quarter", Organization), ["Latin Quarter"]);
        assert!(parts("Q3", Organization).is_empty());
    }
}
