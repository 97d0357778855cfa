//! What the head reads of a text: sentence embeddings, the lexicon's scores and the punctuation.

use auris_engine_core::EngineError;

use super::lexicon::{Lexicon, LexiconScores};
use crate::embedder::{EMBEDDING, Embedder, EmbedderSlot};

/// Features of the lexicon and the punctuation.
const PLAIN: usize = 8;
/// The length of a text's features.
pub const SENTIMENT_FEATURES: usize = EMBEDDING + PLAIN;

/// The features of each text. `scripts/lib/text/train_sentiment.py` trains the head with them.
pub fn sentiment_features(slot: &EmbedderSlot, texts: &[&str]) -> Result<Vec<Vec<f32>>, EngineError> {
    let lexicon = Lexicon::new();
    let scores: Vec<LexiconScores> = texts.iter().map(|text| lexicon.scores(text)).collect();
    of(&*slot.get()?, texts, &scores)
}

/// The features of each text, with the lexicon's scores of it.
pub(super) fn of(
    net: &Embedder,
    texts: &[&str],
    scores: &[LexiconScores],
) -> Result<Vec<Vec<f32>>, EngineError> {
    let mut features = net.embed_for_sentiment(texts)?;
    for ((row, text), scores) in features.iter_mut().zip(texts).zip(scores) {
        row.extend(plain(text, scores));
    }
    Ok(features)
}

fn plain(text: &str, scores: &LexiconScores) -> [f32; PLAIN] {
    let count = |sign: char| text.matches(sign).count() as f32;
    let words = text.split_whitespace().count() as f32;
    let has_signs = text.contains(['.', ',', '!', '?']);
    [
        scores.compound as f32,
        scores.positive as f32,
        scores.negative as f32,
        count('!').min(3.0) / 3.0,
        count('?').min(2.0) / 2.0,
        f32::from(u8::from(text.contains("...") || text.contains('…'))),
        (1.0 + words).ln() / 4.0,
        f32::from(u8::from(has_signs)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_and_length_are_limited() {
        let row = plain(&"Why?! ".repeat(9_000), &LexiconScores::default());
        assert_eq!(row[..6], [0.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        assert!(row[6] < 3.0 && row[7] == 1.0);
    }
}
