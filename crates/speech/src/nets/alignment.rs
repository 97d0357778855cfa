//! The attention heads of a decoder that follow the audio, for the times of words.

/// Layer and head of each, in ascending order.
pub(super) type AlignmentHeads = Vec<(usize, usize)>;

/// All heads of the upper half of the layers: there attention follows the audio, in every net that was measured.
pub(super) fn upper_half(layers: usize, heads: usize) -> AlignmentHeads {
    (layers / 2..layers).flat_map(|layer| (0..heads).map(move |head| (layer, head))).collect()
}

/// The first weights of a head, normalized: those of frames with audio. Padding behind the audio has no words.
pub(super) fn normalized(weights: &[f32], audio_frames: usize) -> Vec<f32> {
    let weights = &weights[..audio_frames.min(weights.len())];
    let sum: f32 = weights.iter().sum();
    let even = 1.0 / weights.len().max(1) as f32;
    weights.iter().map(|weight| if sum > 0.0 { weight / sum } else { even }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_half_of_an_odd_number_of_layers_includes_the_middle() {
        assert_eq!(upper_half(3, 2), [(1, 0), (1, 1), (2, 0), (2, 1)]);
        assert_eq!(upper_half(1, 1), [(0, 0)]);
    }

    #[test]
    fn weights_of_padding_are_left_out_and_the_rest_sums_to_one() {
        assert_eq!(normalized(&[0.25, 0.25, 0.5], 2), [0.5, 0.5]);
        assert_eq!(normalized(&[0.0, 0.0, 1.0], 2), [0.5, 0.5]);
    }
}
