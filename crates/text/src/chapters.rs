//! Chapters: the transcript split where its meaning changes. Each has a title and its most characteristic sentence.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use auris_domain::step::output::{Chapter, Chapters};
use auris_engine_core::EngineError;

use super::embedder::{Embedder, Vector, similarity};
use super::parsed_transcript::ParsedTranscript;
use super::passages::Passages;
use super::phrases::{self, Phrase};
use super::spoken::title;
use super::summary::{quality, tidy};
use super::windowed_work::WindowedWork;

/// Minimum passages and bytes of a chapter.
const MIN_PASSAGES: usize = 6;
const MIN_BYTES: usize = 900;
/// Limits the number of chapters: one per this many bytes.
const BYTES_PER_CHAPTER: usize = 2_500;
/// Minimum depth of a change of subject, in standard deviations above the mean.
const MIN_DEPTH: f32 = 0.6;
/// Half of the phrases that are compared for a title.
const CANDIDATES: usize = 10;
/// Sentences and bytes at the start of a chapter in which its title is searched.
const TITLE_SENTENCES: usize = 200;
const TITLE_BYTES: usize = 16_384;

/// A chapter: its passages, its title and the sentence that summarizes it.
struct Draft {
    passages: Range<usize>,
    title: String,
    summary: usize,
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
    let ranges = split(parsed, &passages);
    let whole = passages.mean(0..passages.list.len());
    let titler =
        Titler { parsed: parsed.clone(), passages: passages.clone(), whole, embedder: embedder.clone() };
    let titled = work.each(ranges.clone(), move |range| titler.titles(range))?;
    let mut used = HashSet::new();
    let drafts = ranges.into_iter().zip(titled).map(|(passages_of, titles)| {
        let summary = best_sentence(parsed, &passages, passages_of.clone());
        let title = titles.into_iter().find(|title| used.insert(title.clone()));
        let title = title.unwrap_or_else(|| opening(parsed.sentence(summary)));
        Draft { passages: passages_of, title, summary }
    });
    Ok(Chapters { chapters: drafts.map(|draft| chapter(parsed, &passages, draft)).collect() })
}

fn chapter(parsed: &ParsedTranscript, passages: &Passages, draft: Draft) -> Chapter {
    let bytes = bytes_of(parsed, passages, &draft.passages);
    Chapter {
        title: draft.title,
        summary: tidy(parsed.sentence(draft.summary)),
        start: parsed.time(bytes.start),
        end: parsed.end_time(&bytes),
        start_char: parsed.character(bytes.start),
        end_char: parsed.character(bytes.end),
    }
}

fn bytes_of(parsed: &ParsedTranscript, passages: &Passages, range: &Range<usize>) -> Range<usize> {
    let sentences = passages.sentences(range);
    parsed.sentences[sentences.start].range.start..parsed.sentences[sentences.end - 1].range.end
}

/// Splits the passages where the subject changes.
fn split(parsed: &ParsedTranscript, passages: &Passages) -> Vec<Range<usize>> {
    let count = passages.list.len();
    let limit = parsed.text().len() / BYTES_PER_CHAPTER + 1;
    if count < 2 * MIN_PASSAGES || limit < 2 {
        return std::iter::once(0..count).collect();
    }
    let mut cuts = BTreeSet::from([0, count]);
    for gap in changes(passages) {
        let before = cuts.range(..=gap).next_back().copied().unwrap_or(0);
        let after = cuts.range(gap..).next().copied().unwrap_or(count);
        let fits = |range: Range<usize>| {
            range.len() >= MIN_PASSAGES && bytes_of(parsed, passages, &range).len() >= MIN_BYTES
        };
        if cuts.len() <= limit && before < gap && gap < after && fits(before..gap) && fits(gap..after) {
            cuts.insert(gap);
        }
    }
    let cuts: Vec<usize> = cuts.into_iter().collect();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The passages before which the subject changes most, the clearest changes first.
fn changes(passages: &Passages) -> Vec<usize> {
    let count = passages.list.len();
    let depths = depths(passages, (count / 16).clamp(3, 10));
    let mean = depths.iter().sum::<f32>() / depths.len() as f32;
    let variance = depths.iter().map(|depth| (depth - mean).powi(2)).sum::<f32>() / depths.len() as f32;
    let threshold = mean + MIN_DEPTH * variance.sqrt();
    let mut gaps: Vec<usize> = (1..count).filter(|gap| depths[*gap] > threshold).collect();
    gaps.sort_by(|one, other| depths[*other].total_cmp(&depths[*one]).then(one.cmp(other)));
    gaps
}

/// How much the similarity of the text before and after each passage drops below its surroundings.
fn depths(passages: &Passages, reach: usize) -> Vec<f32> {
    let count = passages.list.len();
    let similarities: Vec<f32> = (0..count)
        .map(|gap| {
            if gap == 0 {
                return 1.0;
            }
            let before = passages.mean(gap.saturating_sub(reach)..gap);
            similarity(&before, &passages.mean(gap..(gap + reach).min(count)))
        })
        .collect();
    (0..count)
        .map(|gap| {
            let peak =
                |range: Range<usize>| range.map(|nth| similarities[nth]).fold(similarities[gap], f32::max);
            let left = peak(gap.saturating_sub(2 * reach).max(1)..gap);
            let right = peak(gap + 1..(gap + 2 * reach).min(count));
            if gap == 0 { 0.0 } else { left + right - 2.0 * similarities[gap] }
        })
        .collect()
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
        let mut candidates = phrases::in_sentences(&self.parsed, self.parsed.fitting(first, TITLE_BYTES));
        candidates.sort_by_key(|phrase| phrase.key.split(' ').count() == 1);
        candidates.truncate(2 * CANDIDATES);
        let texts: Vec<&str> = candidates.iter().map(|phrase| phrase.text.as_str()).collect();
        let vectors = self.embedder.embed(&texts)?;
        let is_only_chapter = range.len() == self.passages.list.len();
        let score = |(phrase, vector): (&Phrase, &Vector)| {
            let rest = if is_only_chapter { 0.0 } else { 0.4 * f64::from(similarity(vector, &self.whole)) };
            let words = if phrase.key.contains(' ') { 0.12 } else { 0.0 };
            let score = f64::from(similarity(vector, &own)) - rest + 0.25 * phrase.weight + words;
            (score, heading(&phrase.text))
        };
        let mut scored: Vec<(f64, String)> = candidates.iter().zip(&vectors).map(score).collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        Ok(scored.into_iter().map(|(_, title)| title).collect())
    }
}

/// Capitalizes every word.
fn heading(phrase: &str) -> String {
    phrase.split(' ').map(title).collect::<Vec<_>>().join(" ")
}

/// The first words of a sentence, for a chapter without a better title.
fn opening(sentence: &str) -> String {
    let tidied = tidy(sentence);
    let words: Vec<&str> = tidied.split_whitespace().take(7).collect();
    words.join(" ").trim_end_matches(['.', ',', '?', '!', ';', ':']).to_owned()
}

/// The sentence that is most similar to the whole chapter.
fn best_sentence(parsed: &ParsedTranscript, passages: &Passages, range: Range<usize>) -> usize {
    let own = passages.mean(range.clone());
    let score = |nth: &usize| {
        similarity(&passages.vectors[*nth], &own) + quality(parsed, passages.list[*nth].representative)
    };
    let best = range.clone().max_by(|one, other| score(one).total_cmp(&score(other)).then(other.cmp(one)));
    passages.list[best.unwrap_or(range.start)].representative
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_capitalized_and_have_no_full_stop() {
        assert_eq!(heading("data centre migration"), "Data Centre Migration");
        assert_eq!(opening("Oh, hello there, my friend."), "Hello there, my friend");
    }
}
