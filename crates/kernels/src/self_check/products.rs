//! Checks the products: integers with every epilogue, weights in blocks, and floats.

use super::{Random, agree};
use crate::block_linear::run_all_at;
use crate::levels::UsableLevel;
use crate::{BlockLinear, BlockRows, Epilogue, FloatLinear, Linear, OneWorker, QuantizedRows};

/// The kernels of products.
#[derive(Clone, Copy)]
pub(super) struct ProductKernels {
    pub(super) integers: fn(&Linear, UsableLevel, &QuantizedRows, &mut [f32], Epilogue),
    pub(super) blocks: fn(UsableLevel, &BlockLinear, &BlockRows, &mut [f32]),
    pub(super) floats: fn(&FloatLinear, UsableLevel, &[f32], usize, &mut [f32]),
}

pub(super) const PRODUCTS: ProductKernels = ProductKernels {
    integers: Linear::run_at,
    blocks: |level, linear, x, y| run_all_at(level, [(linear, y)], x, &OneWorker),
    floats: FloatLinear::run_at,
};

/// The sizes of a product.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    inputs: usize,
    outputs: usize,
}

/// Few rows, and several blocks with ragged ends. Both are small enough to be computed with every epilogue and as a
/// convolution.
const SMALL: [Shape; 2] =
    [Shape { rows: 3, inputs: 36, outputs: 40 }, Shape { rows: 19, inputs: 100, outputs: 33 }];
/// A single row, and more rows than two strips.
const LARGE: [Shape; 2] =
    [Shape { rows: 1, inputs: 288, outputs: 72 }, Shape { rows: 45, inputs: 68, outputs: 96 }];

const EPILOGUES: [Epilogue; 4] = [Epilogue::Store, Epilogue::Add, Epilogue::Gelu, Epilogue::AddGelu];

/// The weights of a product. Some levels have another kernel for small ones with a few large ones between them.
const WEIGHTS: [fn(&mut Random, usize) -> i8; 2] =
    [|random, _| random.integer(127), |random, nth| random.integer(if nth % 100 < 2 { 127 } else { 60 })];

impl ProductKernels {
    pub(super) fn are_correct(&self, level: UsableLevel) -> bool {
        let are_correct = |shape: Shape, epilogues: &[Epilogue]| {
            WEIGHTS.into_iter().all(|weights| {
                let product = IntegerProduct::random(shape, weights);
                epilogues.iter().all(|epilogue| self.integers_are_correct(level, &product, *epilogue))
            }) && self.floats_are_correct(level, shape, shape.inputs)
        };
        SMALL.into_iter().all(|shape| {
            are_correct(shape, &EPILOGUES) && self.floats_are_correct(level, shape, shape.inputs / 3)
        }) && LARGE.into_iter().all(|shape| are_correct(shape, &[Epilogue::Store]))
            && self.blocks_are_correct(level)
    }

    /// Integer products are the same to the last bit.
    fn integers_are_correct(&self, level: UsableLevel, product: &IntegerProduct, epilogue: Epilogue) -> bool {
        agree(level, 0.0, |level| {
            let mut x = QuantizedRows::default();
            let mut y = product.before.clone();
            x.fill_at(level, &product.x, product.linear.inputs());
            (self.integers)(&product.linear, level, &x, &mut y, epilogue);
            y
        })
    }

    /// Windows that start every `step` floats.
    fn floats_are_correct(&self, level: UsableLevel, shape: Shape, step: usize) -> bool {
        let Shape { rows, inputs, outputs } = shape;
        let mut random = Random::new(rows + outputs);
        let weights = random.floats(inputs * outputs);
        let linear = FloatLinear::new(&weights, inputs, &random.floats(outputs));
        let x = random.floats((rows - 1) * step + inputs);
        agree(level, 1e-3, |level| {
            let mut y = vec![0.0; rows * outputs];
            (self.floats)(&linear, level, &x, step, &mut y);
            y
        })
    }

    /// Weights of 4, 6 and 8 bits, with rows for every block of rows.
    fn blocks_are_correct(&self, level: UsableLevel) -> bool {
        let shape = Shape { rows: 15, inputs: 256, outputs: 21 };
        let mut random = Random::new(7);
        let floats = random.floats(shape.rows * shape.inputs);
        block_matrices(&mut random, shape).iter().all(|linear| {
            agree(level, 0.0, |level| {
                let mut x = BlockRows::default();
                let mut y = vec![0.0; shape.rows * shape.outputs];
                x.fill_at(level, &floats, shape.inputs, &OneWorker);
                (self.blocks)(level, linear, &x, &mut y);
                y
            })
        })
    }
}

/// A product of random numbers.
struct IntegerProduct {
    linear: Linear,
    x: Vec<f32>,
    /// What the outputs are before the product.
    before: Vec<f32>,
}

impl IntegerProduct {
    fn random(Shape { rows, inputs, outputs }: Shape, weight: fn(&mut Random, usize) -> i8) -> Self {
        let mut random = Random::new(rows + inputs);
        let weights: Vec<i8> = (0..inputs * outputs).map(|nth| weight(&mut random, nth)).collect();
        let scales = random.floats(outputs);
        let linear = Linear::from_integers(&weights, inputs, &scales, &random.floats(outputs));
        Self { linear, x: random.floats(rows * inputs), before: random.floats(rows * outputs) }
    }
}

fn block_matrices(random: &mut Random, Shape { inputs, outputs, .. }: Shape) -> [BlockLinear; 3] {
    [
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
    ]
}
