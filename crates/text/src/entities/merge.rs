//! Joins what the rules and the net found in a sentence, so that no two entities overlap.

use super::found::Found;
use super::kinds::EntityKind;

/// Minimum confidence of a name that only the rules found, beside the net.
const SURE_NAME: f64 = 0.9;

/// The entities with a fixed form, and names beside them.
pub(super) fn in_order(mut found: Vec<Found>, names: Vec<Found>) -> Vec<Found> {
    names.into_iter().for_each(|name| add(&mut found, name));
    found.sort_by_key(|found| found.range.start);
    found
}

/// The entities with a fixed form and those of the net, then sure names of the rules in between.
pub(super) fn with_net(in_form: Vec<Found>, by_net: &[Found], names: Vec<Found>) -> Vec<Found> {
    let mut found: Vec<Found> = by_net.to_vec();
    // The net knows better which numbers are worth mentioning.
    for form in in_form.into_iter().filter(|form| form.kind != EntityKind::Number) {
        join(&mut found, form);
    }
    let sure = names.into_iter().filter(|name| name.confidence >= SURE_NAME);
    in_order(found, sure.collect())
}

/// Adds an entity that does not overlap the others.
pub(super) fn add(found: &mut Vec<Found>, new: Found) {
    if found.iter().all(|old| !overlaps(old, &new)) && !new.range.is_empty() {
        found.push(new);
    }
}

/// Adds a date; numbers and dates that it overlaps become part of it.
pub(super) fn date(mut found: Vec<Found>, new: Found) -> Vec<Found> {
    join(&mut found, new);
    found
}

/// Adds an entity with a fixed form. What it overlaps becomes part of it, keeps it out or gives way, by their kinds.
fn join(found: &mut Vec<Found>, mut new: Found) {
    let stays = |old: &Found| overlaps(old, &new) && !gives_way(old, &new);
    if new.range.is_empty() || found.iter().any(stays) {
        return;
    }
    let (overlapped, mut rest): (Vec<Found>, Vec<Found>) =
        std::mem::take(found).into_iter().partition(|old| overlaps(old, &new));
    for old in overlapped.iter().filter(|old| old.kind == new.kind) {
        new.range = new.range.start.min(old.range.start)..new.range.end.max(old.range.end);
        new.confidence = new.confidence.max(old.confidence);
    }
    rest.retain(|old| !overlaps(old, &new));
    rest.push(new);
    *found = rest;
}

/// Whether an entity that is already there gives way to one with a fixed form that overlaps it.
fn gives_way(old: &Found, new: &Found) -> bool {
    let is_inside = new.range.start <= old.range.start && old.range.end <= new.range.end;
    match new.kind {
        EntityKind::Email | EntityKind::Url | EntityKind::Phone => true,
        EntityKind::Money | EntityKind::Percent => {
            let is_address = matches!(old.kind, EntityKind::Email | EntityKind::Url | EntityKind::Phone);
            old.kind == new.kind || is_inside && !is_address || is_quantity_of(old, new)
        }
        EntityKind::Date => old.kind == new.kind || old.kind == EntityKind::Number,
        EntityKind::Time => old.kind == new.kind || is_inside && old.kind == EntityKind::Number,
        EntityKind::Number | EntityKind::Person | EntityKind::Location | EntityKind::Organization => false,
    }
}

/// Whether a number contains a sum or a percentage: `three hundred dollars` in `about three hundred dollars`.
fn is_quantity_of(old: &Found, new: &Found) -> bool {
    old.kind == EntityKind::Number
        && matches!(new.kind, EntityKind::Money | EntityKind::Percent)
        && old.range.start <= new.range.start
        && new.range.end <= old.range.end
}

fn overlaps(one: &Found, other: &Found) -> bool {
    one.range.start < other.range.end && other.range.start < one.range.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use EntityKind::{Date, Money, Number, Person, Phone};

    fn found(start: usize, end: usize, kind: EntityKind) -> Found {
        Found { range: start..end, kind, confidence: 0.95 }
    }

    fn joined(in_form: Vec<Found>, by_net: &[Found]) -> Vec<(usize, usize, EntityKind)> {
        let all = with_net(in_form, by_net, vec![found(90, 95, Person)]).into_iter();
        all.map(|found| (found.range.start, found.range.end, found.kind)).collect()
    }

    #[test]
    fn the_longer_text_of_the_same_kind_is_kept() {
        let sums = joined(vec![found(5, 10, Money)], &[found(0, 4, Person), found(6, 18, Money)]);
        assert_eq!(sums, [(0, 4, Person), (5, 18, Money), (90, 95, Person)]);
    }

    #[test]
    fn a_fixed_form_replaces_numbers_and_names_keep_numbers_out() {
        let all = joined(
            vec![found(0, 12, Phone), found(20, 25, Number)],
            &[found(0, 3, Number), found(18, 26, Person)],
        );
        assert_eq!(all, [(0, 12, Phone), (18, 26, Person), (90, 95, Person)]);
    }

    #[test]
    fn a_sum_replaces_the_number_around_it() {
        let all = joined(vec![found(6, 30, Money)], &[found(0, 30, Number)]);
        assert_eq!(all, [(6, 30, Money), (90, 95, Person)]);
    }

    #[test]
    fn a_date_replaces_the_number_that_it_is_a_part_of() {
        let all = joined(vec![found(0, 4, Date)], &[found(0, 10, Number)]);
        assert_eq!(all, [(0, 4, Date), (90, 95, Person)]);
    }

    #[test]
    fn a_date_does_not_cut_another_entity() {
        assert_eq!(
            joined(vec![found(5, 10, Date)], &[found(0, 7, Person)]),
            [(0, 7, Person), (90, 95, Person)]
        );
    }
}
