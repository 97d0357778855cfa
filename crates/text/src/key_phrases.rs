//! Key phrases: YAKE's candidates, ranked again by their similarity to the whole transcript.

use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use auris_domain::step::output::{KeyPhrase, KeyPhrases};
use auris_engine_core::{EngineError, round_to_thousandths};

use super::embedder::{Embedder, Vector, similarity};
use super::parsed_transcript::ParsedTranscript;
use super::passages::Passages;
use super::phrases::{self, Phrase};
use super::windowed_work::WindowedWork;

/// Maximum candidates that are compared with the whole transcript.
const COMPARED: usize = 120;
const MIN_PHRASES: usize = 6;
const MAX_PHRASES: usize = 20;
/// A phrase that is said once needs at least this share of the best score.
const SHARE_OF_BEST: f64 = 0.38;
/// Phrases with a higher similarity have the same meaning.
const SAME_MEANING: f32 = 0.85;

/// A scored phrase.
struct Ranked {
    phrase: Phrase,
    count: usize,
    score: f64,
    vector: Vector,
}

pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    embedder: &Arc<Embedder>,
    work: &mut WindowedWork<'_>,
) -> Result<KeyPhrases, EngineError> {
    if parsed.sentences.is_empty() {
        return Ok(KeyPhrases::default());
    }
    let passages = Passages::read(parsed, embedder, work)?;
    let candidates = candidates(parsed, embedder, work)?;
    let counts = counts(parsed, &candidates, work)?;
    let whole = passages.mean(0..passages.list.len());
    let ranked = rank(candidates, &counts, &whole, embedder)?;
    let wanted = (parsed.sentences.len() / 3).clamp(MIN_PHRASES, MAX_PHRASES);
    let chosen = choose(ranked, wanted).into_iter().map(|ranked| KeyPhrase {
        text: ranked.phrase.text,
        score: round_to_thousandths(ranked.score),
        count: ranked.count,
    });
    Ok(KeyPhrases { key_phrases: chosen.collect() })
}

/// The best candidates of all windows.
fn candidates(
    parsed: &Arc<ParsedTranscript>,
    embedder: &Arc<Embedder>,
    work: &mut WindowedWork<'_>,
) -> Result<Vec<Phrase>, EngineError> {
    let shared = parsed.clone();
    let net = embedder.clone();
    let windows = parsed.windows(phrases::WINDOW);
    let mut merged: HashMap<String, Phrase> = HashMap::new();
    let find = move |window: Range<usize>| Ok(phrases::in_sentences(&shared, window, &net));
    work.for_each(windows, find, |found: Vec<Phrase>| {
        for phrase in found {
            let weight = phrase.weight;
            merged.entry(phrase.key.clone()).and_modify(|known| known.weight += weight).or_insert(phrase);
        }
        ControlFlow::Continue(())
    })?;
    let mut candidates: Vec<Phrase> = merged.into_values().collect();
    candidates
        .sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.key.cmp(&other.key)));
    candidates.truncate(COMPARED);
    let most = candidates.first().map_or(1.0, |best| best.weight).max(f64::MIN_POSITIVE);
    candidates.iter_mut().for_each(|phrase| phrase.weight /= most);
    Ok(candidates)
}

fn counts(
    parsed: &Arc<ParsedTranscript>,
    candidates: &[Phrase],
    work: &mut WindowedWork<'_>,
) -> Result<HashMap<String, usize>, EngineError> {
    let keys: Arc<HashSet<String>> = Arc::new(candidates.iter().map(|phrase| phrase.key.clone()).collect());
    let shared = parsed.clone();
    let windows = parsed.windows(phrases::WINDOW);
    let mut counts: HashMap<String, usize> = HashMap::new();
    let count = move |window: Range<usize>| Ok(phrases::count(&shared, window, &keys));
    work.for_each(windows, count, |counted: HashMap<String, usize>| {
        for (key, count) in counted {
            *counts.entry(key).or_default() += count;
        }
        ControlFlow::Continue(())
    })?;
    Ok(counts)
}

fn rank(
    candidates: Vec<Phrase>,
    counts: &HashMap<String, usize>,
    whole: &[f32],
    embedder: &Embedder,
) -> Result<Vec<Ranked>, EngineError> {
    let texts: Vec<&str> = candidates.iter().map(|phrase| phrase.text.as_str()).collect();
    let vectors = embedder.embed(&texts)?;
    let most = counts.values().copied().max().unwrap_or(1) as f64;
    let mut ranked: Vec<Ranked> = candidates
        .into_iter()
        .zip(vectors)
        .map(|(phrase, vector)| {
            let count = counts.get(&phrase.key).copied().unwrap_or(1);
            let nearness = f64::from(similarity(&vector, whole)).max(0.0);
            let often = (1.0 + count as f64).ln() / (1.0 + most).ln();
            let words = phrase.key.split(' ').count();
            let shape = if words > 1 { 0.15 } else { 0.0 };
            let score = (0.30 * phrase.weight + 0.40 * nearness + 0.20 * often + shape).min(1.0);
            Ranked { phrase, count, score, vector }
        })
        .collect();
    ranked.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| one.phrase.key.cmp(&other.phrase.key))
    });
    Ok(ranked)
}

/// The best phrases with different meanings.
fn choose(ranked: Vec<Ranked>, wanted: usize) -> Vec<Ranked> {
    let mut chosen: Vec<Ranked> = Vec::new();
    let least = ranked.first().map_or(0.0, |best| SHARE_OF_BEST * best.score);
    let ranked = ranked.into_iter().filter(|candidate| candidate.count > 1 || candidate.score >= least);
    for candidate in ranked {
        if chosen.len() == wanted {
            break;
        }
        if !chosen.iter().any(|known| is_redundant(known, &candidate)) {
            chosen.push(candidate);
        }
    }
    chosen
}

fn is_redundant(known: &Ranked, candidate: &Ranked) -> bool {
    let one = &known.phrase.key;
    let other = &candidate.phrase.key;
    let inside = |inner: &str, outer: &str| format!(" {outer} ").contains(&format!(" {inner} "));
    // A part of a phrase that occurs much more often is a separate phrase.
    inside(other, one) && candidate.count <= 2 * known.count
        || inside(one, other)
        || similarity(&known.vector, &candidate.vector) > SAME_MEANING
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(text: &str, count: usize, score: f64, direction: usize) -> Ranked {
        let phrase = Phrase { text: text.to_owned(), key: text.to_owned(), weight: 1.0 };
        let vector = (0..4).map(|nth| f32::from(u8::from(nth == direction))).collect();
        Ranked { phrase, count, score, vector }
    }

    #[test]
    fn what_is_said_once_and_is_far_from_the_subject_is_not_a_key_phrase() {
        let all = vec![
            ranked("new jersey", 3, 0.92, 0),
            ranked("texas", 1, 0.36, 1),
            ranked("move", 2, 0.30, 2),
            ranked("beep", 1, 0.34, 3),
        ];
        let texts: Vec<String> = choose(all, 6).into_iter().map(|ranked| ranked.phrase.text).collect();
        assert_eq!(texts, ["new jersey", "texas", "move"]);
        assert_eq!(choose(vec![ranked("beep", 1, 0.1, 0)], 6).len(), 1);
    }
}
