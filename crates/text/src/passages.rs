//! The sentences that are embedded: all of them, or one per group of sentences in a long transcript.

use std::ops::Range;
use std::sync::Arc;

use auris_engine_core::EngineError;

use super::embedder::{BATCH, Embedder, Vector, key_of, mean};
use super::parsed_transcript::ParsedTranscript;
use super::stop_words::content_words;
use super::subject_words::subject_words;
use super::windowed_work::WindowedWork;

/// Maximum number of passages; up to about two hours of speech, each sentence is a passage.
const MAX_PASSAGES: usize = 2048;
/// Subject words that make a sentence count fully.
const MAX_WEIGHT: usize = 12;
/// Runs of the model in one work item.
const RUNS: usize = 2;

/// A range of sentences and the sentence that represents it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Passage {
    pub(super) sentences: Range<usize>,
    pub(super) representative: usize,
}

/// The passages of a transcript and their embeddings.
pub(super) struct Passages {
    pub(super) list: Vec<Passage>,
    pub(super) vectors: Arc<Vec<Vector>>,
    /// The subject words of each representative sentence, up to `MAX_WEIGHT`.
    pub(super) weights: Vec<f32>,
}

impl Passages {
    pub(super) fn read(
        parsed: &Arc<ParsedTranscript>,
        embedder: &Arc<Embedder>,
        work: &mut WindowedWork<'_>,
    ) -> Result<Self, EngineError> {
        let list = choose(parsed, MAX_PASSAGES);
        let weight = |passage: &Passage| {
            let words = subject_words(parsed.sentence(passage.representative), embedder);
            words.len().min(MAX_WEIGHT) as f32
        };
        let weights = list.iter().map(weight).collect();
        let key = key_of(parsed.text(), &format!("{}", parsed.sentences.len()));
        if let Some(vectors) = embedder.cached(key).filter(|cached| cached.len() == list.len()) {
            return Ok(Self { list, vectors, weights });
        }
        let batches: Vec<Vec<usize>> = list
            .chunks(BATCH * RUNS)
            .map(|chunk| chunk.iter().map(|passage| passage.representative).collect())
            .collect();
        let shared = parsed.clone();
        let net = embedder.clone();
        let vectors = work.each(batches, move |batch| {
            let texts: Vec<&str> = batch.iter().map(|nth| shared.sentence(*nth)).collect();
            net.embed(&texts)
        })?;
        let vectors = Arc::new(vectors.into_iter().flatten().collect::<Vec<_>>());
        embedder.store(key, vectors.clone());
        Ok(Self { list, vectors, weights })
    }

    /// The sentences of a range of passages.
    pub(super) fn sentences(&self, passages: &Range<usize>) -> Range<usize> {
        self.list[passages.start].sentences.start..self.list[passages.end - 1].sentences.end
    }

    /// The mean embedding of a range of passages, in which sentences with more subject words count more.
    pub(super) fn mean(&self, passages: Range<usize>) -> Vector {
        let width = self.vectors.first().map_or(0, Vec::len);
        let weights = &self.weights[passages.clone()];
        if weights.iter().all(|weight| *weight == 0.0) {
            return mean(self.vectors[passages].iter().map(Vec::as_slice), width);
        }
        let mut sum = vec![0.0; width];
        for (vector, weight) in self.vectors[passages].iter().zip(weights) {
            sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value);
        }
        mean(std::iter::once(sum.as_slice()), width)
    }
}

/// Every sentence, or at most `most` ranges of equal length, each represented by the sentence with the most content words.
fn choose(parsed: &ParsedTranscript, most: usize) -> Vec<Passage> {
    let count = parsed.sentences.len();
    let run = count.div_ceil(most).max(1);
    let runs = (0..count).step_by(run).map(|first| first..(first + run).min(count));
    let weight = |nth: &usize| content_words(parsed.sentence(*nth));
    runs.map(|sentences| {
        let representative = if run == 1 {
            sentences.start
        } else {
            // The first one among equals.
            sentences.clone().rev().max_by_key(weight).unwrap_or(sentences.start)
        };
        Passage { sentences, representative }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_engine_core::text::TextTranscript;

    #[test]
    fn a_passage_is_represented_by_the_sentence_with_the_most_content() {
        let text =
            "Yeah. The invoice from the supplier arrived. Okay. Right. Payment terms are thirty days. So.";
        let parsed = ParsedTranscript::new(Arc::new(TextTranscript {
            text: text.into(),
            ..TextTranscript::default()
        }));
        let chosen: Vec<usize> = choose(&parsed, 2).iter().map(|passage| passage.representative).collect();
        assert_eq!(chosen, [1, 4]);
        assert_eq!(choose(&parsed, 100).len(), 6);
    }
}
