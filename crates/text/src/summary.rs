//! Summary: sentences that are similar to the whole transcript and different from each other, in their order.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use auris_domain::step::output::Summary;
use auris_domain::step::spec::SummaryType;
use auris_engine_core::EngineError;

use super::coverage::{Candidate, Coverage};
use super::embedder::{Embedder, similarity};
use super::limits;
use super::parsed_transcript::ParsedTranscript;
use super::passages::Passages;
use super::sentence_score::{has_figure, length_score, quality, word_frequencies, word_score};
use super::spoken_sentence::{SpokenSentences, tidy, with_stop};
use super::windowed_work::WindowedWork;

/// A transcript with more passages is summarized part by part, so that its end counts as much as its beginning.
const WHOLE: usize = 40;
/// Bonus of the first sentence of a short transcript, which often says what it is about, and after how many sentences it
/// is a third. A decision counts more.
const START_BONUS: f32 = 0.4;
const START_SENTENCES: f32 = 3.0;
/// Words after which a sentence of a short or a long transcript counts less. What is said in a meeting is longer.
const SHORT_SENTENCE: usize = 18;
const LONG_SENTENCE: usize = 30;

pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    kind: SummaryType,
    embedder: &Arc<Embedder>,
    work: &mut WindowedWork<'_>,
) -> Result<Summary, EngineError> {
    if parsed.sentences.is_empty() {
        return Ok(Summary { kind, text: String::new(), bullets: vec![] });
    }
    let passages = Passages::read(parsed, embedder, work)?;
    let count = wanted(kind, passages.list.len());
    let selection = Selection::new(parsed, &passages);
    let sentences = selection.sentences(count);
    let text = sentences.join(" ");
    let bullets = match kind {
        SummaryType::Bullets => sentences,
        SummaryType::Brief | SummaryType::Detailed => vec![],
    };
    Ok(Summary { kind, text, bullets })
}

fn wanted(kind: SummaryType, passages: usize) -> usize {
    match kind {
        SummaryType::Brief => match passages {
            0..=3 => 1,
            4..=15 => 2,
            _ => 3,
        },
        SummaryType::Bullets => (passages / 3).clamp(2, 7),
        SummaryType::Detailed => (passages / 3).clamp(3, 20),
    }
}

/// What a sentence of the summary must be like; the next one is used if a transcript has no such sentence.
#[derive(Debug, Clone, Copy)]
enum Standard {
    /// Finished, and not only a greeting, fillers or letters at random.
    AboutSomething,
    Finished,
    Anything,
}

/// The passages of a transcript, to be chosen from.
struct Selection<'a> {
    parsed: &'a ParsedTranscript,
    passages: &'a Passages,
    spoken: SpokenSentences<'a>,
    frequencies: HashMap<String, f32>,
    /// The highest word score of a sentence.
    highest_word_score: f32,
    is_conversation: bool,
}

impl<'a> Selection<'a> {
    fn new(parsed: &'a ParsedTranscript, passages: &'a Passages) -> Self {
        let texts = || passages.list.iter().map(|passage| parsed.sentence(passage.representative));
        let frequencies = word_frequencies(texts());
        let highest_word_score = texts()
            .map(|text| word_score(text, &frequencies, &HashSet::new()))
            .fold(f32::MIN_POSITIVE, f32::max);
        let spoken = SpokenSentences::new(parsed);
        let is_conversation = parsed.is_conversation();
        Self { parsed, passages, spoken, frequencies, highest_word_score, is_conversation }
    }

    /// The chosen sentences in their order, cleaned, each with its speaker.
    fn sentences(&self, count: usize) -> Vec<String> {
        let standards = [Standard::AboutSomething, Standard::Finished, Standard::Anything];
        let chosen = standards.into_iter().map(|standard| self.choose(count, standard));
        let mut chosen = chosen.into_iter().find(|chosen| !chosen.is_empty()).unwrap_or_default();
        chosen.sort_by_key(|candidate| candidate.passage);
        let mut seen = HashSet::new();
        chosen.retain(|candidate| seen.insert(candidate.text.clone()));
        chosen.into_iter().map(with_speaker).collect()
    }

    fn choose(&self, count: usize, standard: Standard) -> Vec<Candidate<'_>> {
        let total = self.passages.list.len();
        if total <= WHOLE || count <= 3 {
            return self.best(0..total, count, standard);
        }
        let parts = (0..count).map(|part| total * part / count..total * (part + 1) / count);
        parts.flat_map(|part| self.best(part, 1, standard)).collect()
    }

    /// The sentences of a part that say the most together.
    fn best(&self, part: Range<usize>, count: usize, standard: Standard) -> Vec<Candidate<'_>> {
        let coverage = Coverage {
            frequencies: &self.frequencies,
            highest_word_score: self.highest_word_score,
            vectors: &self.passages.vectors,
        };
        coverage.choose(self.candidates(part, standard), count)
    }

    /// The sentences of a part that meet a standard, with their scores.
    fn candidates(&self, part: Range<usize>, standard: Standard) -> Vec<Candidate<'_>> {
        let whole = self.passages.mean(0..self.passages.list.len());
        let own = self.passages.mean(part.clone());
        let open = part.filter_map(|passage| Some((passage, self.text(passage, standard)?)));
        let candidate = |(passage, text): (usize, String)| {
            let vector = &self.passages.vectors[passage];
            let near = 0.5 * similarity(vector, &own) + 0.5 * similarity(vector, &whole);
            let length = length_score(&text, if self.is_short() { SHORT_SENTENCE } else { LONG_SENTENCE });
            let score = near + quality(&text) + length + self.start_bonus(passage);
            Candidate { passage, text, speaker: self.speaker(passage), score }
        };
        open.map(candidate).collect()
    }

    fn speaker(&self, passage: usize) -> Option<&str> {
        let sentence = self.passages.list[passage].representative;
        self.parsed.speaker(sentence).filter(|_| self.is_conversation)
    }

    /// The cleaned sentence of a passage, if it fulfils the standard.
    fn text(&self, passage: usize, standard: Standard) -> Option<String> {
        let sentence = self.passages.list[passage].representative;
        match standard {
            Standard::AboutSomething => {
                let text = self.spoken.whole(sentence)?;
                (self.passages.weights[passage] > 0.0 || has_figure(&text)).then_some(text)
            }
            Standard::Finished => self.spoken.whole(sentence),
            Standard::Anything => Some(with_stop(tidy(self.parsed.sentence(sentence)))),
        }
    }

    fn is_short(&self) -> bool {
        self.passages.list.len() <= WHOLE
    }

    fn start_bonus(&self, passage: usize) -> f32 {
        if self.is_short() { START_BONUS * (-(passage as f32) / START_SENTENCES).exp() } else { 0.0 }
    }
}

fn with_speaker(candidate: Candidate<'_>) -> String {
    match candidate.speaker {
        Some(speaker) => format!("{}: {}", short_name(speaker), candidate.text),
        None => candidate.text,
    }
}

fn short_name(speaker: &str) -> &str {
    let end = speaker.char_indices().nth(limits::SPEAKER_CHARACTERS);
    end.map_or(speaker, |(end, _)| &speaker[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_very_long_name_is_cut() {
        assert_eq!(short_name("Zoë"), "Zoë");
        assert_eq!(short_name(&"ë".repeat(1_000_000)), "ë".repeat(limits::SPEAKER_CHARACTERS));
    }
}
