//! Words with their own division into tokens.

use std::collections::HashMap;

use auris_weights::WeightsError;

use super::super::msgpack::{Reader, damaged};
use super::super::string_ids::string_id;
use super::NetToken;

/// The numbers of the attributes in the file.
const TEXT: u64 = 65;
const NORM: u64 = 67;
/// Maximum number of tokens that are put together to one special case.
const MAX_MERGED: usize = 8;

/// The special cases, by their whole text.
#[derive(Debug, Default)]
pub(super) struct SpecialCases {
    cases: HashMap<String, Vec<Part>>,
    /// Special cases that the rules divide, with the ends of the rules' tokens.
    merges: HashMap<String, Vec<usize>>,
}

/// A token of a special case.
#[derive(Debug)]
struct Part {
    length: usize,
    norm: Option<u64>,
}

impl SpecialCases {
    /// Reads a map of words, each with an array of tokens.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WeightsError> {
        let mut cases = HashMap::new();
        for _ in 0..reader.map()? {
            let word = reader.text()?.to_owned();
            let mut parts = Vec::new();
            for _ in 0..reader.array()? {
                parts.push(read_part(reader)?);
            }
            if parts.iter().map(|part: &Part| part.length).sum::<usize>() != word.len() {
                return Err(damaged(format!("the tokens of `{word}` have another length")));
            }
            cases.insert(word, parts);
        }
        let ends_inside = |(word, parts): (&String, &Vec<Part>)| {
            let mut end = 0;
            parts.iter().any(|part| {
                end += part.length;
                !word.is_char_boundary(end)
            })
        };
        if cases.iter().any(ends_inside) {
            return Err(damaged("a special case ends inside a character"));
        }
        Ok(Self { cases, merges: HashMap::new() })
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.cases.keys().map(String::as_str)
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.cases.contains_key(word)
    }

    /// Declares that the rules divide a special case into tokens with these ends.
    pub(super) fn merge(&mut self, word: &str, ends: Vec<usize>) {
        self.merges.insert(word.to_owned(), ends);
    }

    /// Adds the tokens of a special case that begins at `start`. Returns whether the word is one.
    pub(super) fn append(&self, word: &str, start: usize, tokens: &mut Vec<NetToken>) -> bool {
        let Some(parts) = self.cases.get(word) else { return false };
        let mut begin = start;
        for part in parts {
            tokens.push(NetToken { range: begin..begin + part.length, norm: part.norm });
            begin += part.length;
        }
        true
    }

    /// Replaces tokens that are together a special case: the longest first, then from left to right.
    pub(super) fn put_together(&self, word: &str, tokens: &mut Vec<NetToken>) {
        if tokens.len() < 2 {
            return;
        }
        for count in (2..=MAX_MERGED.min(tokens.len())).rev() {
            let mut at = 0;
            while at + count <= tokens.len() {
                let merged = self.merged(word, &tokens[at..at + count]);
                let step = merged.as_ref().map_or(1, Vec::len);
                if let Some(merged) = merged {
                    tokens.splice(at..at + count, merged);
                }
                at += step;
            }
        }
    }

    fn merged(&self, word: &str, tokens: &[NetToken]) -> Option<Vec<NetToken>> {
        let start = tokens.first()?.range.start;
        let whole = word.get(start..tokens.last()?.range.end)?;
        let ends = self.merges.get(whole)?;
        let are_those = ends.len() == tokens.len()
            && tokens.iter().zip(ends).all(|(token, end)| token.range.end == start + end);
        let mut merged = Vec::new();
        (are_those && self.append(whole, start, &mut merged)).then_some(merged)
    }
}

fn read_part(reader: &mut Reader<'_>) -> Result<Part, WeightsError> {
    let mut part = Part { length: 0, norm: None };
    for _ in 0..reader.map()? {
        match reader.unsigned()? {
            TEXT => part.length = reader.text()?.len(),
            NORM => part.norm = Some(string_id(reader.text()?)),
            _ => reader.skip()?,
        }
    }
    Ok(part)
}
