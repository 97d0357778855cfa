//! The products of every level, on shapes with ragged ends, and weights that are borrowed from a storage.

use std::sync::Arc;

use super::*;
use crate::Storage;
use crate::levels::usable_levels;
use crate::memory::bytes_of;

const EPILOGUES: [Epilogue; 4] = [Epilogue::Store, Epilogue::Add, Epilogue::Gelu, Epilogue::AddGelu];

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 8) as usize % bound
    }

    fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.float()).collect()
    }

    /// Extreme weights and rows are frequent: they are what overflows.
    fn weight(&mut self) -> i8 {
        match self.below(4) {
            0 => 127,
            1 => -127,
            _ => (self.next() >> 20) as i8,
        }
        .max(-127)
    }

    fn row_float(&mut self) -> f32 {
        match self.below(4) {
            0 => 1.0,
            1 => -1.0,
            _ => self.float(),
        }
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Linear {
        let weights: Vec<i8> = (0..inputs * outputs).map(|_| self.weight()).collect();
        let (scales, bias) = (self.floats(outputs), self.floats(outputs));
        Linear::from_integers(&weights, inputs, &scales, &bias)
    }

    fn calm_weight(&mut self) -> i8 {
        match self.below(200) {
            0 => self.weight(),
            _ => (self.below(129) as i32 - 64) as i8,
        }
    }

    /// Weights as those of published models: small, with a few large ones. Some levels have another kernel for them.
    fn calm_linear(&mut self, inputs: usize, outputs: usize) -> Linear {
        let weights: Vec<i8> = (0..inputs * outputs).map(|_| self.calm_weight()).collect();
        let (scales, bias) = (self.floats(outputs), self.floats(outputs));
        Linear::from_integers(&weights, inputs, &scales, &bias)
    }

    fn rows(&mut self, rows: usize, inputs: usize) -> QuantizedRows {
        let floats: Vec<f32> = (0..rows * inputs).map(|_| self.row_float()).collect();
        let mut quantized = QuantizedRows::default();
        quantized.fill(&floats, inputs);
        quantized
    }
}

fn assert_levels_agree(random: &mut Random, (rows, inputs, outputs): (usize, usize, usize)) {
    let linears = [random.linear(inputs, outputs), random.calm_linear(inputs, outputs)];
    linears.iter().for_each(|linear| assert_levels_agree_on(random, linear, rows));
}

fn assert_levels_agree_on(random: &mut Random, linear: &Linear, rows: usize) {
    let (inputs, outputs) = (linear.inputs(), linear.outputs());
    let x = random.rows(rows, inputs);
    let before = random.floats(rows * outputs);
    for epilogue in EPILOGUES {
        let mut expected = before.clone();
        linear.run_at(UsableLevel::SCALAR, &x, &mut expected, epilogue);
        for level in usable_levels() {
            let mut found = before.clone();
            linear.run_at(level, &x, &mut found, epilogue);
            assert_eq!(found, expected, "{level:?}, {rows} rows, {inputs} to {outputs}, {epilogue:?}");
        }
    }
}

#[test]
fn every_level_is_equal_to_the_scalar_one_on_random_shapes() {
    let mut random = Random(0x1234_5678_9ABC);
    for _ in 0..300 {
        let shape = (1 + random.below(70), 1 + random.below(200), 1 + random.below(120));
        assert_levels_agree(&mut random, shape);
    }
}

#[test]
fn every_level_is_equal_to_the_scalar_one_on_the_shapes_of_nets() {
    let mut random = Random(77);
    for shape in [(1, 288, 1000), (2, 288, 864), (3, 1152, 288), (33, 512, 64), (7, 2048, 40), (130, 288, 33)]
    {
        assert_levels_agree(&mut random, shape);
    }
}

/// The largest products that are added in 16 bits, and weights that are one too large for that.
#[test]
fn sums_of_neighbors_do_not_saturate_at_any_level() {
    let mut random = Random(41);
    let (rows, inputs, outputs) = (13, 96, 24);
    for (first, second) in
        [(64, 64), (127, 1), (-64, -64), (-127, -1), (65, 64), (-127, -2), (127, 127), (-127, -127)]
    {
        // Of eight groups one is large, so that the kernel for small weights is used.
        let pair = |nth: usize| if nth / 4 % 8 == 3 { [first, second] } else { [1, -1] };
        let weights: Vec<i8> = (0..inputs * outputs).map(|nth| pair(nth % inputs)[nth % 2]).collect();
        let scales = random.floats(outputs);
        let linear = Linear::from_integers(&weights, inputs, &scales, &[]);
        let mut x = QuantizedRows::default();
        for sign in [1.0, -1.0] {
            x.fill(&vec![sign; rows * inputs], inputs);
            let mut results = usable_levels().into_iter().map(|level| {
                let mut y = vec![0.0; rows * outputs];
                linear.run_at(level, &x, &mut y, Epilogue::Store);
                y
            });
            let scalar = results.next().expect("the scalar level");
            results.for_each(|y| assert_eq!(y, scalar, "{first} and {second}"));
        }
    }
}

#[test]
fn the_scalar_level_is_the_product_of_the_integers() {
    let mut random = Random(5);
    let (rows, inputs, outputs) = (4, 37, 21);
    let weights: Vec<i8> = (0..inputs * outputs).map(|_| random.weight()).collect();
    let floats = random.floats(rows * inputs);
    let (scales, bias) = (vec![0.5; outputs], random.floats(outputs));
    let mut x = QuantizedRows::default();
    x.fill(&floats, inputs);
    let mut y = vec![0.0; rows * outputs];
    let linear = Linear::from_integers(&weights, inputs, &scales, &bias);
    linear.run_at(UsableLevel::SCALAR, &x, &mut y, Epilogue::Store);
    for (place, y) in y.iter().enumerate() {
        let (row, output) = (place / outputs, place % outputs);
        let scale = x.scales()[row];
        let pairs = floats[row * inputs..].iter().zip(&weights[output * inputs..][..inputs]);
        let sum: i32 = pairs.map(|(x, w)| (x / scale).round_ties_even() as i32 * i32::from(*w)).sum();
        let expected = f64::from(sum) * f64::from(scale) * 0.5 + f64::from(bias[output]);
        assert!((f64::from(*y) - expected).abs() < 1e-3, "{y} is not {expected}");
    }
}

#[test]
fn a_row_does_not_depend_on_the_rest_of_the_batch() {
    let mut random = Random(99);
    for (inputs, outputs) in [(100, 70), (288, 40), (1152, 33)] {
        let linear = random.calm_linear(inputs, outputs);
        let floats = random.floats(40 * inputs);
        for level in usable_levels() {
            for epilogue in [Epilogue::Store, Epilogue::Gelu] {
                let product = |rows: std::ops::Range<usize>| {
                    let mut x = QuantizedRows::default();
                    x.fill_at(level, &floats[rows.start * inputs..rows.end * inputs], inputs);
                    let mut y = vec![0.0; rows.len() * outputs];
                    linear.run_at(level, &x, &mut y, epilogue);
                    y
                };
                let all = product(0..40);
                for rows in [0..1, 7..8, 39..40, 3..9, 1..33, 20..40] {
                    let part = &all[rows.start * outputs..rows.end * outputs];
                    assert_eq!(product(rows.clone()), part, "{level:?}, rows {rows:?}");
                }
            }
        }
    }
}

#[test]
fn float_weights_are_quantized_per_output() {
    let mut random = Random(3);
    let mut weights = random.floats(3 * 50);
    weights[50..100].iter_mut().for_each(|weight| *weight *= 100.0);
    weights[100..].fill(0.0);
    let linear = Linear::from_floats(&weights, 50, &[]);
    let mut row = vec![0.0; 50];
    for (output, step) in [(0, 1.0 / 127.0), (1, 100.0 / 127.0), (2, 0.0)] {
        linear.row(output, &mut row);
        for (one, other) in row.iter().zip(&weights[output * 50..]) {
            assert!((one - other).abs() <= step * 0.51, "{one} is not {other}");
        }
    }
}

#[test]
fn no_rows_give_no_outputs() {
    let linear = Random(8).linear(10, 3);
    linear.run(&QuantizedRows::default(), &mut [], Epilogue::Store);
}

#[test]
#[should_panic(expected = "rows are as wide as there are inputs")]
fn rows_of_another_width_are_refused() {
    let mut random = Random(8);
    let (linear, x) = (random.linear(10, 3), random.rows(2, 11));
    linear.run(&x, &mut [0.0; 6], Epilogue::Store);
}

/// Lines that are shared as bytes.
struct Shared(Vec<Line>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        bytes_of(&self.0)
    }
}

/// The parts of a product one after the other, as in a file.
fn stored(linear: &Linear) -> (Vec<u8>, PackedLayout) {
    let packed = linear.packed();
    let mut bytes = packed.weights.to_vec();
    let mut append = |words: Vec<[u8; 4]>| {
        let start = bytes.len();
        bytes.extend(words.concat());
        start..bytes.len()
    };
    let offsets = append(packed.offsets.iter().map(|number| number.to_le_bytes()).collect());
    let scales = append(packed.scales.iter().map(|number| number.to_le_bytes()).collect());
    let bias = append(packed.bias.iter().map(|number| number.to_le_bytes()).collect());
    let (inputs, outputs) = (packed.inputs, packed.outputs);
    (bytes, PackedLayout { weights: 0..packed.weights.len(), offsets, scales, bias, inputs, outputs })
}

fn storage(bytes: &[u8]) -> Storage {
    let mut lines = vec![Line::ZERO; bytes.len().div_ceil(LINE)];
    for (line, bytes) in lines.iter_mut().zip(bytes.chunks(LINE)) {
        line.0[..bytes.len()].copy_from_slice(bytes);
    }
    Storage::new(Arc::new(Shared(lines)))
}

#[test]
fn a_stored_product_computes_the_same_without_a_copy_of_its_weights() {
    let mut random = Random(21);
    let (linear, x) = (random.linear(75, 50), random.rows(9, 75));
    let (bytes, layout) = stored(&linear);
    let storage = storage(&bytes);
    let restored = Linear::from_packed(storage.clone(), layout).expect("a valid layout");
    let (mut expected, mut found) = (vec![0.0; 9 * 50], vec![0.0; 9 * 50]);
    linear.run(&x, &mut expected, Epilogue::Gelu);
    restored.run(&x, &mut found, Epilogue::Gelu);
    assert_eq!(found, expected);
    assert_eq!(restored.bytes(), linear.bytes());
    let within = storage.bytes().as_ptr_range();
    assert!(within.contains(&restored.packed().weights.as_ptr()));
    let mut rows = [vec![0.0; 75], vec![0.0; 75]];
    linear.row(49, &mut rows[0]);
    restored.row(49, &mut rows[1]);
    assert_eq!(rows[0], rows[1]);
}

#[test]
fn a_layout_that_does_not_fit_the_storage_is_refused() {
    let (bytes, layout) = stored(&Random(22).linear(75, 50));
    let storage = storage(&bytes);
    let length = storage.bytes().len();
    let error = |layout: PackedLayout| Linear::from_packed(storage.clone(), layout).expect_err("not valid");
    let is_dimensions = |error| matches!(error, LayoutError::Dimensions { .. });
    for (inputs, outputs) in [(0, 50), (75, 0), (usize::MAX, 50), (75, usize::MAX), (1 << 17, 50)] {
        assert!(is_dimensions(error(PackedLayout { inputs, outputs, ..layout.clone() })));
    }
    let is_length =
        |error: &LayoutError, part| matches!(error, LayoutError::Length { part: p, .. } if *p == part);
    assert!(is_length(&error(PackedLayout { inputs: 129, ..layout.clone() }), "weights"));
    assert!(is_length(&error(PackedLayout { outputs: 65, ..layout.clone() }), "weights"));
    let reversed = std::ops::Range { start: 128, end: 64 };
    assert!(is_length(&error(PackedLayout { offsets: reversed, ..layout.clone() }), "offsets"));
    assert!(is_length(&error(PackedLayout { scales: 0..4, ..layout.clone() }), "scales"));
    assert!(is_length(&error(PackedLayout { bias: 0..0, ..layout.clone() }), "biases"));
    let moved = layout.bias.start + length..layout.bias.end + length;
    let found = error(PackedLayout { bias: moved.clone(), ..layout.clone() });
    assert_eq!(found, LayoutError::OutOfBounds { part: "biases", range: moved, length });
    let huge = usize::MAX - layout.weights.len()..usize::MAX;
    assert!(matches!(
        error(PackedLayout { weights: huge, ..layout.clone() }),
        LayoutError::OutOfBounds { part: "weights", .. }
    ));
    let shifted = layout.weights.start + 4..layout.weights.end + 4;
    assert_eq!(error(PackedLayout { weights: shifted, ..layout }), LayoutError::Misaligned);
}

#[test]
fn errors_of_layouts_name_the_part_and_the_bytes() {
    let error = LayoutError::OutOfBounds { part: "scales", range: 8..16, length: 12 };
    assert_eq!(error.to_string(), "the scales have the bytes 8..16 of only 12");
}
