//! Checks the functions between the products: activations, norms, the LSTM cell and rotary positions.

use super::{Random, agree};
use crate::LayerNorm;
use crate::elementwise::{
    gated_silu_at, gelu_at, layer_norm_at, lstm_cell_at, relu_at, rms_norm_at, rotate_at, sigmoid_at, tanh_at,
};
use crate::levels::UsableLevel;

/// The kernels of functions.
#[derive(Clone, Copy)]
pub(super) struct FunctionKernels {
    pub(super) gelu: fn(UsableLevel, &mut [f32]),
    pub(super) tanh: fn(UsableLevel, &mut [f32]),
    pub(super) sigmoid: fn(UsableLevel, &mut [f32]),
    pub(super) relu: fn(UsableLevel, &mut [f32]),
    pub(super) gated_silu: fn(UsableLevel, &[f32], &[f32], &mut [f32]),
    pub(super) layer_norm: fn(UsableLevel, &[f32], LayerNorm<'_>, &mut [f32]),
    pub(super) rms_norm: fn(UsableLevel, &[f32], &[f32], f32, &mut [f32]),
    pub(super) lstm_cell: fn(UsableLevel, &[f32], &mut [f32], &mut [f32]),
    pub(super) rotate: fn(UsableLevel, &mut [f32], usize, &[f32], &[f32]),
}

pub(super) const FUNCTIONS: FunctionKernels = FunctionKernels {
    gelu: gelu_at,
    tanh: tanh_at,
    sigmoid: sigmoid_at,
    relu: relu_at,
    gated_silu: gated_silu_at,
    layer_norm: layer_norm_at,
    rms_norm: rms_norm_at,
    lstm_cell: lstm_cell_at,
    rotate: rotate_at,
};

/// Floats in a row: several registers and a part of one.
const WIDTH: usize = 77;
const ROWS: usize = 3;
const EPSILON: f32 = 1e-5;

impl FunctionKernels {
    pub(super) fn are_correct(&self, level: UsableLevel) -> bool {
        self.activations_are_correct(level)
            && self.norms_are_correct(level)
            && self.lstm_cell_is_correct(level)
            && self.rotation_is_correct(level)
    }

    fn activations_are_correct(&self, level: UsableLevel) -> bool {
        let floats: Vec<f32> = (-50..53).map(|nth| nth as f32 * 0.13).collect();
        let values = Random::new(3).floats(floats.len());
        let is_correct = |activation: fn(UsableLevel, &mut [f32])| {
            agree(level, 1e-5, |level| {
                let mut floats = floats.clone();
                activation(level, &mut floats);
                floats
            })
        };
        [self.gelu, self.tanh, self.sigmoid, self.relu].into_iter().all(is_correct)
            && agree(level, 1e-5, |level| {
                let mut out = vec![0.0; floats.len()];
                (self.gated_silu)(level, &values, &floats, &mut out);
                out
            })
    }

    fn norms_are_correct(&self, level: UsableLevel) -> bool {
        let mut random = Random::new(7);
        let [floats, gain, bias] = [ROWS * WIDTH, WIDTH, WIDTH].map(|count| random.floats(count));
        let norm = LayerNorm { gain: &gain, bias: &bias, epsilon: EPSILON };
        agree(level, 1e-4, |level| {
            let mut out = vec![0.0; floats.len()];
            (self.layer_norm)(level, &floats, norm, &mut out);
            out
        }) && agree(level, 1e-4, |level| {
            let mut out = vec![0.0; floats.len()];
            (self.rms_norm)(level, &floats, &gain, EPSILON, &mut out);
            out
        })
    }

    fn lstm_cell_is_correct(&self, level: UsableLevel) -> bool {
        let mut random = Random::new(11);
        let gates = random.floats(4 * 37);
        let before = random.floats(37);
        agree(level, 1e-4, |level| {
            let mut cell = before.clone();
            let mut hidden = vec![0.0; 37];
            (self.lstm_cell)(level, &gates, &mut cell, &mut hidden);
            cell.append(&mut hidden);
            cell
        })
    }

    /// Two heads, of which a part is rotated that is not whole registers. Any numbers can stand for the angles.
    fn rotation_is_correct(&self, level: UsableLevel) -> bool {
        let mut random = Random::new(19);
        let [row, cosines, sines] = [2 * 52, 38, 38].map(|count| random.floats(count));
        agree(level, 1e-5, |level| {
            let mut row = row.clone();
            (self.rotate)(level, &mut row, 52, &cosines, &sines);
            row
        })
    }
}
