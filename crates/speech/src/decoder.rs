//! The merged decoder of the published exports: one network for the first and the following steps, with a key-value cache.

use auris_engine_core::EngineError;
use auris_onnx::AudioLayout;
use auris_onnx::Projection;
use auris_onnx::{Net, floats};
use rten::{NodeId, Value, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

/// A score this far below the best has less than a hundred-millionth of its probability and is ignored.
const NEGLIGIBLE: f32 = 20.0;

/// The decoder of Moonshine or Whisper; both exports use the same input names.
pub(crate) struct MergedDecoder {
    net: Net,
    tokens: NodeId,
    encoded: NodeId,
    use_cache: NodeId,
    logits: NodeId,
    /// Key and value of each layer: past input and present output.
    own: Vec<(NodeId, NodeId)>,
    cross: Vec<(NodeId, NodeId)>,
    /// The cross-attention of each layer; not every export has this output.
    attentions: Vec<NodeId>,
    heads: usize,
    width: usize,
}

impl MergedDecoder {
    pub(crate) fn new(net: Net) -> Result<Self, EngineError> {
        let layers = (0..)
            .take_while(|layer| net.find(&format!("past_key_values.{layer}.decoder.key")).is_some())
            .count();
        let pairs = |kind: &str| -> Result<Vec<(NodeId, NodeId)>, EngineError> {
            let names =
                (0..layers).flat_map(|layer| ["key", "value"].map(|part| format!("{layer}.{kind}.{part}")));
            names
                .map(|name| {
                    Ok((net.node(&format!("past_key_values.{name}"))?, net.node(&format!("present.{name}"))?))
                })
                .collect()
        };
        let own = pairs("decoder")?;
        let cross = pairs("encoder")?;
        let attentions =
            (0..layers).filter_map(|layer| net.find(&format!("cross_attentions.{layer}"))).collect();
        let first = own.first().ok_or_else(|| EngineError::internal("the decoder has no layers"))?.0;
        let size = |dimension| net.fixed_dimension(first, dimension);
        let (Some(heads), Some(width)) = (size(1), size(3)) else {
            return Err(EngineError::internal("the decoder has no fixed size"));
        };
        Ok(Self {
            tokens: net.node("input_ids")?,
            encoded: net.node("encoder_hidden_states")?,
            use_cache: net.node("use_cache_branch")?,
            logits: net.node("logits")?,
            own,
            cross,
            attentions,
            heads,
            width,
            net,
        })
    }

    /// Starts decoding the output of the encoder.
    pub(crate) fn begin(&self, encoded: Value, with_attentions: bool) -> Decoding<'_> {
        Decoding { decoder: self, encoded, own: Vec::new(), cross: Vec::new(), with_attentions }
    }

    fn empty(&self) -> Value {
        NdTensor::<f32, 4>::zeros([1, self.heads, 0, self.width]).into()
    }
}

/// The output of one step.
pub(crate) struct Step<'a> {
    /// A row for each token fed: the scores of the token after it, or the hidden state that `projection` turns into scores.
    rows: Vec<f32>,
    fed: usize,
    projection: Option<&'a Projection>,
    /// Layer by layer: head × fed token × audio frame.
    pub(crate) attentions: Vec<Vec<f32>>,
}

impl Step<'_> {
    /// The scores of the token after the last one fed.
    pub(crate) fn last(&self) -> Vec<f32> {
        self.after(self.fed.saturating_sub(1))
    }

    /// The scores of the token after the nth one fed.
    pub(crate) fn after(&self, nth: usize) -> Vec<f32> {
        let width = self.rows.len() / self.fed.max(1);
        let row = self.rows.get(nth * width..(nth + 1) * width).unwrap_or_default();
        self.projection.map_or_else(|| row.to_vec(), |projection| projection.scores(row))
    }
}

/// A decoding in progress.
pub(crate) struct Decoding<'a> {
    decoder: &'a MergedDecoder,
    encoded: Value,
    own: Vec<Value>,
    /// Set by the first step; later steps return empty ones.
    cross: Vec<Value>,
    with_attentions: bool,
}

impl<'a> Decoding<'a> {
    /// Feeds tokens and returns the scores of the next ones.
    pub(crate) fn step(&mut self, tokens: &[u32]) -> Result<Step<'a>, EngineError> {
        let decoder = self.decoder;
        let first = self.cross.is_empty();
        let ids: Vec<i32> = tokens.iter().map(|token| *token as i32).collect();
        let mut inputs: Vec<(NodeId, ValueOrView)> = vec![
            (decoder.tokens, NdTensor::from_data([1, tokens.len()], ids).into()),
            (decoder.encoded, (&self.encoded).into()),
            (decoder.use_cache, NdTensor::from_data([1], vec![i32::from(!first)]).into()),
        ];
        let mut own = std::mem::take(&mut self.own).into_iter();
        for (past, _) in &decoder.own {
            inputs.push((*past, own.next().unwrap_or_else(|| decoder.empty()).into()));
        }
        let empty = decoder.empty();
        for (nth, (past, _)) in decoder.cross.iter().enumerate() {
            inputs.push((*past, self.cross.get(nth).unwrap_or(&empty).into()));
        }
        let outputs = decoder.net.run(inputs, &self.wanted(first))?;
        self.take(outputs, first, tokens.len())
    }

    fn wanted(&self, first: bool) -> Vec<NodeId> {
        let decoder = self.decoder;
        let mut wanted = vec![decoder.logits];
        wanted.extend(decoder.own.iter().map(|(_, present)| *present));
        wanted.extend(decoder.attentions.iter().filter(|_| self.with_attentions));
        wanted.extend(decoder.cross.iter().filter(|_| first).map(|(_, present)| *present));
        wanted
    }

    fn take(&mut self, outputs: Vec<Value>, first: bool, fed: usize) -> Result<Step<'a>, EngineError> {
        let decoder = self.decoder;
        let mut outputs = outputs.into_iter();
        let rows = floats(outputs.next().ok_or_else(|| EngineError::internal("the decoder has no output"))?)?;
        self.own = outputs.by_ref().take(decoder.own.len()).collect();
        let layers = if self.with_attentions { decoder.attentions.len() } else { 0 };
        let attentions = outputs.by_ref().take(layers).map(floats).collect::<Result<_, _>>()?;
        if first {
            let shape = decoder.net.audio_layout();
            let audio = outputs.enumerate().map(|(nth, part)| match shape {
                AudioLayout::Unchanged => Ok(part),
                AudioLayout::TransposedKeys | AudioLayout::TransposedKeysWithoutBatch => {
                    in_layout(part, nth, shape)
                }
            });
            self.cross = audio.collect::<Result<_, _>>()?;
        }
        Ok(Step { rows, fed, projection: decoder.net.projection(), attentions })
    }
}

/// Converts a key (even `nth`) or a value (odd `nth`) to the layout that the decoder expects.
fn in_layout(part: Value, nth: usize, shape: AudioLayout) -> Result<Value, EngineError> {
    let part: Option<NdTensor<f32, 4>> = part.into_tensor::<f32>().and_then(|part| part.try_into().ok());
    let part = part
        .ok_or_else(|| EngineError::internal("the decoder returned something other than keys and values"))?;
    let part = if nth.is_multiple_of(2) { part.permuted([0, 1, 3, 2]).to_tensor() } else { part };
    match shape {
        AudioLayout::Unchanged | AudioLayout::TransposedKeys => Ok(part.into()),
        AudioLayout::TransposedKeysWithoutBatch => {
            let [_, heads, rows, columns] = part.shape();
            Ok(part.into_shape([heads, rows, columns]).into())
        }
    }
}

/// The most probable token and its probability.
pub(crate) fn best(scores: &[f32]) -> (u32, f32) {
    let best = scores.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
    let (token, top) = best.map_or((0, 0.0), |(token, score)| (token as u32, *score));
    (token, 1.0 / weight(scores, top))
}

/// The denominator of the softmax, relative to `top`. Negligible scores are skipped to save their exponentials.
pub(crate) fn weight(scores: &[f32], top: f32) -> f32 {
    scores.iter().filter(|score| **score > top - NEGLIGIBLE).map(|score| (score - top).exp()).sum()
}
