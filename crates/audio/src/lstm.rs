//! One direction of an LSTM layer, for voice detection and diarization.

use auris_kernels::{FloatLinear, add, lstm_cell};

/// Gates of an LSTM: input, forget, cell and output.
const GATES: usize = 4;
/// The positions of these gates in ONNX files, which have the order input, output, forget, cell.
const ONNX_ORDER: [usize; GATES] = [0, 2, 3, 1];

/// The order in which the rows are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

/// The weights of one direction in the order of ONNX files.
#[derive(Debug, Clone, Copy)]
pub struct LstmWeights<'a> {
    /// For each gate and unit a row of inputs.
    pub input: &'a [f32],
    /// For each gate and unit a row of the hidden state.
    pub recurrent: &'a [f32],
    /// The biases of the input, followed by those of the hidden state.
    pub bias: &'a [f32],
}

/// One direction of a layer.
pub struct Lstm {
    input: FloatLinear,
    recurrent: FloatLinear,
    direction: Direction,
}

/// What a layer remembers from one row to the next, and its buffers.
#[derive(Debug, Clone)]
pub struct LstmState {
    hidden: Vec<f32>,
    cell: Vec<f32>,
    /// The gates of all rows.
    gates: Vec<f32>,
    /// The part of the hidden state in the gates of one row.
    recurrent: Vec<f32>,
}

impl LstmState {
    /// The state before the first row.
    pub fn new(size: usize) -> Self {
        Self {
            hidden: vec![0.0; size],
            cell: vec![0.0; size],
            gates: Vec::new(),
            recurrent: vec![0.0; GATES * size],
        }
    }
}

impl Lstm {
    pub fn new(weights: LstmWeights<'_>, direction: Direction) -> Self {
        let units = weights.bias.len() / 2;
        let size = units / GATES;
        let (of_input, of_hidden) = weights.bias.split_at(units);
        let bias: Vec<f32> = of_input.iter().zip(of_hidden).map(|(one, other)| one + other).collect();
        let bias = reordered(&bias, size);
        let inputs = weights.input.len() / units.max(1);
        Self {
            input: FloatLinear::new(&reordered(weights.input, size * inputs), inputs, &bias),
            recurrent: FloatLinear::new(&reordered(weights.recurrent, size * size), size, &[]),
            direction,
        }
    }

    /// The length of the rows that it reads.
    pub fn inputs(&self) -> usize {
        self.input.inputs()
    }

    /// The number of units.
    pub fn size(&self) -> usize {
        self.recurrent.inputs()
    }

    /// Runs over rows of inputs. `store` receives the number of each row and the hidden state after it. The part of the
    /// input is one product for all rows; only the part of the hidden state is computed row by row.
    pub fn run(&self, rows: &[f32], state: &mut LstmState, mut store: impl FnMut(usize, &[f32])) {
        let LstmState { hidden, cell, gates, recurrent } = state;
        let count = rows.len() / self.input.inputs();
        let units = self.input.outputs();
        gates.resize(count * units, 0.0);
        self.input.run(rows, gates);
        for step in 0..count {
            let row = match self.direction {
                Direction::Forward => step,
                Direction::Backward => count - 1 - step,
            };
            let gates = &mut gates[row * units..][..units];
            self.recurrent.run(hidden, recurrent);
            add(gates, recurrent);
            lstm_cell(gates, cell, hidden);
            store(row, hidden);
        }
    }
}

/// The parts of the gates, each with `length` numbers, in the order of the kernel.
fn reordered(onnx: &[f32], length: usize) -> Vec<f32> {
    ONNX_ORDER.iter().flat_map(|gate| &onnx[gate * length..][..length]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 5;
    const INPUTS: usize = 3;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| (((at + seed) * 7_919 % 1_009) as f32 / 1_009.0 - 0.5) * 1.5).collect()
    }

    fn sigmoid(value: f32) -> f32 {
        1.0 / (1.0 + (-value).exp())
    }

    /// The definition in the specification of ONNX, number by number.
    fn plain(weights: LstmWeights<'_>, rows: &[f32]) -> Vec<Vec<f32>> {
        let (mut hidden, mut cell, mut outputs) = (vec![0.0; SIZE], vec![0.0; SIZE], Vec::new());
        for row in rows.chunks_exact(INPUTS) {
            let gate = |gate: usize, unit: usize| {
                let at = gate * SIZE + unit;
                let of = |weights: &[f32], values: &[f32]| -> f32 {
                    let weights = &weights[at * values.len()..][..values.len()];
                    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
                };
                let bias = weights.bias[at] + weights.bias[GATES * SIZE + at];
                of(weights.input, row) + of(weights.recurrent, &hidden) + bias
            };
            let next: Vec<(f32, f32)> = (0..SIZE)
                .map(|unit| {
                    let kept = sigmoid(gate(2, unit)) * cell[unit];
                    let cell = kept + sigmoid(gate(0, unit)) * gate(3, unit).tanh();
                    (cell, sigmoid(gate(1, unit)) * cell.tanh())
                })
                .collect();
            (cell, hidden) = next.into_iter().unzip();
            outputs.push(hidden.clone());
        }
        outputs
    }

    fn assert_close(ours: &[Vec<f32>], plain: &[Vec<f32>]) {
        assert_eq!(ours.len(), plain.len());
        for (one, other) in ours.iter().flatten().zip(plain.iter().flatten()) {
            assert!((one - other).abs() < 1e-4, "{one} and {other}");
        }
    }

    #[test]
    fn both_directions_follow_the_definition_of_onnx() {
        let input = numbers(GATES * SIZE * INPUTS, 1);
        let recurrent = numbers(GATES * SIZE * SIZE, 2);
        let bias = numbers(2 * GATES * SIZE, 3);
        let weights = LstmWeights { input: &input, recurrent: &recurrent, bias: &bias };
        let rows = numbers(7 * INPUTS, 4);
        let run = |direction, rows: &[f32]| {
            let mut outputs = vec![Vec::new(); rows.len() / INPUTS];
            let lstm = Lstm::new(weights, direction);
            lstm.run(rows, &mut LstmState::new(SIZE), |row, hidden| outputs[row] = hidden.to_vec());
            outputs
        };
        assert_close(&run(Direction::Forward, &rows), &plain(weights, &rows));
        let reversed: Vec<f32> = rows.chunks_exact(INPUTS).rev().flatten().copied().collect();
        let mut backward = plain(weights, &reversed);
        backward.reverse();
        assert_close(&run(Direction::Backward, &rows), &backward);
    }

    #[test]
    fn the_state_carries_over_to_the_next_rows() {
        let (input, recurrent, bias) = (
            numbers(GATES * SIZE * INPUTS, 5),
            numbers(GATES * SIZE * SIZE, 6),
            numbers(2 * GATES * SIZE, 7),
        );
        let lstm =
            Lstm::new(LstmWeights { input: &input, recurrent: &recurrent, bias: &bias }, Direction::Forward);
        let rows = numbers(6 * INPUTS, 8);
        let (mut whole, mut parts) = (Vec::new(), Vec::new());
        lstm.run(&rows, &mut LstmState::new(SIZE), |_, hidden| whole.push(hidden.to_vec()));
        let mut state = LstmState::new(SIZE);
        for part in rows.chunks(2 * INPUTS) {
            lstm.run(part, &mut state, |_, hidden| parts.push(hidden.to_vec()));
        }
        assert_close(&parts, &whole);
    }
}
