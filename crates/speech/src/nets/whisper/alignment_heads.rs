//! The attention heads that follow the audio, by architecture: OpenAI published them for each of its models.

use auris_weights::ModelConfig;

use crate::nets::alignment::{AlignmentHeads, upper_half};

/// The sizes that identify a published model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Architecture {
    encoder_layers: usize,
    decoder_layers: usize,
    width: usize,
    heads: usize,
    mel_bins: usize,
    vocabulary: usize,
}

impl Architecture {
    pub(super) fn of(config: &ModelConfig) -> Self {
        Self {
            encoder_layers: config.encoder_layers,
            decoder_layers: config.decoder_layers,
            width: config.width,
            heads: config.heads,
            mel_bins: config.mel_bins,
            vocabulary: config.vocabulary,
        }
    }
}

/// The published heads of this architecture, or those of the upper half of the layers.
pub(super) fn alignment_heads(architecture: &Architecture) -> AlignmentHeads {
    let Architecture { encoder_layers, decoder_layers, width, heads, mel_bins, vocabulary } = *architecture;
    let published: &[(usize, usize)] =
        match (encoder_layers, decoder_layers, width, heads, mel_bins, vocabulary) {
            (4, 4, 384, 6, 80, 51_864) => &TINY_EN,
            (4, 4, 384, 6, 80, 51_865) => &TINY,
            (6, 6, 512, 8, 80, 51_864) => &BASE_EN,
            (6, 6, 512, 8, 80, 51_865) => &BASE,
            (12, 12, 768, 12, 80, 51_864) => &SMALL_EN,
            (12, 12, 768, 12, 80, 51_865) => &SMALL,
            (24, 24, 1_024, 16, 80, 51_864) => &MEDIUM_EN,
            (24, 24, 1_024, 16, 80, 51_865) => &MEDIUM,
            (32, 32, 1_280, 20, 80, 51_865) => &LARGE_V2,
            (32, 32, 1_280, 20, 128, 51_866) => &LARGE_V3,
            (32, 4, 1_280, 20, 128, 51_866) => &LARGE_V3_TURBO,
            _ => return upper_half(decoder_layers, heads),
        };
    published.to_vec()
}

const TINY_EN: [(usize, usize); 8] = [(1, 0), (2, 0), (2, 5), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4)];
const TINY: [(usize, usize); 6] = [(2, 2), (3, 0), (3, 2), (3, 3), (3, 4), (3, 5)];
const BASE_EN: [(usize, usize); 5] = [(3, 3), (4, 7), (5, 1), (5, 5), (5, 7)];
const BASE: [(usize, usize); 8] = [(3, 1), (4, 2), (4, 3), (4, 7), (5, 1), (5, 2), (5, 4), (5, 6)];
const SMALL_EN: [(usize, usize); 19] = [
    (6, 6),
    (7, 0),
    (7, 3),
    (7, 8),
    (8, 2),
    (8, 5),
    (8, 7),
    (9, 0),
    (9, 4),
    (9, 8),
    (9, 10),
    (10, 0),
    (10, 1),
    (10, 2),
    (10, 3),
    (10, 6),
    (10, 11),
    (11, 2),
    (11, 4),
];
const SMALL: [(usize, usize); 10] =
    [(5, 3), (5, 9), (8, 0), (8, 4), (8, 7), (8, 8), (9, 0), (9, 7), (9, 9), (10, 5)];
const MEDIUM_EN: [(usize, usize); 18] = [
    (11, 4),
    (14, 1),
    (14, 12),
    (14, 14),
    (15, 4),
    (16, 0),
    (16, 4),
    (16, 9),
    (17, 12),
    (17, 14),
    (18, 7),
    (18, 10),
    (18, 15),
    (20, 0),
    (20, 3),
    (20, 9),
    (20, 14),
    (21, 12),
];
const MEDIUM: [(usize, usize); 6] = [(13, 15), (15, 4), (15, 15), (16, 1), (20, 0), (23, 4)];
/// Also used for large-v1, which has the same sizes and other heads, and which hardly anybody uses any more.
const LARGE_V2: [(usize, usize); 23] = [
    (10, 12),
    (13, 17),
    (16, 11),
    (16, 12),
    (16, 13),
    (17, 15),
    (17, 16),
    (18, 4),
    (18, 11),
    (18, 19),
    (19, 11),
    (21, 2),
    (21, 3),
    (22, 3),
    (22, 9),
    (22, 12),
    (23, 5),
    (23, 7),
    (23, 13),
    (25, 5),
    (26, 1),
    (26, 12),
    (27, 15),
];
const LARGE_V3: [(usize, usize); 10] =
    [(7, 0), (10, 17), (12, 18), (13, 12), (16, 1), (17, 14), (19, 11), (21, 4), (24, 1), (25, 6)];
const LARGE_V3_TURBO: [(usize, usize); 6] = [(2, 4), (2, 11), (3, 3), (3, 6), (3, 11), (3, 14)];

#[cfg(test)]
mod tests {
    use super::*;

    const TURBO: Architecture = Architecture {
        encoder_layers: 32,
        decoder_layers: 4,
        width: 1_280,
        heads: 20,
        mel_bins: 128,
        vocabulary: 51_866,
    };

    #[test]
    fn published_models_have_their_published_heads() {
        assert_eq!(alignment_heads(&TURBO), LARGE_V3_TURBO);
        let large = Architecture { decoder_layers: 32, ..TURBO };
        assert_eq!(alignment_heads(&large), LARGE_V3);
        let second = Architecture { mel_bins: 80, vocabulary: 51_865, ..large };
        assert_eq!(alignment_heads(&second), LARGE_V2);
    }

    #[test]
    fn english_and_multilingual_models_differ() {
        let tiny = Architecture {
            encoder_layers: 4,
            decoder_layers: 4,
            width: 384,
            heads: 6,
            mel_bins: 80,
            vocabulary: 51_865,
        };
        assert_eq!(alignment_heads(&tiny), TINY);
        assert_eq!(alignment_heads(&Architecture { vocabulary: 51_864, ..tiny }), TINY_EN);
    }

    #[test]
    fn a_distilled_model_uses_the_upper_half_of_its_layers() {
        let distilled = Architecture { decoder_layers: 2, ..TURBO };
        let expected: Vec<(usize, usize)> = (0..20).map(|head| (1, head)).collect();
        assert_eq!(alignment_heads(&distilled), expected);
    }
}
