//! Faults in each kernel are found, and the level below is used.

use super::*;
use crate::attention::{Keys, attend_at, attend_first_at};
use crate::block_linear::run_all_at;
use crate::elementwise::*;
use crate::{Epilogue, LayerNorm, OneWorker, Queries};

/// Changes a result of a level other than the scalar one.
fn spoil(level: UsableLevel, result: &mut [f32]) {
    if level != UsableLevel::SCALAR {
        let last = result.len() - 1;
        result[last] += 1e-3;
    }
}

/// The same for a number.
fn spoiled(level: UsableLevel, mut result: f32) -> f32 {
    spoil(level, std::slice::from_mut(&mut result));
    result
}

/// A product that is wrong with one epilogue.
macro_rules! wrong_epilogue {
    ($epilogue:ident) => {
        ProductKernels {
            integers: |linear, level, x, y, epilogue| {
                linear.run_at(level, x, y, epilogue);
                if epilogue == Epilogue::$epilogue {
                    spoil(level, y);
                }
            },
            ..PRODUCTS
        }
    };
}

const WRONG_PRODUCTS: [ProductKernels; 7] = [
    wrong_epilogue!(Store),
    wrong_epilogue!(Add),
    wrong_epilogue!(Gelu),
    wrong_epilogue!(AddGelu),
    ProductKernels {
        blocks: |level, linear, x, y| {
            run_all_at(level, [(linear, y)], x, &OneWorker);
            spoil(level, y);
        },
        ..PRODUCTS
    },
    // The last row is missing.
    ProductKernels {
        floats: |linear, level, x, step, y| {
            let rows = y.len() / linear.outputs() - usize::from(level != UsableLevel::SCALAR);
            linear.run_at(level, x, step, &mut y[..rows * linear.outputs()]);
        },
        ..PRODUCTS
    },
    // Windows that overlap are too close together.
    ProductKernels {
        floats: |linear, level, x, step, y| {
            let is_right = level == UsableLevel::SCALAR || step == linear.inputs();
            linear.run_at(level, x, if is_right { step } else { step - 1 }, y);
        },
        ..PRODUCTS
    },
];

const WRONG_ROWS: [RowKernels; 3] = [
    RowKernels {
        windows: |rows, level, floats, (width, step)| {
            let floats = &floats[usize::from(level != UsableLevel::SCALAR)..];
            rows.fill_windows_at(level, floats, (width, step));
        },
        ..ROWS
    },
    RowKernels {
        normalized: |rows, level, floats, norm| {
            let bias = if level == UsableLevel::SCALAR { norm.bias } else { &[] };
            rows.fill_normalized_at(level, floats, LayerNorm { bias, ..norm });
        },
        ..ROWS
    },
    RowKernels {
        remainders: |rows, level, coarse, floats, step| {
            let step = step - usize::from(level != UsableLevel::SCALAR);
            rows.fill_remainders_at(level, coarse, floats, step);
        },
        ..ROWS
    },
];

const WRONG_ATTENTION: [AttentionKernels; 2] = [
    AttentionKernels {
        all_keys: |level, queries, memory, means| {
            let rows = queries.rows - usize::from(level != UsableLevel::SCALAR);
            attend_at(level, Queries { rows, ..queries }, memory, means);
        },
        ..ATTENTION
    },
    AttentionKernels {
        first_keys: |level, queries, keys, means| {
            let length = if level == UsableLevel::SCALAR { keys.length } else { 1 };
            attend_first_at(level, queries, Keys { length, ..keys }, means);
        },
        ..ATTENTION
    },
];

/// An activation that is wrong.
macro_rules! wrong_activation {
    ($name:ident, $kernel:ident) => {
        FunctionKernels {
            $name: |level, floats| {
                $kernel(level, floats);
                spoil(level, floats);
            },
            ..FUNCTIONS
        }
    };
}

const WRONG_FUNCTIONS: [FunctionKernels; 9] = [
    wrong_activation!(gelu, gelu_at),
    wrong_activation!(tanh, tanh_at),
    wrong_activation!(sigmoid, sigmoid_at),
    wrong_activation!(relu, relu_at),
    FunctionKernels {
        gated_silu: |level, values, gates, out| {
            gated_silu_at(level, values, gates, out);
            spoil(level, out);
        },
        ..FUNCTIONS
    },
    FunctionKernels {
        layer_norm: |level, floats, norm, out| {
            let bias = if level == UsableLevel::SCALAR { norm.bias } else { &[] };
            layer_norm_at(level, floats, LayerNorm { bias, ..norm }, out);
        },
        ..FUNCTIONS
    },
    FunctionKernels {
        rms_norm: |level, floats, gain, epsilon, out| {
            rms_norm_at(level, floats, gain, epsilon, out);
            spoil(level, out);
        },
        ..FUNCTIONS
    },
    FunctionKernels {
        lstm_cell: |level, gates, cell, hidden| {
            lstm_cell_at(level, gates, cell, hidden);
            spoil(level, hidden);
        },
        ..FUNCTIONS
    },
    // The pair at the end of each head is not rotated.
    FunctionKernels {
        rotate: |level, row, head, cosines, sines| {
            let count = cosines.len() - if level == UsableLevel::SCALAR { 0 } else { 2 };
            rotate_at(level, row, head, &cosines[..count], &sines[..count]);
        },
        ..FUNCTIONS
    },
];

const WRONG_VECTORS: [VectorKernels; 6] = [
    VectorKernels {
        add: |level, into, what| {
            add_at(level, into, what);
            spoil(level, into);
        },
        ..VECTORS
    },
    VectorKernels {
        scale_shift: |level, row, gain, shift| {
            scale_shift_at(level, row, gain, shift);
            spoil(level, row);
        },
        ..VECTORS
    },
    VectorKernels { dot: |level, one, other| spoiled(level, dot_at(level, one, other)), ..VECTORS },
    VectorKernels { largest: |level, floats| spoiled(level, largest_at(level, floats)), ..VECTORS },
    VectorKernels {
        sum_of_powers: |level, floats, top| spoiled(level, sum_of_powers_at(level, floats, top)),
        ..VECTORS
    },
    VectorKernels {
        moments: |level, floats| {
            let (mean, variance) = moments_at(level, floats);
            (mean, spoiled(level, variance))
        },
        ..VECTORS
    },
];

fn assert_found(what: &str, kernels: &Kernels) {
    let selection = select_from(&usable_levels(), None, kernels);
    assert_eq!(selection.level, UsableLevel::SCALAR, "{what}");
    assert_eq!(selection.note.is_some(), usable_levels().len() > 1, "{what}");
}

#[test]
fn every_usable_level_passes_the_check() {
    for level in usable_levels() {
        assert!(is_correct(level, &KERNELS), "{level:?}");
    }
}

#[test]
fn a_wrong_kernel_of_any_kind_is_found_and_the_level_steps_down() {
    for (nth, products) in WRONG_PRODUCTS.into_iter().enumerate() {
        assert_found(&format!("product {nth}"), &Kernels { products, ..KERNELS });
    }
    for (nth, rows) in WRONG_ROWS.into_iter().enumerate() {
        assert_found(&format!("rows {nth}"), &Kernels { rows, ..KERNELS });
    }
    for (nth, attention) in WRONG_ATTENTION.into_iter().enumerate() {
        assert_found(&format!("attention {nth}"), &Kernels { attention, ..KERNELS });
    }
    for (nth, functions) in WRONG_FUNCTIONS.into_iter().enumerate() {
        assert_found(&format!("function {nth}"), &Kernels { functions, ..KERNELS });
    }
    for (nth, vectors) in WRONG_VECTORS.into_iter().enumerate() {
        assert_found(&format!("vector {nth}"), &Kernels { vectors, ..KERNELS });
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
    let functions = FunctionKernels { gelu, ..FUNCTIONS };
    let selection = select_from(&usable, None, &Kernels { functions, ..KERNELS });
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
