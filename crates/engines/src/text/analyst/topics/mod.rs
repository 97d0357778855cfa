//! Topics: what passages are about, by a set of built-in subjects, and by their own words where none fits.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::desk::Desk;
use super::embedder::{Embedder, Vector, nearness};
use super::passages::Passages;
use super::phrases;
use super::reading::Reading;
use super::spoken::title;
use crate::EngineError;

/// Passages that are judged together: one sentence alone says too little.
const BLOCK: usize = 4;
/// A block is about a subject from this nearness on; a little less is enough for one that comes up often.
const ABOUT: f32 = 0.26;
/// Nearness that counts as certain.
const CERTAIN: f32 = 0.55;
const MOST: usize = 6;
/// Blocks of strangers that are near each other are a topic of their own from this many on.
const CLUSTER: usize = 3;
const CLUSTER_NEARNESS: f32 = 0.5;

/// The built-in subjects: a label and words that are typical of it.
static SUBJECTS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("../data/topics.txt").lines();
    lines.filter_map(|line| line.split_once('|')).map(|(label, about)| (label.trim(), about.trim())).collect()
});

struct Topic {
    label: String,
    /// How near the blocks are that are about it, the nearest first.
    blocks: Vec<f32>,
}

pub(super) fn run(
    reading: &Arc<Reading>,
    embedder: &Arc<Embedder>,
    desk: &mut Desk<'_>,
) -> Result<Value, EngineError> {
    if reading.sentences.is_empty() {
        return Ok(json!({"topics": []}));
    }
    let passages = Passages::read(reading, embedder, desk)?;
    let blocks: Vec<Range<usize>> = blocks(passages.list.len());
    let vectors: Vec<Vector> = blocks.iter().map(|block| passages.mean(block.clone())).collect();
    let abouts: Vec<&str> = SUBJECTS.iter().map(|(_, about)| *about).collect();
    let subjects = embedder.topics(&abouts)?;
    let (mut topics, strangers) = by_subject(&vectors, &subjects);
    desk.context.check()?;
    topics.extend(by_themselves(reading, &passages, &blocks, &vectors, strangers, embedder)?);
    let mut told: Vec<(f64, String)> =
        topics.into_iter().map(|topic| (score(&topic.blocks, vectors.len()), topic.label)).collect();
    told.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    told.truncate(MOST);
    let listed = told.into_iter().map(|(score, label)| json!({"label": label, "score": score}));
    Ok(json!({"topics": listed.collect::<Vec<_>>()}))
}

fn blocks(passages: usize) -> Vec<Range<usize>> {
    let count = passages.div_ceil(BLOCK).max(1);
    (0..count)
        .map(|nth| passages * nth / count..passages * (nth + 1) / count)
        .filter(|block| !block.is_empty())
        .collect()
}

/// Each block counts for the subject nearest to it, and for another that is nearly as near.
fn by_subject(vectors: &[Vector], subjects: &[Vector]) -> (Vec<Topic>, Vec<usize>) {
    let mut topics: Vec<Topic> =
        SUBJECTS.iter().map(|(label, _)| Topic { label: (*label).to_owned(), blocks: vec![] }).collect();
    let mut strangers = Vec::new();
    for (nth, vector) in vectors.iter().enumerate() {
        let near: Vec<f32> = subjects.iter().map(|subject| nearness(vector, subject)).collect();
        let best = near.iter().copied().fold(f32::MIN, f32::max);
        if best < ABOUT {
            strangers.push(nth);
            continue;
        }
        for (topic, near) in topics.iter_mut().zip(near) {
            if near >= ABOUT && near >= best - 0.06 {
                topic.blocks.push(near);
            }
        }
    }
    topics.retain(|topic| !topic.blocks.is_empty());
    (topics, strangers)
}

/// Blocks that no subject fits, gathered by likeness and named by their own words.
fn by_themselves(
    reading: &Reading,
    passages: &Passages,
    blocks: &[Range<usize>],
    vectors: &[Vector],
    strangers: Vec<usize>,
    embedder: &Embedder,
) -> Result<Vec<Topic>, EngineError> {
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for nth in strangers {
        let near = |cluster: &Vec<usize>| nearness(&vectors[cluster[0]], &vectors[nth]) >= CLUSTER_NEARNESS;
        match clusters.iter().position(near) {
            Some(place) => clusters[place].push(nth),
            None if clusters.len() < 64 => clusters.push(vec![nth]),
            None => {}
        }
    }
    clusters.retain(|cluster| cluster.len() >= CLUSTER);
    clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.len()));
    let mut topics = Vec::new();
    for cluster in clusters.into_iter().take(MOST) {
        let middle = &vectors[cluster[0]];
        let of = &blocks[cluster[0]];
        let sentences = passages.list[of.start].sentences.start..passages.list[of.end - 1].sentences.end;
        let candidates = phrases::in_sentences(reading, sentences);
        let texts: Vec<&str> = candidates.iter().take(12).map(|phrase| phrase.text.as_str()).collect();
        let named = embedder.embed(&texts)?.into_iter().map(|vector| nearness(&vector, middle));
        let best = texts.iter().zip(named).max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((label, _)) = best {
            let blocks = cluster.iter().map(|nth| nearness(&vectors[*nth], middle).min(CERTAIN)).collect();
            topics.push(Topic { label: title(label), blocks });
        }
    }
    Ok(topics)
}

/// How surely and how much the transcript is about a topic, from 0 to 1.
fn score(blocks: &[f32], total: usize) -> f64 {
    let mut nearest = blocks.to_vec();
    nearest.sort_by(|one, other| other.total_cmp(one));
    let best = nearest.iter().take(3).sum::<f32>() / nearest.len().clamp(1, 3) as f32;
    let sure = f64::from((best / CERTAIN).clamp(0.0, 1.0));
    let share = (blocks.len() as f64 / total.max(1) as f64).sqrt();
    ((0.6 * sure + 0.4 * share * sure) * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_have_labels_of_their_own_and_blocks_cover_everything() {
        let labels: std::collections::HashSet<&str> = SUBJECTS.iter().map(|(label, _)| *label).collect();
        assert!(labels.len() == SUBJECTS.len() && labels.len() > 50);
        for passages in [0, 1, 4, 5, 9, 100] {
            let covered: usize = blocks(passages).iter().map(ExactSizeIterator::len).sum();
            assert_eq!(covered, passages);
        }
    }

    #[test]
    fn more_and_nearer_blocks_score_higher() {
        assert!(score(&[0.5, 0.4], 2) > score(&[0.5], 2) && score(&[0.5], 2) > score(&[0.3], 2));
    }
}
