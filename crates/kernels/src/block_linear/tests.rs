use super::*;
use crate::levels::usable_levels;
use crate::self_check::Random;

const OUTPUTS: [usize; 4] = [1, 16, 21, 48];

fn four_bit_matrix(random: &mut Random, inputs: usize, outputs: usize) -> BlockLinear {
    BlockLinear::from_four_bits(inputs, outputs, |_, _, block| {
        block.scale = random.floats(1)[0];
        block.minimum = random.floats(1)[0];
        block.scales.fill_with(|| random.byte() & 63);
        block.minimums.fill_with(|| random.byte() & 63);
        block.numbers.fill_with(|| random.byte() & 15);
    })
}

fn six_bit_matrix(random: &mut Random, inputs: usize, outputs: usize) -> BlockLinear {
    BlockLinear::from_six_bits(inputs, outputs, |_, _, block| {
        block.scale = random.floats(1)[0];
        block.scales.fill_with(|| random.byte() as i8);
        block.numbers.fill_with(|| random.byte() & 63);
    })
}

fn byte_matrix(random: &mut Random, inputs: usize, outputs: usize) -> BlockLinear {
    BlockLinear::from_floats(inputs, outputs, |_, row| row.copy_from_slice(&random.floats(inputs)))
}

/// A matrix of each kind, with a bias.
fn matrices(inputs: usize, outputs: usize) -> Vec<BlockLinear> {
    let mut random = Random::new(inputs + outputs);
    let mut matrices = vec![byte_matrix(&mut random, inputs, outputs)];
    if inputs.is_multiple_of(256) {
        matrices.push(four_bit_matrix(&mut random, inputs, outputs));
        matrices.push(six_bit_matrix(&mut random, inputs, outputs));
    }
    let bias = random.floats(outputs);
    matrices.into_iter().map(|matrix| matrix.with_bias(&bias)).collect()
}

fn product(level: UsableLevel, linear: &BlockLinear, floats: &[f32]) -> Vec<f32> {
    let mut x = BlockRows::default();
    x.fill_at(level, floats, linear.inputs(), &OneWorker);
    let mut y = vec![7.0; x.rows() * linear.outputs()];
    run_all_at(level, [(linear, &mut y[..])], &x, &OneWorker);
    y
}

#[test]
fn every_level_equals_the_scalar_one_to_the_last_bit() {
    for inputs in [32, 40, 256, 768] {
        for outputs in OUTPUTS {
            for linear in matrices(inputs, outputs) {
                for rows in [1, 2, 3, 7, 8, 13] {
                    let floats = Random::new(rows).floats(rows * inputs);
                    let expected = product(UsableLevel::SCALAR, &linear, &floats);
                    for level in usable_levels() {
                        let found = product(level, &linear, &floats);
                        assert_eq!(found, expected, "{level:?} {linear:?} {rows} rows");
                    }
                }
            }
        }
    }
}

#[test]
fn a_product_is_near_the_sum_of_the_weights_as_floats() {
    for linear in matrices(512, 21) {
        let mut weights = vec![0.0; 512];
        let floats = Random::new(3).floats(512);
        let found = product(crate::usable_level(), &linear, &floats);
        for output in 0..21 {
            linear.row(output, &mut weights);
            let sum: f32 = weights.iter().zip(&floats).map(|(weight, float)| weight * float).sum();
            let size: f32 = weights.iter().map(|weight| weight.abs()).sum();
            let expected = sum + linear.bias[output];
            // Each number of a row is rounded by at most 1/254 of the largest one, which is below 1.
            let tolerance = size / 254.0;
            assert!((found[output] - expected).abs() <= tolerance, "{linear:?} {output}");
        }
    }
}

#[test]
fn weights_are_what_was_packed() {
    let mut random = Random::new(9);
    let mut expected = vec![vec![0.0; 512]; 20];
    let four = BlockLinear::from_four_bits(512, 20, |output, nth, block| {
        block.scale = 0.5;
        block.minimum = 0.25;
        block.scales.fill_with(|| random.byte() & 63);
        block.minimums.fill_with(|| random.byte() & 63);
        block.numbers.fill_with(|| random.byte() & 15);
        for (nth, out) in expected[output][nth * 256..][..256].iter_mut().enumerate() {
            *out = 0.5 * f32::from(block.scales[nth / 32]) * f32::from(block.numbers[nth])
                - 0.25 * f32::from(block.minimums[nth / 32]);
        }
    });
    assert_rows(&four, &expected, 0.0);
    let six = BlockLinear::from_six_bits(512, 20, |output, nth, block| {
        block.scale = 0.5;
        block.scales.fill_with(|| random.byte() as i8);
        block.numbers.fill_with(|| random.byte() & 63);
        for (nth, out) in expected[output][nth * 256..][..256].iter_mut().enumerate() {
            *out = 0.5 * f32::from(block.scales[nth / 16]) * (f32::from(block.numbers[nth]) - 32.0);
        }
    });
    assert_rows(&six, &expected, 0.0);
    let expected: Vec<Vec<f32>> = (0..20).map(|_| random.floats(70)).collect();
    let bytes = BlockLinear::from_floats(70, 20, |output, row| row.copy_from_slice(&expected[output]));
    assert_rows(&bytes, &expected, 1.0 / 254.0);
}

fn assert_rows(linear: &BlockLinear, expected: &[Vec<f32>], tolerance: f32) {
    for (output, expected) in expected.iter().enumerate() {
        let mut row = vec![0.0; linear.inputs()];
        linear.row(output, &mut row);
        for (nth, (found, expected)) in row.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() <= tolerance, "{output} {nth}: {found} {expected}");
        }
    }
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let four = BlockLinear::from_four_bits(256, 16, |_, _, block| {
        block.scale = 1.0;
        block.scales = [1; 8];
        block.numbers = [15; 256];
    });
    let six = BlockLinear::from_six_bits(256, 16, |_, _, block| {
        block.scale = 1.0;
        block.scales = [1; 16];
        block.numbers = [63; 256];
    });
    let bytes = BlockLinear::from_floats(256, 16, |_, row| row.fill(127.0));
    for level in usable_levels() {
        for (linear, weight) in [(&four, 15.0), (&six, 31.0), (&bytes, 127.0)] {
            for float in [127.0, -127.0] {
                let found = product(level, linear, &[float; 256]);
                assert_eq!(found, vec![weight * float * 256.0; 16], "{level:?} {linear:?}");
            }
        }
    }
}

struct Threads;

impl Workers for Threads {
    fn count(&self) -> usize {
        3
    }

    fn share(&self, parts: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            (0..parts).for_each(|part| {
                scope.spawn(move || work(part));
            });
        });
    }
}

#[test]
fn many_rows_are_quantized_by_several_workers_as_by_one() {
    let floats = Random::new(2).floats(100 * 700);
    let (mut together, mut alone) = (BlockRows::default(), BlockRows::default());
    together.fill(&floats, 700, &Threads);
    alone.fill(&floats, 700, &OneWorker);
    assert_eq!(together.rows(), 100);
    (0..100).for_each(|row| assert_eq!(together.row(row), alone.row(row)));
}

#[test]
fn several_products_on_several_workers_are_the_same_as_alone() {
    let [one, other] = [matrices(256, 70).remove(1), matrices(256, 5).remove(2)];
    let floats = Random::new(1).floats(5 * 256);
    let mut x = BlockRows::default();
    x.fill(&floats, 256, &Threads);
    let (mut y, mut z) = (vec![0.0; 5 * 70], vec![0.0; 5 * 5]);
    BlockLinear::run_all([(&one, &mut y[..]), (&other, &mut z[..])], &x, &Threads);
    assert_eq!(y, product(crate::usable_level(), &one, &floats));
    assert_eq!(z, product(crate::usable_level(), &other, &floats));
}

/// Many workers that repeat parts, and ask for one that does not exist.
struct CarelessWorkers;

impl Workers for CarelessWorkers {
    fn count(&self) -> usize {
        100
    }

    fn share(&self, parts: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..=parts).chain(0..=parts).for_each(work);
    }
}

#[test]
fn careless_workers_do_no_harm() {
    let linear = matrices(256, 2000).remove(0);
    let floats = Random::new(3).floats(2 * 256);
    let mut x = BlockRows::default();
    x.fill(&floats, 256, &OneWorker);
    let mut y = vec![0.0; 2 * 2000];
    linear.run(&x, &mut y, &CarelessWorkers);
    assert_eq!(y, product(crate::usable_level(), &linear, &floats));
}

#[test]
fn a_row_does_not_depend_on_the_others() {
    for linear in matrices(256, 33) {
        let floats = Random::new(5).floats(11 * 256);
        for level in usable_levels() {
            let together = product(level, &linear, &floats);
            for row in 0..11 {
                let alone = product(level, &linear, &floats[row * 256..][..256]);
                assert_eq!(alone, together[row * 33..][..33], "{level:?}");
            }
        }
    }
}

#[test]
fn one_large_number_does_not_blur_the_other_parts_of_its_row() {
    let linear = BlockLinear::from_floats(64, 16, |_, row| row[..32].fill(1.0));
    let mut floats = vec![0.01; 64];
    floats[40] = 1000.0;
    let found = product(crate::usable_level(), &linear, &floats);
    assert!((found[0] - 0.32).abs() < 1e-3, "{}", found[0]);
}

#[test]
fn no_rows_give_no_outputs() {
    let linear = byte_matrix(&mut Random::new(1), 32, 3);
    assert_eq!(product(crate::usable_level(), &linear, &[]), [0.0; 0]);
}
