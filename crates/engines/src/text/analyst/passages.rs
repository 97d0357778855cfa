//! The sentences that the embedding net reads: all of them, or one for each run of sentences in a long transcript.

use std::ops::Range;
use std::sync::Arc;

use super::desk::Desk;
use super::embedder::{BATCH, Embedder, Vector, key_of, mean};
use super::reading::Reading;
use super::stop_words::content_words;
use crate::EngineError;

/// Passages of one transcript at most: about two hours of speech are read sentence by sentence.
const MOST: usize = 2048;
/// Runs of the net in one piece of work.
const RUNS: usize = 2;

/// A run of sentences and the one that stands for it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Passage {
    pub(super) sentences: Range<usize>,
    pub(super) spoken_for: usize,
}

/// The passages of a transcript and what they mean.
pub(super) struct Passages {
    pub(super) list: Vec<Passage>,
    pub(super) vectors: Arc<Vec<Vector>>,
}

impl Passages {
    pub(super) fn read(
        reading: &Arc<Reading>,
        embedder: &Arc<Embedder>,
        desk: &mut Desk<'_>,
    ) -> Result<Self, EngineError> {
        let list = choose(reading, MOST);
        let key = key_of(reading.text(), &format!("{}", reading.sentences.len()));
        if let Some(vectors) = embedder.kept(key).filter(|kept| kept.len() == list.len()) {
            return Ok(Self { list, vectors });
        }
        let batches: Vec<Vec<usize>> = list
            .chunks(BATCH * RUNS)
            .map(|chunk| chunk.iter().map(|passage| passage.spoken_for).collect())
            .collect();
        let (text, net) = (reading.clone(), embedder.clone());
        let vectors = desk.each(batches, move |batch| {
            let texts: Vec<&str> = batch.iter().map(|nth| text.sentence(*nth)).collect();
            net.embed(&texts)
        })?;
        let vectors = Arc::new(vectors.into_iter().flatten().collect::<Vec<_>>());
        embedder.keep(key, vectors.clone());
        Ok(Self { list, vectors })
    }

    /// The middle of some of the passages.
    pub(super) fn mean(&self, passages: Range<usize>) -> Vector {
        let width = self.vectors.first().map_or(0, Vec::len);
        mean(self.vectors[passages].iter().map(Vec::as_slice), width)
    }
}

/// Every sentence, or as many even runs as are allowed, each with the sentence that says most.
fn choose(reading: &Reading, most: usize) -> Vec<Passage> {
    let count = reading.sentences.len();
    let run = count.div_ceil(most).max(1);
    let runs = (0..count).step_by(run).map(|first| first..(first + run).min(count));
    let weight = |nth: &usize| content_words(reading.sentence(*nth));
    runs.map(|sentences| {
        let spoken_for = if run == 1 {
            sentences.start
        } else {
            // The first of equals, so that the choice does not depend on the order of looking.
            sentences.clone().rev().max_by_key(weight).unwrap_or(sentences.start)
        };
        Passage { sentences, spoken_for }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextTranscript;

    #[test]
    fn a_long_transcript_is_read_by_the_fullest_sentence_of_each_run() {
        let text =
            "Yeah. The invoice from the supplier arrived. Okay. Right. Payment terms are thirty days. So.";
        let reading =
            Reading::new(Arc::new(TextTranscript { text: text.into(), ..TextTranscript::default() }));
        let chosen: Vec<usize> = choose(&reading, 2).iter().map(|passage| passage.spoken_for).collect();
        assert_eq!(chosen, [1, 4]);
        assert_eq!(choose(&reading, 100).len(), 6);
    }
}
