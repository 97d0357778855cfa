//! The attention heads that follow the audio, by architecture.
//!
//! They were chosen on phrases of 110 LJSpeech and VCTK clips that were joined without pauses, so that the boundaries
//! are known to the sample: one head after the other, as long as the next one brought word starts closer. On phrases of
//! 71 other LJSpeech clips, half of the word starts are within 42 ms (tiny) and 45 ms (base), nine of ten within 121 and
//! 124; with all heads of the upper half of the layers 52 and 78 ms, 150 and 164.

use auris_weights::ModelConfig;

use crate::nets::alignment::{AlignmentHeads, upper_half};

const TINY: [(usize, usize); 6] = [(3, 0), (3, 2), (3, 5), (4, 2), (5, 0), (5, 6)];
const BASE: [(usize, usize); 3] = [(4, 2), (5, 5), (6, 2)];

/// The heads of this architecture, or those of the upper half of the layers if it is not a published one.
pub(super) fn alignment_heads(config: &ModelConfig) -> AlignmentHeads {
    match (config.decoder_layers, config.width, config.heads) {
        (6, 288, 8) => TINY.to_vec(),
        (8, 416, 8) => BASE.to_vec(),
        (layers, _, heads) => upper_half(layers, heads),
    }
}
