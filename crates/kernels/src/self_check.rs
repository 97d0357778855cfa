//! The choice of the level. Each candidate is compared with the scalar level first, so that a processor, an emulator or a
//! compiler with a fault makes the program slow, not wrong.

use crate::attention::{Rows, attend_at};
use crate::block_linear::run_all_at;
use crate::elementwise::{gelu_at, layer_norm_at, lstm_cell_at};
use crate::levels::{ALL, UsableLevel, usable_levels};
use crate::{
    BlockLinear, BlockRows, Epilogue, FloatLinear, KeyValues, LayerNorm, Level, Linear, OneWorker,
    QuantizedRows, Queries, Scratch,
};

/// The chosen level.
pub(crate) struct Selection {
    pub(crate) level: UsableLevel,
    /// Why it is not what one would expect.
    pub(crate) note: Option<String>,
}

/// The highest level that is usable, not above the limit, and correct. An unknown name sets no limit.
pub(crate) fn select(limit: Option<&str>) -> Selection {
    select_from(&usable_levels(), limit, &KERNELS)
}

/// The kernels that are checked.
struct Kernels {
    product: fn(UsableLevel, &Linear, &QuantizedRows, &mut [f32]),
    block_product: fn(UsableLevel, &BlockLinear, &BlockRows, &mut [f32]),
    float_product: fn(UsableLevel, &FloatLinear, &[f32], &mut [f32]),
    attention: fn(UsableLevel, Queries<'_>, &KeyValues, &mut [f32]),
    gelu: fn(UsableLevel, &mut [f32]),
    layer_norm: fn(UsableLevel, &[f32], LayerNorm<'_>, &mut [f32]),
    lstm_cell: fn(UsableLevel, &[f32], &mut [f32], &mut [f32]),
}

const KERNELS: Kernels = Kernels {
    product: |level, linear, x, y| linear.run_at(level, x, y, Epilogue::Store),
    block_product: |level, linear, x, y| run_all_at(level, [linear], x, [y], &OneWorker),
    float_product: |level, linear, x, y| linear.run_at(level, x, linear.inputs(), y),
    attention: |level, queries, memory, out| attend_at(level, queries, memory, out, &mut Scratch::default()),
    gelu: gelu_at,
    layer_norm: layer_norm_at,
    lstm_cell: lstm_cell_at,
};

fn select_from(usable: &[UsableLevel], limit: Option<&str>, kernels: &Kernels) -> Selection {
    let mut notes = Vec::new();
    let named = limit.and_then(Level::named);
    if let (Some(limit), None) = (limit, named) {
        let names: Vec<String> = ALL.iter().map(|level| format!("`{}`", level.name())).collect();
        let names = names.join(", ");
        notes.push(format!("`{limit}` is not a level for `AURIS_KERNEL_LEVEL`; use one of {names}"));
    }
    let allowed = usable.iter().rev().filter(|level| named.is_none_or(|limit| level.get() <= limit));
    let mut chosen = UsableLevel::SCALAR;
    for level in allowed {
        if is_correct(*level, kernels) {
            chosen = *level;
            break;
        }
        notes.push(format!("the kernels of level `{}` failed their self-check", level.get().name()));
    }
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    Selection { level: chosen, note }
}

/// Whether the results of a level agree with those of the scalar level.
fn is_correct(level: UsableLevel, kernels: &Kernels) -> bool {
    if level == UsableLevel::SCALAR {
        return true;
    }
    // Rows, inputs and outputs: a single row, few rows, and several blocks with ragged ends.
    let shapes = [(1, 288, 72), (3, 36, 40), (19, 100, 33), (45, 68, 96)];
    let heads = [(1, 70, 36), (7, 40, 64), (21, 33, 52)];
    shapes.into_iter().all(|shape| {
        WEIGHTS.into_iter().all(|weights| product_is_correct(level, shape, weights, kernels))
            && float_product_is_correct(level, shape, kernels)
    }) && heads.into_iter().all(|head| {
        let memories = [KeyValues::new, KeyValues::new_compact];
        memories.into_iter().all(|memory| attention_is_correct(level, head, memory, kernels))
    }) && block_products_are_correct(level, kernels)
        && gelu_is_correct(level, kernels)
        && layer_norm_is_correct(level, kernels)
        && lstm_cell_is_correct(level, kernels)
}

/// The weights of a product. Some levels have another kernel for small ones with a few large ones between them.
const WEIGHTS: [fn(&mut Random, usize) -> i8; 2] =
    [|random, _| random.integer(127), |random, nth| random.integer(if nth % 100 < 2 { 127 } else { 60 })];

fn product_is_correct(
    level: UsableLevel,
    (rows, inputs, outputs): (usize, usize, usize),
    weight: fn(&mut Random, usize) -> i8,
    kernels: &Kernels,
) -> bool {
    let mut random = Random::new(rows + inputs);
    let weights: Vec<i8> = (0..inputs * outputs).map(|nth| weight(&mut random, nth)).collect();
    let scales = random.floats(outputs);
    let bias = random.floats(outputs);
    let linear = Linear::from_integers(&weights, inputs, &scales, &bias);
    let floats = random.floats(rows * inputs);
    let results = [UsableLevel::SCALAR, level].map(|level| {
        let mut x = QuantizedRows::default();
        let mut y = vec![0.0; rows * outputs];
        x.fill_at(level, &floats, inputs);
        (kernels.product)(level, &linear, &x, &mut y);
        y
    });
    results[0] == results[1]
}

/// Weights of 4, 6 and 8 bits, with rows for every block of rows.
fn block_products_are_correct(level: UsableLevel, kernels: &Kernels) -> bool {
    let inputs = 256;
    let outputs = 21;
    let rows = 15;
    let mut random = Random::new(7);
    let floats = random.floats(rows * inputs);
    let matrices = [
        BlockLinear::from_four_bits(inputs, outputs, |_, _, block| {
            block.scale = 0.01;
            block.minimum = 0.02;
            block.scales.fill_with(|| random.byte() & 63);
            block.minimums.fill_with(|| random.byte() & 63);
            block.numbers.fill_with(|| random.byte() & 15);
        }),
        BlockLinear::from_six_bits(inputs, outputs, |_, _, block| {
            block.scale = 0.01;
            block.scales.fill_with(|| random.byte() as i8);
            block.numbers.fill_with(|| random.byte() & 63);
        }),
        BlockLinear::from_floats(inputs, outputs, |_, row| row.copy_from_slice(&random.floats(inputs))),
    ];
    matrices.iter().all(|linear| {
        let results = [UsableLevel::SCALAR, level].map(|level| {
            let mut x = BlockRows::default();
            let mut y = vec![0.0; rows * outputs];
            x.fill_at(level, &floats, inputs, &OneWorker);
            (kernels.block_product)(level, linear, &x, &mut y);
            y
        });
        results[0] == results[1]
    })
}

fn float_product_is_correct(
    level: UsableLevel,
    (rows, inputs, outputs): (usize, usize, usize),
    kernels: &Kernels,
) -> bool {
    let mut random = Random::new(rows + outputs);
    let weights = random.floats(inputs * outputs);
    let bias = random.floats(outputs);
    let linear = FloatLinear::new(&weights, inputs, &bias);
    let x = random.floats(rows * inputs);
    let results = [UsableLevel::SCALAR, level].map(|level| {
        let mut y = vec![0.0; rows * outputs];
        (kernels.float_product)(level, &linear, &x, &mut y);
        y
    });
    are_near(&results[0], &results[1], 1e-3)
}

fn attention_is_correct(
    level: UsableLevel,
    (rows, keys, width): (usize, usize, usize),
    memory: fn(usize) -> KeyValues,
    kernels: &Kernels,
) -> bool {
    let mut random = Random::new(rows + keys);
    let [queries, keys_floats, values] = [rows, keys, keys].map(|rows| random.floats(rows * width));
    let results = [UsableLevel::SCALAR, level].map(|level| {
        let mut memory = memory(width);
        let mut out = vec![0.0; rows * width];
        memory.extend_at(level, &keys_floats, &values, Rows { stride: width, count: keys });
        let queries = Queries { floats: &queries, stride: width, rows, scale: 0.3 };
        (kernels.attention)(level, queries, &memory, &mut out);
        out
    });
    // Tiles round queries and weights to bfloat16.
    are_near(&results[0], &results[1], 0.02)
}

fn gelu_is_correct(level: UsableLevel, kernels: &Kernels) -> bool {
    let mut expected: Vec<f32> = (-50..53).map(|nth| nth as f32 * 0.13).collect();
    let mut found = expected.clone();
    (kernels.gelu)(UsableLevel::SCALAR, &mut expected);
    (kernels.gelu)(level, &mut found);
    are_near(&expected, &found, 1e-5)
}

fn layer_norm_is_correct(level: UsableLevel, kernels: &Kernels) -> bool {
    let mut random = Random::new(7);
    let [floats, gain, bias] = [3 * 77, 77, 77].map(|count| random.floats(count));
    let norm = LayerNorm { gain: &gain, bias: &bias, epsilon: 1e-5 };
    let results = [UsableLevel::SCALAR, level].map(|level| {
        let mut out = vec![0.0; floats.len()];
        (kernels.layer_norm)(level, &floats, norm, &mut out);
        out
    });
    are_near(&results[0], &results[1], 1e-4)
}

/// Of the functions with powers of two, this one has all kinds.
fn lstm_cell_is_correct(level: UsableLevel, kernels: &Kernels) -> bool {
    let mut random = Random::new(11);
    let gates = random.floats(4 * 37);
    let before = random.floats(37);
    let results = [UsableLevel::SCALAR, level].map(|level| {
        let mut cell = before.clone();
        let mut hidden = vec![0.0; 37];
        (kernels.lstm_cell)(level, &gates, &mut cell, &mut hidden);
        cell.append(&mut hidden);
        cell
    });
    are_near(&results[0], &results[1], 1e-4)
}

fn are_near(expected: &[f32], found: &[f32], tolerance: f32) -> bool {
    expected.iter().zip(found).all(|(one, other)| (one - other).abs() <= tolerance)
}

/// Numbers that look random and are always the same: the generator of Steele, Lea and Flood ("SplitMix").
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: usize) -> Self {
        Self(seed as u64)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    /// Within ± the largest.
    fn integer(&mut self, largest: i8) -> i8 {
        (self.next() as i8).clamp(-largest, largest)
    }

    /// Within ±1.
    pub(crate) fn floats(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| f32::from(self.next() as i16) / 32768.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRONG_PRODUCT: Kernels = Kernels {
        product: |level, linear, x, y| {
            linear.run_at(level, x, y, Epilogue::Store);
            if level != UsableLevel::SCALAR {
                let last = y.len() - 1;
                y[last] += 1e-3;
            }
        },
        ..KERNELS
    };
    const WRONG_BLOCK_PRODUCT: Kernels = Kernels {
        block_product: |level, linear, x, y| {
            run_all_at(level, [linear], x, [y], &OneWorker);
            if level != UsableLevel::SCALAR {
                y[0] += 1e-3;
            }
        },
        ..KERNELS
    };
    const WRONG_ATTENTION: Kernels = Kernels {
        attention: |level, queries, memory, out| {
            let rows = queries.rows - usize::from(level != UsableLevel::SCALAR);
            attend_at(level, Queries { rows, ..queries }, memory, out, &mut Scratch::default());
        },
        ..KERNELS
    };
    const WRONG_FLOAT_PRODUCT: Kernels = Kernels {
        float_product: |level, linear, x, y| {
            let rows = y.len() / linear.outputs() - usize::from(level != UsableLevel::SCALAR);
            linear.run_at(level, x, linear.inputs(), &mut y[..rows * linear.outputs()]);
        },
        ..KERNELS
    };
    const WRONG_NORM: Kernels = Kernels {
        layer_norm: |level, floats, norm, out| {
            let bias = if level == UsableLevel::SCALAR { norm.bias } else { &[] };
            layer_norm_at(level, floats, LayerNorm { bias, ..norm }, out);
        },
        ..KERNELS
    };
    const WRONG_CELL: Kernels = Kernels {
        lstm_cell: |level, gates, cell, hidden| {
            lstm_cell_at(level, gates, cell, hidden);
            if level != UsableLevel::SCALAR {
                hidden.rotate_left(1);
            }
        },
        ..KERNELS
    };
    const WRONG_GELU: Kernels = Kernels {
        gelu: |level, floats| {
            if level == UsableLevel::SCALAR {
                gelu_at(level, floats);
            }
        },
        ..KERNELS
    };

    #[test]
    fn every_usable_level_passes_the_check() {
        for level in usable_levels() {
            assert!(is_correct(level, &KERNELS), "{level:?}");
        }
    }

    #[test]
    fn a_wrong_kernel_of_any_kind_is_found_and_the_level_steps_down() {
        let wrong = [
            WRONG_PRODUCT,
            WRONG_BLOCK_PRODUCT,
            WRONG_FLOAT_PRODUCT,
            WRONG_ATTENTION,
            WRONG_GELU,
            WRONG_NORM,
            WRONG_CELL,
        ];
        for kernels in wrong {
            let selection = select_from(&usable_levels(), None, &kernels);
            assert_eq!(selection.level, UsableLevel::SCALAR);
            assert_eq!(selection.note.is_some(), usable_levels().len() > 1);
        }
    }

    #[test]
    fn only_the_level_with_the_wrong_kernel_is_given_up() {
        let usable = usable_levels();
        let [.., below, highest] = usable[..] else { return };
        static HIGHEST: std::sync::OnceLock<UsableLevel> = std::sync::OnceLock::new();
        HIGHEST.get_or_init(|| highest);
        let gelu = |level, floats: &mut [f32]| {
            gelu_at(level, floats);
            if Some(&level) == HIGHEST.get() {
                floats[0] = 1.0;
            }
        };
        let selection = select_from(&usable, None, &Kernels { gelu, ..KERNELS });
        assert_eq!(selection.level, below);
        assert!(selection.note.is_some_and(|note| note.contains(highest.get().name())));
    }

    #[test]
    fn the_limit_is_kept_and_an_unknown_one_is_reported() {
        let usable = usable_levels();
        for level in &usable {
            let selection = select_from(&usable, Some(level.get().name()), &KERNELS);
            assert_eq!((selection.level, selection.note), (*level, None));
        }
        let selection = select_from(&usable, Some("fastest"), &KERNELS);
        assert_eq!(Some(&selection.level), usable.last());
        assert!(selection.note.is_some_and(|note| note.contains("`fastest`")));
    }
}
