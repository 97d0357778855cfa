//! Writes spoken numbers, dates, times, amounts and addresses as they are written.
//!
//! A wrong number is worse than a number in words. So the number words of a sentence are read in runs (`runs.rs`). A
//! run is written only if one reading explains every word of it, given the words beside it. What is left over or
//! ambiguous stays as it is.

mod amounts;
mod clock;
mod context;
mod dates;
mod day_clock;
pub(crate) mod digit_strings;
pub(crate) mod electronic;
mod fractions;
mod identifiers;
mod idioms;
mod measures;
mod money;
mod ordinals;
mod plain;
mod prices;
mod quantities;
mod ranges;
mod ratios;
pub(crate) mod runs;
mod signs;
pub(crate) mod spelled_names;
mod suffixes;
#[cfg(test)]
mod tests;
mod unannounced_years;
mod years;

use std::ops::Range;

use crate::spoken::SpokenLine;
use runs::Run;

/// Tokens and what is written in their place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rewrite {
    pub(crate) tokens: Range<usize>,
    pub(crate) text: String,
}

/// How a class reads the words that begin at a token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reading {
    Written(Rewrite),
    /// Up to this token the words stay.
    Words(usize),
}

impl Reading {
    fn written(tokens: Range<usize>, text: String) -> Option<Self> {
        Some(Self::Written(Rewrite { tokens, text }))
    }

    pub(crate) fn end(&self) -> usize {
        match self {
            Self::Written(rewrite) => rewrite.tokens.end,
            Self::Words(end) => *end,
        }
    }
}

/// Every rewrite of a sentence, from left to right.
pub(super) fn rewrites(line: SpokenLine<'_>) -> Vec<Rewrite> {
    let mut found = Vec::new();
    let has_dots = line.tokens.iter().any(|token| token.is("dot"));
    let mut at = 0;
    while at < line.tokens.len() {
        let address = if has_dots { electronic::find(line, at) } else { None };
        let Some(reading) = address.or_else(|| reading(line, at)) else {
            at += 1;
            continue;
        };
        at = reading.end().max(at + 1);
        // A zero before a number (`oh`) may belong to the form before.
        let free = found.last().map_or(0, |last: &Rewrite| last.tokens.end);
        if let Reading::Written(rewrite) = reading
            && rewrite.tokens.start >= free
        {
            found.push(rewrite);
        }
    }
    found
}

/// Reads the words that begin at a token.
fn reading(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    if !context::may_begin(line, at) {
        return None;
    }
    let phrase =
        || idioms::find(line, at).or_else(|| dates::find(line, at)).or_else(|| clock::phrase(line, at));
    phrase().or_else(|| money::article(line, at)).or_else(|| amount_of_run(line, at))
}

/// Reads a run of number words, possibly after `minus`.
fn amount_of_run(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let run = match Run::read(line, at) {
        Some(run) => run,
        None => return signs::find(line, at),
    };
    // `one fifty five dollars`: 155 dollars, or one for 55?
    let unread = Some(Reading::Words(suffixes::end_of_unread(line, &run)));
    if run.several().is_some() && suffixes::read(line, run.tokens.end).is_some() {
        return unread;
    }
    let times = || clock::find(line, &run).or_else(|| day_clock::find(line, &run));
    let strings = || digit_strings::find(line, &run).or_else(|| identifiers::find(line, &run));
    let pairs = || prices::find(line, &run).or_else(|| years::find(line, &run));
    let numbers = || ranges::find(line, &run).or_else(|| money::find(line, &run));
    let parts = || fractions::find(line, &run).or_else(|| ordinals::find(line, &run));
    let one = || quantities::find(line, &run).or_else(|| plain::find(line, &run));
    let read = times().or_else(strings).or_else(pairs).or_else(numbers).or_else(parts).or_else(one);
    read.or(unread)
}
