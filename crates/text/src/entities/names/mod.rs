//! Names of people, places and organizations: by lists of known names, by the words around them, by their capitals.

mod classify;
mod name_ranges;
mod word_lists;

use std::collections::HashMap;
use std::ops::Range;

use auris_engine_core::round_to_hundredths;

use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::words::{Kind, Token};
use classify::classify;
use name_ranges::name_ranges;
use word_lists::TITLES;

/// Maximum number of names stored for one transcript.
const MAX_NAMES: usize = 20_000;
/// Minimum total weight of a name that is recognized without any hint in its own sentence.
const MIN_WEIGHT: f64 = 0.5;

/// Minimum weight of a person's full name whose parts are names too.
const SURE_WEIGHT: f64 = 0.8;

/// What a name seems to be in one sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guess {
    pub(super) name: String,
    pub(super) kind: EntityKind,
    pub(super) weight: f64,
}

/// The names of a transcript, with the sum of the weights per kind.
#[derive(Debug, Default)]
pub(super) struct KnownNames(HashMap<String, [f64; 3]>);

/// The kinds of the weights.
const KINDS: [EntityKind; 3] = [EntityKind::Person, EntityKind::Location, EntityKind::Organization];

impl KnownNames {
    pub(super) fn add(&mut self, guess: Guess) {
        let index = KINDS.iter().position(|kind| *kind == guess.kind).unwrap_or(0);
        if self.0.len() < MAX_NAMES || self.0.contains_key(&guess.name) {
            self.0.entry(guess.name).or_default()[index] += guess.weight;
        }
    }

    /// The kind of a name, and its confidence.
    fn kind_of(&self, name: &str) -> Option<(EntityKind, f64)> {
        let weights = self.0.get(name)?;
        let best = weights.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1))?;
        (*best.1 >= MIN_WEIGHT).then(|| (KINDS[best.0], (0.55 + best.1 * 0.1).min(0.9)))
    }
}

/// The names whose kind follows from their own sentence.
pub(super) fn guesses(text: &str, tokens: &[Token]) -> Vec<Guess> {
    let mut guesses = Vec::new();
    for range in name_ranges(tokens) {
        let Some((kind, weight)) = classify(tokens, &range) else { continue };
        let name = text[without_possessive(text, tokens, &range)].to_lowercase();
        // A part of a person's name refers to the same person later.
        if kind == EntityKind::Person && range.len() > 1 && weight >= SURE_WEIGHT {
            let parts = range.map(|at| &tokens[at]).filter(|token| is_name_part(token));
            guesses.extend(parts.map(|token| Guess { name: token.lower.clone(), kind, weight }));
        }
        guesses.push(Guess { name, kind, weight });
    }
    guesses
}

fn is_name_part(token: &Token) -> bool {
    token.kind == Kind::Word && !TITLES.contains(&token.lower.as_str())
}

/// The names of a sentence. A name without a hint in the sentence gets its kind from the rest of the transcript.
pub(super) fn find(text: &str, tokens: &[Token], known: &KnownNames) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for name in name_ranges(tokens) {
        let range = without_possessive(text, tokens, &name);
        let here = classify(tokens, &name).map(|(kind, weight)| (kind, (0.5 + weight * 0.45).min(0.97)));
        if let Some((kind, confidence)) = here.or_else(|| known.kind_of(&text[range.clone()].to_lowercase()))
        {
            found.push(Found { range, kind, confidence: round_to_hundredths(confidence) });
        }
    }
    found
}

/// The bytes of a name, without a possessive `'s`.
fn without_possessive(text: &str, tokens: &[Token], name: &Range<usize>) -> Range<usize> {
    let range = span(tokens, name);
    // The `'s` of `McDonald's` is part of the name.
    if tokens[name.end - 1].is("mcdonald's") {
        return range;
    }
    let name = &text[range.clone()];
    let suffixes = ["'s", "’s", "'S", "’S"];
    let bare = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    range.start..range.start + bare.len()
}
