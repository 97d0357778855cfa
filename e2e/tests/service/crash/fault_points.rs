//! At which operations of a job's life a fault happens: at each of them, or at a sample that is spread over the life.

use auris_e2e::{SeededRandom, count_from_environment};

/// The number of points of each kind; 0 means all.
const WANTED: &str = "AURIS_SOAK_FAULTS";
/// Runs only this point, such as `eio:57`.
const ONE_POINT: &str = "AURIS_SOAK_POINT";

/// The points for each kind of fault: `AURIS_SOAK_FAULTS` of them, or `default`; 0 means all. The kinds have names.
/// There are no points if `AURIS_SOAK_POINT` is of a kind of another test.
pub(crate) fn points<K: Copy>(kinds: &[(&str, K)], operations: usize, default: usize) -> Vec<(K, usize)> {
    if let Ok(point) = std::env::var(ONE_POINT) {
        return one_point(kinds, &point).into_iter().collect();
    }
    let wanted = count_from_environment(WANTED, default);
    let mut random = SeededRandom::new("fault points");
    let mut points = Vec::new();
    for (_, kind) in kinds {
        points.extend(spread(operations, wanted, &mut random).into_iter().map(|number| (*kind, number)));
    }
    points
}

/// Panics if too few points were reached. The number of operations differs a little from life to life: of all points,
/// only those close to the end may be missed. A sample may have a large part of its points there.
pub(crate) fn check_reached(reached: usize, points: usize) {
    let all = std::env::var(ONE_POINT).is_err() && count_from_environment(WANTED, 1) == 0;
    let percent = if all { 95 } else { 50 };
    assert!(reached * 100 >= points * percent, "only {reached} of {points} points were reached");
}

fn one_point<K: Copy>(kinds: &[(&str, K)], point: &str) -> Option<(K, usize)> {
    let numbered =
        point.split_once(':').and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    let (name, number) = numbered.unwrap_or_else(|| panic!("{ONE_POINT} must be KIND:NUMBER, not `{point}`"));
    let kind = kinds.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    if kind.is_none() {
        let names: Vec<&str> = kinds.iter().map(|(known, _)| *known).collect();
        eprintln!("{ONE_POINT} is not for this test, whose kinds are {names:?}");
    }
    Some((kind?, number))
}

/// Numbers from 1 to `operations`: a random one from each of `wanted` equal parts; all of them if `wanted` is 0.
fn spread(operations: usize, wanted: usize, random: &mut SeededRandom) -> Vec<usize> {
    let parts = if wanted == 0 { operations } else { wanted.min(operations) };
    let start = |part: usize| operations * part / parts;
    (0..parts).map(|part| 1 + start(part) + random.below(start(part + 1) - start(part))).collect()
}

#[test]
fn a_point_of_another_kind_is_no_point_of_this_test() {
    let kinds = [("eio", 1), ("enospc", 2)];
    assert_eq!(one_point(&kinds, "enospc:57"), Some((2, 57)));
    assert_eq!(one_point(&kinds, "before:57"), None);
}

#[test]
fn a_sample_has_a_point_in_each_part_and_all_points_are_all_numbers() {
    let mut random = SeededRandom::new("spread");
    let sample = spread(100, 4, &mut random);
    let parts = [1..=25, 26..=50, 51..=75, 76..=100];
    assert_eq!(sample.len(), parts.len());
    assert!(sample.iter().zip(&parts).all(|(number, part)| part.contains(number)), "{sample:?}");
    assert_eq!(spread(5, 0, &mut random), [1, 2, 3, 4, 5]);
    assert_eq!(spread(3, 10, &mut random), [1, 2, 3]);
}
