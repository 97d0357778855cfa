//! pyannote segmentation 3.0: which of three voices speak, frame by frame.

use auris_audio::lstm::{Lstm, LstmState};
use auris_kernels::FloatLinear;
use auris_weights::WeightsError;

use super::graph::Graph;
use super::norms::leaky_relu;
use super::sincnet::Sincnet;

static FILE: &[u8] = include_bytes!("../../../../models/pyannote_segmentation_3_0.onnx");

/// The loaded net.
pub(crate) struct Pyannote {
    sincnet: Sincnet,
    /// Both directions of each layer.
    recurrent: Vec<[Lstm; 2]>,
    hidden: [FloatLinear; 2],
    classifier: FloatLinear,
}

impl Pyannote {
    pub(crate) fn load() -> Result<Self, WeightsError> {
        let graph = Graph::open(FILE)?;
        Ok(Self {
            sincnet: Sincnet::load(&graph)?,
            recurrent: graph.bidirectional_lstms()?,
            hidden: [graph.linear("linear.0")?, graph.linear("linear.1")?],
            classifier: graph.linear("classifier")?,
        })
    }

    /// The log probabilities of the classes, frame by frame.
    pub(crate) fn log_probabilities(&self, samples: &[f32]) -> Vec<f32> {
        let mut rows = self.sincnet.run(samples);
        for directions in &self.recurrent {
            rows = bidirectional(directions, &rows);
        }
        for layer in &self.hidden {
            rows = product(layer, &rows);
            leaky_relu(&mut rows);
        }
        let mut logarithms = product(&self.classifier, &rows);
        logarithms.chunks_exact_mut(self.classifier.outputs()).for_each(log_softmax);
        logarithms
    }
}

/// The hidden states of both directions side by side.
fn bidirectional(directions: &[Lstm; 2], rows: &[f32]) -> Vec<f32> {
    let [forward, _] = directions;
    let size = forward.size();
    let mut outputs = vec![0.0; rows.len() / forward.inputs() * 2 * size];
    for (nth, lstm) in directions.iter().enumerate() {
        lstm.run(rows, &mut LstmState::new(size), |row, hidden| {
            outputs[(2 * row + nth) * size..][..size].copy_from_slice(hidden);
        });
    }
    outputs
}

fn product(linear: &FloatLinear, rows: &[f32]) -> Vec<f32> {
    let mut y = vec![0.0; rows.len() / linear.inputs() * linear.outputs()];
    linear.run(rows, &mut y);
    y
}

fn log_softmax(row: &mut [f32]) {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|value| *value -= largest);
    let logarithm = row.iter().map(|value| value.exp()).sum::<f32>().ln();
    row.iter_mut().for_each(|value| *value -= logarithm);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probabilities_of_a_row_add_up_to_one() {
        let mut row = [800.0, 801.0, 790.0];
        log_softmax(&mut row);
        let sum: f32 = row.iter().map(|value| value.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-5 && row[1] > row[0], "{row:?}");
    }
}
