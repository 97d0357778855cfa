//! Key phrases: YAKE's, ranked again by how near they are to what the whole transcript is about.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::desk::Desk;
use super::embedder::{Embedder, Vector, nearness};
use super::passages::Passages;
use super::phrases::{self, Phrase};
use super::reading::Reading;
use crate::EngineError;

/// Candidates that the net compares with the whole.
const COMPARED: usize = 120;
const FEWEST: usize = 6;
const MOST: usize = 20;
/// Nearer than this, two phrases say the same.
const SAME: f32 = 0.85;

/// A phrase with all that is known of it.
struct Ranked {
    phrase: Phrase,
    count: usize,
    score: f64,
    vector: Vector,
}

pub(super) fn run(
    reading: &Arc<Reading>,
    embedder: &Arc<Embedder>,
    desk: &mut Desk<'_>,
) -> Result<Value, EngineError> {
    if reading.sentences.is_empty() {
        return Ok(json!({"key_phrases": []}));
    }
    let passages = Passages::read(reading, embedder, desk)?;
    let candidates = candidates(reading, desk)?;
    let counts = counts(reading, &candidates, desk)?;
    let whole = passages.mean(0..passages.list.len());
    let ranked = rank(candidates, &counts, &whole, embedder)?;
    let wanted = (reading.sentences.len() / 3).clamp(FEWEST, MOST);
    let listed = choose(ranked, wanted).into_iter().map(|ranked| {
        json!({
            "text": ranked.phrase.text,
            "score": (ranked.score * 1000.0).round() / 1000.0,
            "count": ranked.count,
        })
    });
    Ok(json!({"key_phrases": listed.collect::<Vec<_>>()}))
}

/// The best of every window together.
fn candidates(reading: &Arc<Reading>, desk: &mut Desk<'_>) -> Result<Vec<Phrase>, EngineError> {
    let pages = reading.clone();
    let windows = reading.windows(phrases::WINDOW);
    let found = desk.each(windows, move |window| Ok(phrases::in_sentences(&pages, window)))?;
    let mut merged: HashMap<String, Phrase> = HashMap::new();
    for phrase in found.into_iter().flatten() {
        merged.entry(phrase.key.clone()).and_modify(|known| known.weight += phrase.weight).or_insert(phrase);
    }
    let mut candidates: Vec<Phrase> = merged.into_values().collect();
    candidates
        .sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.key.cmp(&other.key)));
    candidates.truncate(COMPARED);
    let most = candidates.first().map_or(1.0, |best| best.weight).max(f64::MIN_POSITIVE);
    candidates.iter_mut().for_each(|phrase| phrase.weight /= most);
    Ok(candidates)
}

fn counts(
    reading: &Arc<Reading>,
    candidates: &[Phrase],
    desk: &mut Desk<'_>,
) -> Result<HashMap<String, usize>, EngineError> {
    let keys: Arc<HashSet<String>> = Arc::new(candidates.iter().map(|phrase| phrase.key.clone()).collect());
    let pages = reading.clone();
    let windows = reading.windows(phrases::WINDOW);
    let counted = desk.each(windows, move |window| Ok(phrases::count(&pages, window, &keys)))?;
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (key, count) in counted.into_iter().flatten() {
        *counts.entry(key).or_default() += count;
    }
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
            let near = f64::from(nearness(&vector, whole)).max(0.0);
            let often = (1.0 + count as f64).ln() / (1.0 + most).ln();
            let words = phrase.key.split(' ').count();
            let shape = if words > 1 { 0.15 } else { 0.0 };
            let score = (0.30 * phrase.weight + 0.40 * near + 0.20 * often + shape).min(1.0);
            Ranked { phrase, count, score, vector }
        })
        .collect();
    ranked.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| one.phrase.key.cmp(&other.phrase.key))
    });
    Ok(ranked)
}

/// The best that say different things.
fn choose(ranked: Vec<Ranked>, wanted: usize) -> Vec<Ranked> {
    let mut chosen: Vec<Ranked> = Vec::new();
    for candidate in ranked {
        if chosen.len() == wanted {
            break;
        }
        if !chosen.iter().any(|known| says_the_same(known, &candidate)) {
            chosen.push(candidate);
        }
    }
    chosen
}

fn says_the_same(known: &Ranked, candidate: &Ranked) -> bool {
    let (one, other) = (&known.phrase.key, &candidate.phrase.key);
    let inside = |inner: &str, outer: &str| format!(" {outer} ").contains(&format!(" {inner} "));
    // A part of a phrase that is said much more often stands for more than the phrase.
    inside(other, one) && candidate.count <= 2 * known.count
        || inside(one, other)
        || nearness(&known.vector, &candidate.vector) > SAME
}
