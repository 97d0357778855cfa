//! Attention against its definition, at every level.

use super::*;
use crate::levels::usable_levels;

fn wave(length: usize, step: f32) -> Vec<f32> {
    (0..length).map(|nth| (nth as f32 * step).sin() * 1.5).collect()
}

/// The keys and values of a test, in rows of `stride`.
struct Case {
    rows: usize,
    keys: usize,
    width: usize,
    stride: usize,
    floats: Vec<f32>,
    key_floats: Vec<f32>,
    values: Vec<f32>,
}

impl Case {
    fn new(rows: usize, keys: usize, width: usize) -> Self {
        let stride = width + 5;
        let (floats, key_floats) = (wave(rows * stride, 0.37), wave(keys * stride, 0.91));
        Self { rows, keys, width, stride, floats, key_floats, values: wave(keys * stride, 0.53) }
    }

    fn queries(&self) -> Queries<'_> {
        Queries { floats: &self.floats, stride: self.stride, rows: self.rows, scale: 0.2 }
    }

    fn memory(&self, level: UsableLevel) -> KeyValues {
        let mut memory = KeyValues::new(self.width);
        let rows = Rows { stride: self.stride, count: self.keys };
        memory.extend_at(level, &self.key_floats, &self.values, rows);
        memory
    }

    fn compact_memory(&self, level: UsableLevel) -> KeyValues {
        let mut memory = KeyValues::new_compact(self.width);
        let rows = Rows { stride: self.stride, count: self.keys };
        memory.extend_at(level, &self.key_floats, &self.values, rows);
        memory
    }

    fn weights(&self, row: usize) -> Vec<f32> {
        let query = &self.floats[row * self.stride..][..self.width];
        let score = |key: usize| {
            let products = query.iter().zip(&self.key_floats[key * self.stride..]).map(|(q, k)| q * k);
            products.sum::<f32>() * 0.2
        };
        let largest = (0..self.keys).map(score).fold(f32::MIN, f32::max);
        let weights: Vec<f32> = (0..self.keys).map(|key| (score(key) - largest).exp()).collect();
        let sum: f32 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    fn means(&self) -> Vec<f32> {
        let mean = |weights: &[f32], column: usize| {
            let values = self.values[column..].iter().step_by(self.stride);
            weights.iter().zip(values).map(|(weight, value)| weight * value).sum::<f32>()
        };
        let weights = (0..self.rows).map(|row| self.weights(row));
        weights
            .flat_map(|weights| (0..self.width).map(|column| mean(&weights, column)).collect::<Vec<_>>())
            .collect()
    }

    fn assert_means(&self, level: UsableLevel, memory: &KeyValues, expected: &[f32]) {
        let mut out = vec![7.0; self.rows * self.stride];
        attend_at(level, self.queries(), memory, Means { out: &mut out, scratch: &mut Scratch::default() });
        for (out, expected) in out.chunks_exact(self.stride).zip(expected.chunks_exact(self.width)) {
            for (one, other) in out.iter().zip(expected) {
                let (rows, keys, width) = (self.rows, self.keys, self.width);
                let text = || format!("{level:?}, {:?}, {rows} rows, {keys} keys of {width}", memory.format);
                assert!((one - other).abs() < 0.02, "{}: {one} is not {other}", text());
            }
            assert!(out[self.width..].iter().all(|float| *float == 7.0), "other heads are not touched");
        }
    }
}

#[test]
fn every_level_computes_what_the_definition_says() {
    let shapes = [
        (1, 1, 36),
        (1, 33, 64),
        (2, 5, 7),
        (3, 70, 52),
        (5, 9, 32),
        (6, 64, 128),
        (17, 100, 36),
        (40, 417, 64),
        (16, 32, 52),
        (11, 45, 33),
        (9, 31, 80),
    ];
    for (rows, keys, width) in shapes {
        let case = Case::new(rows, keys, width);
        let expected = case.means();
        for level in usable_levels() {
            case.assert_means(level, &case.memory(level), &expected);
            case.assert_means(level, &case.compact_memory(level), &expected);
        }
    }
}

#[test]
fn the_weights_of_a_single_query_are_kept_and_add_up_to_one() {
    for level in usable_levels() {
        for keys in [1, 16, 45, 100] {
            let case = Case::new(1, keys, 36);
            for memory in [case.memory(level), case.compact_memory(level)] {
                let (mut out, mut scratch) = (vec![0.0; case.stride], Scratch::default());
                attend_at(level, case.queries(), &memory, Means { out: &mut out, scratch: &mut scratch });
                let weights = scratch.last_weights(keys);
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-4);
                for (one, other) in weights.iter().zip(case.weights(0)) {
                    assert!((one - other).abs() < 0.01, "{level:?}: {one} is not {other}");
                }
            }
        }
    }
}

#[test]
fn keys_added_one_by_one_are_the_same_as_all_at_once() {
    let case = Case::new(1, 71, 52);
    for level in usable_levels() {
        let mut memory = KeyValues::new(52);
        let mut compact = KeyValues::new_compact(52);
        for key in 0..71 {
            let at = key * case.stride;
            let rows = Rows { stride: 52, count: 1 };
            memory.extend_at(level, &case.key_floats[at..], &case.values[at..], rows);
            compact.extend_at(level, &case.key_floats[at..], &case.values[at..], rows);
        }
        assert_eq!((memory.len(), memory.width()), (71, 52));
        for pair in [[memory, case.memory(level)], [compact, case.compact_memory(level)]] {
            let results = pair.map(|memory| {
                let mut out = vec![0.0; case.stride];
                attend_at(
                    level,
                    case.queries(),
                    &memory,
                    Means { out: &mut out, scratch: &mut Scratch::default() },
                );
                out
            });
            assert_eq!(results[0], results[1], "{level:?}");
        }
    }
}

#[test]
fn nothing_of_what_was_cleared_is_left() {
    let case = Case::new(9, 40, 36);
    for level in usable_levels() {
        let mut memory = KeyValues::new(36);
        let endless = vec![f32::INFINITY; 100 * 36];
        memory.extend_at(level, &endless, &endless, Rows { stride: 36, count: 100 });
        memory.clear();
        assert!(memory.is_empty());
        let rows = Rows { stride: case.stride, count: 40 };
        memory.extend_at(level, &case.key_floats, &case.values, rows);
        let mut results = [vec![0.0; 9 * case.stride], vec![0.0; 9 * case.stride]];
        for (memory, out) in [memory, case.memory(level)].iter().zip(&mut results) {
            attend_at(level, case.queries(), memory, Means { out, scratch: &mut Scratch::default() });
        }
        assert_eq!(results[0], results[1], "{level:?}");
    }
}

#[test]
fn without_keys_the_means_are_zeros() {
    let queries = Queries { floats: &[1.0; 8], stride: 4, rows: 2, scale: 1.0 };
    let mut out = [5.0; 8];
    attend(queries, &KeyValues::new(4), &mut out, &mut Scratch::default());
    assert_eq!(out, [0.0; 8]);
}

#[test]
fn large_scores_do_not_overflow() {
    for level in usable_levels() {
        for rows in [1, 8] {
            let mut memory = KeyValues::new(36);
            let mut keys = vec![-100.0; 20 * 36];
            keys[7 * 36..8 * 36].fill(100.0);
            let values: Vec<f32> = (0..20 * 36).map(|nth| (nth / 36) as f32).collect();
            memory.extend_at(level, &keys, &values, Rows { stride: 36, count: 20 });
            let queries = Queries { floats: &vec![100.0; rows * 36], stride: 36, rows, scale: 1.0 };
            let mut out = vec![0.0; rows * 36];
            attend_at(level, queries, &memory, Means { out: &mut out, scratch: &mut Scratch::default() });
            assert!(out.iter().all(|mean| (mean - 7.0).abs() < 1e-3), "{level:?}: {out:?}");
        }
    }
}

#[test]
fn a_memory_reports_its_bytes() {
    let case = Case::new(1, 100, 64);
    let bytes = case.memory(UsableLevel::SCALAR).bytes();
    assert!((100 * 64 * 4..128 * 64 * 4 + 4096).contains(&bytes), "{bytes}");
    let bytes = case.compact_memory(UsableLevel::SCALAR).bytes();
    assert!((100 * 64 * 2..128 * 64 * 2 + 4096).contains(&bytes), "{bytes}");
}

#[test]
fn the_first_keys_alone_count_as_if_there_were_no_others() {
    for (rows, all, first) in [(1, 70, 1), (1, 70, 33), (6, 70, 31), (9, 64, 32), (3, 65, 64)] {
        let whole = Case::new(rows, all, 64).memory(usable_level());
        let case = Case { keys: first, ..Case::new(rows, all, 64) };
        let (mut expected, mut found) = (vec![0.0; rows * case.stride], vec![0.0; rows * case.stride]);
        floats::run_at(
            usable_level(),
            case.queries(),
            Keys { memory: &case.memory(usable_level()), length: first },
            Means { out: &mut expected, scratch: &mut Scratch::default() },
        );
        let keys = Keys { memory: &whole, length: first };
        attend_first(case.queries(), keys, &mut found, &mut Scratch::default());
        assert_eq!(found, expected, "{rows} {all} {first}");
    }
}

#[test]
fn a_truncated_memory_is_one_that_was_never_longer() {
    for (all, first) in [(70, 0), (70, 1), (70, 33), (65, 64), (200, 17)] {
        let case = Case::new(2, all, 52);
        let mut memory = case.memory(usable_level());
        memory.truncate(first);
        let rest = Rows { stride: case.stride, count: all - first };
        let at = first * case.stride;
        memory.extend_at(usable_level(), &case.key_floats[at..], &case.values[at..], rest);
        let expected = case.memory(usable_level());
        let [mut one, mut other] = [vec![0.0; 2 * case.stride], vec![0.0; 2 * case.stride]];
        attend(case.queries(), &memory, &mut one, &mut Scratch::default());
        attend(case.queries(), &expected, &mut other, &mut Scratch::default());
        assert_eq!((one, memory.len()), (other, all), "{all} {first}");
        memory.truncate(first);
        let short = Case { keys: first, ..Case::new(2, all, 52) };
        assert_eq!(memory.len(), first);
        let [mut one, mut other] = [vec![0.0; 2 * case.stride], vec![0.0; 2 * case.stride]];
        attend(case.queries(), &memory, &mut one, &mut Scratch::default());
        attend(case.queries(), &short.memory(usable_level()), &mut other, &mut Scratch::default());
        assert_eq!(one, other, "{all} {first}");
    }
}
