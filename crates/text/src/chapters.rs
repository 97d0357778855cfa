//! Chapters: the transcript split where its subject changes. Each has a title and its most characteristic sentence.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use auris_domain::step::output::{Chapter, Chapters};
use auris_engine_core::EngineError;

use super::chapter_borders::borders;
use super::embedder::{Embedder, Vector, similarity};
use super::parsed_transcript::ParsedTranscript;
use super::passages::Passages;
use super::phrases::{self, Phrase};
use super::sentence_score::{length_score, quality};
use super::spoken_sentence::{SpokenSentences, tidy, with_stop};
use super::whole_phrase::whole_phrase;
use super::windowed_work::WindowedWork;
use super::words::tokens;

/// Phrases that are compared for a title.
const CANDIDATES: usize = 24;
/// Sentences and bytes at the start of a chapter in which its title is searched.
const TITLE_SENTENCES: usize = 200;
const TITLE_BYTES: usize = 16_384;
/// A phrase is half of a longer one that has at least this share of its occurrences.
const HALF_SHARE: f64 = 0.6;
/// Words after which the sentence of a chapter counts less.
const MOST_WORDS: usize = 25;
/// Added to the score of a sentence without subject words, such as a greeting: every other sentence is better.
const ABOUT_NOTHING: f32 = -10.0;

/// A chapter: its passages, its title and the sentence that summarizes it.
struct Draft {
    passages: Range<usize>,
    title: String,
    summary: String,
}

pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    embedder: &Arc<Embedder>,
    work: &mut WindowedWork<'_>,
) -> Result<Chapters, EngineError> {
    if parsed.sentences.is_empty() {
        return Ok(Chapters::default());
    }
    let passages = Arc::new(Passages::read(parsed, embedder, work)?);
    work.context.check()?;
    let ranges = split(parsed, &passages);
    let whole = passages.mean(0..passages.list.len());
    let titler =
        Titler { parsed: parsed.clone(), passages: passages.clone(), whole, embedder: embedder.clone() };
    let titled = work.each(ranges.clone(), move |range| titler.titles(range))?;
    let spoken = SpokenSentences::new(parsed);
    let mut used = HashSet::new();
    let drafts = ranges.into_iter().zip(titled).enumerate().map(|(nth, (passages_of, titles))| {
        let summary = best_sentence(parsed, &passages, passages_of.clone(), &spoken);
        let title = titles.into_iter().find(|title| used.insert(title.to_lowercase()));
        let title = title.unwrap_or_else(|| format!("Part {}", nth + 1));
        Draft { passages: passages_of, title, summary }
    });
    Ok(Chapters { chapters: drafts.map(|draft| chapter(parsed, &passages, draft)).collect() })
}

fn chapter(parsed: &ParsedTranscript, passages: &Passages, draft: Draft) -> Chapter {
    let sentences = passages.sentences(&draft.passages);
    let bytes = parsed.sentences[sentences.start].range.start..parsed.sentences[sentences.end - 1].range.end;
    Chapter {
        title: draft.title,
        summary: draft.summary,
        start: parsed.time(bytes.start),
        end: parsed.end_time(&bytes),
        start_char: parsed.character(bytes.start),
        end_char: parsed.character(bytes.end),
    }
}

/// Splits the passages where the subject changes.
fn split(parsed: &ParsedTranscript, passages: &Passages) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for border in borders(parsed, passages).into_iter().chain([passages.list.len()]) {
        ranges.push(start..border);
        start = border;
    }
    ranges
}

/// Finds titles for chapters.
struct Titler {
    parsed: Arc<ParsedTranscript>,
    passages: Arc<Passages>,
    /// The mean embedding of the whole transcript.
    whole: Vector,
    embedder: Arc<Embedder>,
}

impl Titler {
    /// The phrases that are most similar to the chapter and least similar to the rest, the best first.
    fn titles(&self, range: Range<usize>) -> Result<Vec<String>, EngineError> {
        let own = self.passages.mean(range.clone());
        let all = self.passages.sentences(&range);
        let first = all.start..all.end.min(all.start + TITLE_SENTENCES);
        let first = self.parsed.fitting(first, TITLE_BYTES);
        let (candidates, counts) = self.candidates(first.clone());
        let texts: Vec<&str> = candidates.iter().map(|phrase| phrase.text.as_str()).collect();
        let vectors = self.embedder.embed(&texts)?;
        let is_only_chapter = range.len() == self.passages.list.len();
        let most = counts.values().copied().max().unwrap_or(1) as f64;
        let score = |phrase: &Phrase, vector: &Vector| {
            let rest = if is_only_chapter { 0.0 } else { 0.4 * f64::from(similarity(vector, &self.whole)) };
            let words = if phrase.key.contains(' ') { 0.12 } else { 0.0 };
            let often = (1.0 + counts.get(&phrase.key).copied().unwrap_or(1) as f64).ln() / (1.0 + most).ln();
            f64::from(similarity(vector, &own)) - rest + 0.2 * phrase.weight + 0.2 * often + words
        };
        let scored = candidates.iter().zip(&vectors);
        let mut scored: Vec<(f64, &str)> =
            scored.map(|(phrase, vector)| (score(phrase, vector), phrase.text.as_str())).collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let sentences = &self.parsed.sentences[first];
        let said: Vec<_> =
            sentences.iter().map(|of| tokens(self.parsed.readable_text(), of.range.clone())).collect();
        let title =
            |(_, phrase): (f64, &str)| heading(&whole_phrase(self.parsed.readable_text(), &said, phrase));
        Ok(scored.into_iter().map(title).collect())
    }

    /// The phrases of some sentences without halves of longer phrases, and how often each occurs.
    fn candidates(&self, sentences: Range<usize>) -> (Vec<Phrase>, HashMap<String, usize>) {
        let mut candidates = phrases::in_sentences(&self.parsed, sentences.clone(), &self.embedder);
        let keys: HashSet<String> = candidates.iter().map(|phrase| phrase.key.clone()).collect();
        let counts = phrases::count(&self.parsed, sentences, &keys);
        let halves: HashSet<&String> =
            keys.iter().filter(|key| keys.iter().any(|longer| is_half(key, longer, &counts))).collect();
        candidates.retain(|phrase| !halves.contains(&phrase.key));
        candidates.sort_by_key(|phrase| !phrase.key.contains(' '));
        candidates.truncate(CANDIDATES);
        (candidates, counts)
    }
}

/// Whether a phrase occurs mostly inside a longer one, as `Jersey` in `New Jersey`.
fn is_half(key: &str, longer: &str, counts: &HashMap<String, usize>) -> bool {
    let count = |key: &str| counts.get(key).copied().unwrap_or(0) as f64;
    longer.len() > key.len()
        && format!(" {longer} ").contains(&format!(" {key} "))
        && count(longer) >= HALF_SHARE * count(key)
}

/// A phrase in sentence case.
fn heading(phrase: &str) -> String {
    let mut letters = phrase.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The finished sentence that is most similar to the whole chapter; one without subject only if there is no other.
fn best_sentence(
    parsed: &ParsedTranscript,
    passages: &Passages,
    range: Range<usize>,
    spoken: &SpokenSentences<'_>,
) -> String {
    let own = passages.mean(range.clone());
    let about_nothing = |nth: usize| if passages.weights[nth] == 0.0 { ABOUT_NOTHING } else { 0.0 };
    let score = |nth: usize, text: &str| {
        let length = length_score(text, MOST_WORDS);
        similarity(&passages.vectors[nth], &own) + quality(text) + length + about_nothing(nth)
    };
    let mut best: Option<(f32, String)> = None;
    for nth in range.clone() {
        let Some(text) = spoken.whole(passages.list[nth].representative) else { continue };
        let score = score(nth, &text);
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, text));
        }
    }
    let first = || with_stop(tidy(parsed.sentence(passages.list[range.start].representative)));
    best.map_or_else(first, |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_in_sentence_case() {
        assert_eq!(heading("data centre migration"), "Data centre migration");
        assert_eq!(heading("New Jersey"), "New Jersey");
    }

    #[test]
    fn a_phrase_that_occurs_mostly_in_a_longer_one_is_half() {
        let counts = HashMap::from([("jersey".to_owned(), 3), ("new jersey".to_owned(), 2)]);
        assert!(is_half("jersey", "new jersey", &counts) && !is_half("new jersey", "jersey", &counts));
        assert!(!is_half("budget", "new jersey", &counts));
    }
}
