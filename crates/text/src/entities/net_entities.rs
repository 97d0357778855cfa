//! The entities of the net, as the kinds that this stage returns.

use std::ops::Range;

use super::found::Found;
use super::kinds::EntityKind;
use super::letter_case;
use super::name_filter::NameFilter;
use super::net::EntityNet;
use crate::parsed_transcript::Sentence;

/// The confidence of what the net finds. The net has no measure of its own.
const CONFIDENCE: f64 = 0.85;
/// What the net found in consecutive sentences.
pub(super) struct NetEntities {
    /// From left to right.
    found: Vec<Found>,
    /// The texts of kinds that are not returned, such as nationalities and works of art.
    other: Vec<Range<usize>>,
}

impl NetEntities {
    pub(super) fn find(net: &EntityNet, text: &str, sentences: &[Sentence]) -> Self {
        let mut entities = Self { found: Vec::new(), other: Vec::new() };
        let (Some(first), Some(last)) = (sentences.first(), sentences.last()) else { return entities };
        let start = first.range.start;
        let window = &text[start..last.range.end];
        let moved = |sentence: &Sentence| sentence.range.start - start..sentence.range.end - start;
        // Rules find the numbers of a sentence without letters.
        let has_letters = |range: &Range<usize>| window[range.clone()].contains(char::is_alphabetic);
        let ranges: Vec<Range<usize>> = sentences.iter().map(moved).filter(has_letters).collect();
        let restored = letter_case::restored(window, &ranges);
        let names = NameFilter {
            text: restored.as_deref().unwrap_or(window),
            sentences: &ranges,
            has_case: restored.is_none(),
        };
        for entity in net.entities(names.text, &ranges) {
            let Some(kind) = kind_of(entity.label) else {
                entities.other.push(start + entity.range.start..start + entity.range.end);
                continue;
            };
            if let Some(range) = names.cleaned(entity.range, kind) {
                let range = start + range.start..start + range.end;
                entities.found.push(Found { range, kind, confidence: CONFIDENCE });
            }
        }
        entities
    }

    /// The entities inside a range.
    pub(super) fn within(&self, range: &Range<usize>) -> Vec<Found> {
        let first = self.found.partition_point(|found| found.range.start < range.start);
        self.found[first..].iter().take_while(|found| found.range.start < range.end).cloned().collect()
    }

    /// Whether a part of the range is something that is not returned.
    pub(super) fn is_other(&self, range: &Range<usize>) -> bool {
        let first = self.other.partition_point(|other| other.end <= range.start);
        self.other.get(first).is_some_and(|other| other.start < range.end)
    }
}

/// The kind of a label of OntoNotes; `None` for what is not returned, such as nationalities and works of art.
fn kind_of(label: &str) -> Option<EntityKind> {
    match label {
        "PERSON" => Some(EntityKind::Person),
        "GPE" | "LOC" | "FAC" => Some(EntityKind::Location),
        "ORG" => Some(EntityKind::Organization),
        "DATE" => Some(EntityKind::Date),
        "TIME" => Some(EntityKind::Time),
        "MONEY" => Some(EntityKind::Money),
        "PERCENT" => Some(EntityKind::Percent),
        "CARDINAL" | "ORDINAL" | "QUANTITY" => Some(EntityKind::Number),
        _ => None,
    }
}
