//! The entities of the net, as the kinds that this stage returns.

use std::ops::Range;

use super::cased_window::CasedWindow;
use super::found::Found;
use super::kinds::EntityKind;
use super::name_filter::NameFilter;
use super::net::EntityNet;
use super::net_spans;

/// The confidence of what the net finds. The net reports no confidence.
const CONFIDENCE: f64 = 0.85;

/// What the net found in a window.
pub(super) struct NetEntities {
    /// From left to right.
    found: Vec<Found>,
    /// The texts of kinds that are not returned, such as nationalities and works of art.
    other: Vec<Range<usize>>,
}

impl NetEntities {
    pub(super) fn find(net: &EntityNet, window: &CasedWindow<'_>) -> Self {
        let mut entities = Self { found: Vec::new(), other: Vec::new() };
        let text = window.text.as_ref();
        // Rules find the numbers of a sentence without letters.
        let has_letters = |range: &&Range<usize>| text[(*range).clone()].contains(char::is_alphabetic);
        let ranges: Vec<Range<usize>> = window.sentences.iter().filter(has_letters).cloned().collect();
        let names = NameFilter { text, sentences: &ranges, has_case: window.has_case() };
        for entity in net.entities(text, &ranges) {
            let Some(kind) = kind_of(entity.label) else {
                entities.other.push(entity.range);
                continue;
            };
            let divided = net_spans::divided(text, entity.range, kind).into_iter();
            let cleaned = divided.filter_map(|range| names.cleaned(range, kind));
            entities.found.extend(cleaned.map(|range| Found { range, kind, confidence: CONFIDENCE }));
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
