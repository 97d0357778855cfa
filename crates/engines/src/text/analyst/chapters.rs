//! Chapters: where the meaning of what is said changes, each with a title and its most telling sentence.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::desk::Desk;
use super::embedder::{Embedder, Vector, nearness};
use super::passages::Passages;
use super::phrases;
use super::reading::{Reading, Sentence};
use super::spoken::title;
use super::summary::{tidy, worth};
use crate::EngineError;

/// A chapter has this many passages and bytes at least.
const FEWEST: usize = 6;
const SHORTEST: usize = 900;
/// One chapter for so many bytes at most.
const BYTES_PER_CHAPTER: usize = 2_500;
/// A valley is a change of subject where it is deeper than the mean by so many standard deviations.
const STANDS_OUT: f32 = 0.6;
/// Phrases that may become a title.
const CANDIDATES: usize = 10;
/// Text of a chapter that its title is looked for in, in sentences and in bytes.
const TITLE_SENTENCES: usize = 200;
const TITLE_BYTES: usize = 16_384;

/// One chapter before it is told.
struct Draft {
    passages: Range<usize>,
    title: String,
    summary: usize,
}

pub(super) fn run(
    reading: &Arc<Reading>,
    embedder: &Arc<Embedder>,
    desk: &mut Desk<'_>,
) -> Result<Value, EngineError> {
    if reading.sentences.is_empty() {
        return Ok(json!({"chapters": []}));
    }
    let passages = Arc::new(Passages::read(reading, embedder, desk)?);
    let ranges = split(reading, &passages);
    let whole = Arc::new(passages.mean(0..passages.list.len()));
    let (pages, net, meanings) = (reading.clone(), embedder.clone(), passages.clone());
    let titled = desk.each(ranges.clone(), move |range| titles(&pages, &meanings, &whole, range, &net))?;
    let mut used = HashSet::new();
    let drafts = ranges.into_iter().zip(titled).map(|(passages_of, titles)| {
        let summary = most_telling(reading, &passages, passages_of.clone());
        let title = titles.into_iter().find(|title| used.insert(title.clone()));
        let title = title.unwrap_or_else(|| opening(reading.sentence(summary)));
        Draft { passages: passages_of, title, summary }
    });
    let told = drafts.map(|draft| entry(reading, &passages, &draft)).collect::<Vec<_>>();
    Ok(json!({"chapters": told}))
}

fn entry(reading: &Reading, passages: &Passages, draft: &Draft) -> Value {
    let bytes = bytes_of(reading, passages, &draft.passages);
    json!({
        "title": draft.title,
        "summary": tidy(reading.sentence(draft.summary)),
        "start": reading.time(bytes.start),
        "end": reading.end_time(&bytes),
        "start_char": reading.character(bytes.start),
        "end_char": reading.character(bytes.end),
    })
}

fn bytes_of(reading: &Reading, passages: &Passages, range: &Range<usize>) -> Range<usize> {
    let (first, last) =
        (passages.list[range.start].sentences.start, passages.list[range.end - 1].sentences.end - 1);
    reading.sentences[first].range.start..reading.sentences[last].range.end
}

/// Where the subject changes, as runs of passages.
fn split(reading: &Reading, passages: &Passages) -> Vec<Range<usize>> {
    let (count, bytes) = (passages.list.len(), reading.text().len());
    let most = bytes / BYTES_PER_CHAPTER + 1;
    if count < 2 * FEWEST || most < 2 {
        return std::iter::once(0..count).collect();
    }
    let depths = depths(passages, (count / 16).clamp(3, 10));
    let mean = depths.iter().sum::<f32>() / depths.len() as f32;
    let spread =
        (depths.iter().map(|depth| (depth - mean).powi(2)).sum::<f32>() / depths.len() as f32).sqrt();
    let mut order: Vec<usize> = (1..count).filter(|gap| depths[*gap] > mean + STANDS_OUT * spread).collect();
    order.sort_by(|one, other| depths[*other].total_cmp(&depths[*one]).then(one.cmp(other)));
    let mut cuts = std::collections::BTreeSet::from([0, count]);
    for gap in order {
        let before = cuts.range(..=gap).next_back().copied().unwrap_or(0);
        let after = cuts.range(gap..).next().copied().unwrap_or(count);
        let fits = |range: Range<usize>| {
            range.len() >= FEWEST && bytes_of(reading, passages, &range).len() >= SHORTEST
        };
        if cuts.len() <= most && before < gap && gap < after && fits(before..gap) && fits(gap..after) {
            cuts.insert(gap);
        }
    }
    let cuts: Vec<usize> = cuts.into_iter().collect();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// How deep the valley of likeness is before each passage.
fn depths(passages: &Passages, reach: usize) -> Vec<f32> {
    let count = passages.list.len();
    let likeness: Vec<f32> = (0..count)
        .map(|gap| {
            if gap == 0 {
                return 1.0;
            }
            let before = passages.mean(gap.saturating_sub(reach)..gap);
            nearness(&before, &passages.mean(gap..(gap + reach).min(count)))
        })
        .collect();
    (0..count)
        .map(|gap| {
            let peak = |range: Range<usize>| range.map(|nth| likeness[nth]).fold(likeness[gap], f32::max);
            let (left, right) = (
                peak(gap.saturating_sub(2 * reach).max(1)..gap),
                peak(gap + 1..(gap + 2 * reach).min(count)),
            );
            if gap == 0 { 0.0 } else { left + right - 2.0 * likeness[gap] }
        })
        .collect()
}

/// Titles from the phrases that are nearest to the chapter and furthest from the rest, the best first.
fn titles(
    reading: &Reading,
    passages: &Passages,
    whole: &Vector,
    range: Range<usize>,
    embedder: &Embedder,
) -> Result<Vec<String>, EngineError> {
    let own = passages.mean(range.clone());
    let first = passages.list[range.start].sentences.start;
    let sentences = first..passages.list[range.end - 1].sentences.end.min(first + TITLE_SENTENCES);
    let mut candidates = phrases::in_sentences(reading, opening_of(reading, sentences));
    candidates.sort_by_key(|phrase| phrase.key.split(' ').count() == 1);
    candidates.truncate(2 * CANDIDATES);
    let texts: Vec<&str> = candidates.iter().map(|phrase| phrase.text.as_str()).collect();
    let vectors = embedder.embed(&texts)?;
    let alone = range.len() == passages.list.len();
    let mut scored: Vec<(f64, String)> = candidates
        .iter()
        .zip(&vectors)
        .map(|(phrase, vector)| {
            let apart = if alone { 0.0 } else { 0.4 * f64::from(nearness(vector, whole)) };
            let words = if phrase.key.contains(' ') { 0.12 } else { 0.0 };
            (f64::from(nearness(vector, &own)) - apart + 0.25 * phrase.weight + words, heading(&phrase.text))
        })
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    Ok(scored.into_iter().map(|(_, title)| title).collect())
}

/// As many of the sentences as a title is looked for in, the first at least.
fn opening_of(reading: &Reading, sentences: Range<usize>) -> Range<usize> {
    let start = reading.sentences[sentences.start].range.start;
    let fits = |sentence: &Sentence| sentence.range.end - start <= TITLE_BYTES;
    let count = reading.sentences[sentences.clone()].partition_point(fits).max(1);
    sentences.start..sentences.start + count
}

/// Every word of a title has a capital.
fn heading(phrase: &str) -> String {
    phrase.split(' ').map(title).collect::<Vec<_>>().join(" ")
}

/// The first words of a sentence, for a chapter in which nothing stands out.
fn opening(sentence: &str) -> String {
    let tidied = tidy(sentence);
    let words: Vec<&str> = tidied.split_whitespace().take(7).collect();
    words.join(" ").trim_end_matches(['.', ',', '?', '!', ';', ':']).to_owned()
}

fn most_telling(reading: &Reading, passages: &Passages, range: Range<usize>) -> usize {
    let own = passages.mean(range.clone());
    let score = |nth: &usize| {
        nearness(&passages.vectors[*nth], &own) + worth(reading, passages.list[*nth].spoken_for)
    };
    let best = range.clone().max_by(|one, other| score(one).total_cmp(&score(other)).then(other.cmp(one)));
    passages.list[best.unwrap_or(range.start)].spoken_for
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_capitals_and_an_opening_has_no_stop() {
        assert_eq!(heading("data centre migration"), "Data Centre Migration");
        assert_eq!(opening("Oh, hello there, my friend."), "Hello there, my friend");
    }
}
