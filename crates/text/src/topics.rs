//! Topics: built-in subjects that are similar to parts of the transcript, and own phrases for parts that fit none.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use auris_domain::step::output::{Topic, Topics};
use auris_engine_core::{EngineError, round_to_thousandths};

use super::embedder::{Embedder, Vector, similarity};
use super::parsed_transcript::ParsedTranscript;
use super::passages::Passages;
use super::phrases;
use super::spoken::title;
use super::windowed_work::WindowedWork;

/// Passages that are compared together, because a single sentence says too little.
const BLOCK: usize = 4;
/// Minimum similarity of a block to its subject.
const ABOUT: f32 = 0.26;
/// Similarity that counts as certain.
const CERTAIN: f32 = 0.55;
const MAX_TOPICS: usize = 6;
/// Minimum number of similar blocks without a subject that form their own topic.
const MIN_CLUSTER: usize = 3;
const CLUSTER_SIMILARITY: f32 = 0.5;
const MAX_CLUSTERS: usize = 64;
/// Phrases of which one becomes the name of a group.
const NAME_CANDIDATES: usize = 12;

/// The built-in subjects: a label and typical words.
static SUBJECTS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("data/topics.txt").lines();
    lines.filter_map(|line| line.split_once('|')).map(|(label, about)| (label.trim(), about.trim())).collect()
});

/// A topic with its evidence.
struct Candidate {
    label: String,
    /// The similarities of its blocks.
    blocks: Vec<f32>,
}

pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    embedder: &Arc<Embedder>,
    work: &mut WindowedWork<'_>,
) -> Result<Topics, EngineError> {
    if parsed.sentences.is_empty() {
        return Ok(Topics::default());
    }
    let passages = Passages::read(parsed, embedder, work)?;
    let blocks: Vec<Range<usize>> = blocks(passages.list.len());
    let vectors: Vec<Vector> = blocks.iter().map(|block| passages.mean(block.clone())).collect();
    let abouts: Vec<&str> = SUBJECTS.iter().map(|(_, about)| *about).collect();
    let subjects = embedder.topics(&abouts)?;
    let (mut topics, unmatched) = by_subject(&vectors, &subjects);
    work.context.check()?;
    for cluster in clusters(&vectors, unmatched) {
        let first = &vectors[cluster[0]];
        let sentences = passages.sentences(&blocks[cluster[0]]);
        if let Some(label) = best_phrase(parsed, sentences, first, embedder)? {
            let similar = cluster.iter().map(|nth| similarity(&vectors[*nth], first).min(CERTAIN));
            topics.push(Candidate { label, blocks: similar.collect() });
        }
    }
    let scored = |topic: Candidate| Topic { score: score(&topic.blocks, vectors.len()), label: topic.label };
    let mut topics: Vec<Topic> = topics.into_iter().map(scored).collect();
    topics.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.label.cmp(&other.label)));
    topics.truncate(MAX_TOPICS);
    Ok(Topics { topics })
}

fn blocks(passages: usize) -> Vec<Range<usize>> {
    let count = passages.div_ceil(BLOCK).max(1);
    (0..count)
        .map(|nth| passages * nth / count..passages * (nth + 1) / count)
        .filter(|block| !block.is_empty())
        .collect()
}

/// Assigns each block to the most similar subject, and to others that are nearly as similar. Also returns the blocks
/// without a subject.
fn by_subject(vectors: &[Vector], subjects: &[Vector]) -> (Vec<Candidate>, Vec<usize>) {
    let mut topics: Vec<Candidate> =
        SUBJECTS.iter().map(|(label, _)| Candidate { label: (*label).to_owned(), blocks: vec![] }).collect();
    let mut unmatched = Vec::new();
    for (nth, vector) in vectors.iter().enumerate() {
        let near: Vec<f32> = subjects.iter().map(|subject| similarity(vector, subject)).collect();
        let best = near.iter().copied().fold(f32::MIN, f32::max);
        if best < ABOUT {
            unmatched.push(nth);
            continue;
        }
        for (topic, near) in topics.iter_mut().zip(near) {
            if near >= ABOUT && near >= best - 0.06 {
                topic.blocks.push(near);
            }
        }
    }
    topics.retain(|topic| !topic.blocks.is_empty());
    (topics, unmatched)
}

/// Groups the blocks without a subject by similarity, the largest groups first.
fn clusters(vectors: &[Vector], unmatched: Vec<usize>) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for nth in unmatched {
        let fits =
            |cluster: &Vec<usize>| similarity(&vectors[cluster[0]], &vectors[nth]) >= CLUSTER_SIMILARITY;
        match clusters.iter().position(fits) {
            Some(index) => clusters[index].push(nth),
            None if clusters.len() < MAX_CLUSTERS => clusters.push(vec![nth]),
            None => {}
        }
    }
    clusters.retain(|cluster| cluster.len() >= MIN_CLUSTER);
    clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.len()));
    clusters.truncate(MAX_TOPICS);
    clusters
}

/// The phrase of some sentences that is most similar to `vector`.
fn best_phrase(
    parsed: &ParsedTranscript,
    sentences: Range<usize>,
    vector: &Vector,
    embedder: &Embedder,
) -> Result<Option<String>, EngineError> {
    let candidates = phrases::in_sentences(parsed, sentences);
    let texts: Vec<&str> =
        candidates.iter().take(NAME_CANDIDATES).map(|phrase| phrase.text.as_str()).collect();
    let similarities = embedder.embed(&texts)?.into_iter().map(|phrase| similarity(&phrase, vector));
    let best = texts.iter().zip(similarities).max_by(|one, other| one.1.total_cmp(&other.1));
    Ok(best.map(|(phrase, _)| title(phrase)))
}

/// The score of a topic from 0 to 1: its similarity and its share of the transcript.
fn score(blocks: &[f32], total: usize) -> f64 {
    let mut nearest = blocks.to_vec();
    nearest.sort_by(|one, other| other.total_cmp(one));
    let best = nearest.iter().take(3).sum::<f32>() / nearest.len().clamp(1, 3) as f32;
    let certainty = f64::from((best / CERTAIN).clamp(0.0, 1.0));
    let share = (blocks.len() as f64 / total.max(1) as f64).sqrt();
    round_to_thousandths(0.6 * certainty + 0.4 * share * certainty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_unique_and_blocks_cover_everything() {
        let labels: std::collections::HashSet<&str> = SUBJECTS.iter().map(|(label, _)| *label).collect();
        assert!(labels.len() == SUBJECTS.len() && labels.len() > 50);
        for passages in [0, 1, 4, 5, 9, 100] {
            let covered: usize = blocks(passages).iter().map(ExactSizeIterator::len).sum();
            assert_eq!(covered, passages);
        }
    }

    #[test]
    fn more_and_more_similar_blocks_score_higher() {
        assert!(score(&[0.5, 0.4], 2) > score(&[0.5], 2) && score(&[0.5], 2) > score(&[0.3], 2));
    }
}
