//! Topics: the built-in subjects that the transcript is most similar to. None, if it is about nothing or similar to none.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use auris_domain::step::output::{Topic, Topics};
use auris_engine_core::{EngineError, round_to_thousandths};

use super::embedder::{Embedder, Vector, mean, similarity};
use super::parsed_transcript::ParsedTranscript;
use super::passages::Passages;
use super::subject_words::are_about_something;
use super::windowed_work::WindowedWork;

/// Passages that are compared together in a long transcript, which has several topics.
const BLOCK: usize = 24;
/// Consecutive sentences that are read together, in bytes and in number.
const CHUNK_BYTES: usize = 240;
const MAX_CHUNKS: usize = 64;
const MAX_TOPICS: usize = 3;
/// Minimum similarity of the first topic, and in standard deviations above the similarity of all subjects.
const FIRST: (f32, f32) = (0.30, 2.4);
/// The same for further topics.
const FURTHER: (f32, f32) = (0.38, 2.6);
/// Minimum similarity of a further topic as a share of the first one.
const SHARE_OF_FIRST: f32 = 0.8;
/// Similarity that counts as certain.
const CERTAIN: f32 = 0.65;
/// How much the similarity of a subject is lowered that describes the occasion of a conversation, such as a phone call.
const OCCASION: f32 = 0.05;

/// A built-in subject.
struct Subject {
    label: &'static str,
    /// Whether it describes the occasion of a conversation. Its line starts with `~`.
    is_occasion: bool,
    /// Whether it is only there to be compared with, as greetings, and is not a topic. Its line starts with `!`.
    is_noise: bool,
    /// Typical descriptions and sentences.
    examples: Vec<&'static str>,
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let (label, examples) = line.split_once('|')?;
        let examples = examples.split('|').map(str::trim).collect();
        let is_occasion = label.starts_with('~');
        let is_noise = label.starts_with('!');
        Some(Subject { label: label.trim_start_matches(['~', '!']).trim(), is_occasion, is_noise, examples })
    };
    include_str!("data/topics.txt").lines().filter_map(read).collect()
});

pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    embedder: &Arc<Embedder>,
    work: &mut WindowedWork<'_>,
) -> Result<Topics, EngineError> {
    if parsed.sentences.is_empty() {
        return Ok(Topics::default());
    }
    let passages = Passages::read(parsed, embedder, work)?;
    let read = passages.list.iter().map(|passage| parsed.sentence(passage.representative));
    if !are_about_something(read, embedder) {
        return Ok(Topics::default());
    }
    let texts: Vec<&str> = SUBJECTS.iter().flat_map(|subject| subject.examples.iter().copied()).collect();
    let examples = embedder.topics(&texts)?;
    work.context.check()?;
    let whole = whole(parsed, &passages, embedder)?;
    let blocks = blocks(passages.list.len()).into_iter().map(|block| passages.mean(block));
    let of_blocks: Vec<Vec<f32>> = blocks.map(|block| similarities(&block, &examples)).collect();
    let of_whole = similarities(&whole, &examples);
    let scores: Vec<f32> = (0..SUBJECTS.len())
        .map(|nth| {
            let occasion = if SUBJECTS[nth].is_occasion { OCCASION } else { 0.0 };
            let nearest = nearest_blocks(of_blocks.iter().map(|block| block[nth]).collect());
            if of_blocks.len() < 2 {
                of_whole[nth] - occasion
            } else {
                0.5 * (of_whole[nth] + nearest) - occasion
            }
        })
        .collect();
    Ok(Topics { topics: choose(&scores) })
}

/// The embedding of the whole transcript: of its sentences, and of some longer stretches that show their connection.
fn whole(parsed: &ParsedTranscript, passages: &Passages, embedder: &Embedder) -> Result<Vector, EngineError> {
    let sentences = passages.mean(0..passages.list.len());
    let all = chunks(parsed);
    let chosen = (0..all.len().min(MAX_CHUNKS)).map(|nth| &all[nth * all.len() / all.len().min(MAX_CHUNKS)]);
    let texts: Vec<&str> = chosen.map(|chunk| &parsed.readable_text()[chunk.clone()]).collect();
    let vectors = embedder.embed(&texts)?;
    let stretches = mean(vectors.iter().map(Vec::as_slice), sentences.len());
    Ok(mean([sentences.as_slice(), &stretches].into_iter(), sentences.len()))
}

/// Stretches of a few sentences.
fn chunks(parsed: &ParsedTranscript) -> Vec<Range<usize>> {
    let bytes = |window: Range<usize>| {
        parsed.sentences[window.start].range.start..parsed.sentences[window.end - 1].range.end
    };
    parsed.windows(CHUNK_BYTES).into_iter().map(bytes).collect()
}

/// Equal parts of about `BLOCK` passages.
fn blocks(passages: usize) -> Vec<Range<usize>> {
    let count = (passages / BLOCK).max(1);
    (0..count)
        .map(|nth| passages * nth / count..passages * (nth + 1) / count)
        .filter(|block| !block.is_empty())
        .collect()
}

/// The similarity of a text to each subject: to its most similar example, and to all of its examples.
fn similarities(vector: &Vector, examples: &[Vector]) -> Vec<f32> {
    let mut rest = examples;
    let of_subject = |subject: &Subject| {
        let (own, others) = rest.split_at(subject.examples.len());
        rest = others;
        let nearest = own.iter().map(|example| similarity(vector, example)).fold(f32::MIN, f32::max);
        let centre = mean(own.iter().map(Vec::as_slice), vector.len());
        0.5 * (nearest + similarity(vector, &centre))
    };
    SUBJECTS.iter().map(of_subject).collect()
}

/// The mean similarity of the most similar quarter of the blocks.
fn nearest_blocks(mut blocks: Vec<f32>) -> f32 {
    blocks.sort_by(|one, other| other.total_cmp(one));
    let count = blocks.len().div_ceil(4).max(1);
    blocks.iter().take(count).sum::<f32>() / count as f32
}

/// The subjects that stand out from the others, the most similar first.
fn choose(scores: &[f32]) -> Vec<Topic> {
    let count = scores.len().max(1) as f32;
    let average = scores.iter().sum::<f32>() / count;
    let deviation = (scores.iter().map(|score| (score - average).powi(2)).sum::<f32>() / count).sqrt();
    let stands_out = |nth: usize, (least, deviations): (f32, f32)| {
        scores[nth] >= least && scores[nth] - average >= deviations * deviation
    };
    let mut order: Vec<usize> = (0..scores.len()).filter(|nth| !SUBJECTS[*nth].is_noise).collect();
    order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]).then(one.cmp(other)));
    let Some(first) = order.first().copied().filter(|first| stands_out(*first, FIRST)) else {
        return Vec::new();
    };
    let is_near = |nth: &usize| scores[*nth] >= SHARE_OF_FIRST * scores[first] && stands_out(*nth, FURTHER);
    let chosen = order.into_iter().filter(|nth| *nth == first || is_near(nth)).take(MAX_TOPICS);
    let topic = |nth: usize| Topic {
        label: SUBJECTS[nth].label.to_owned(),
        score: round_to_thousandths(f64::from((scores[nth] / CERTAIN).clamp(0.0, 1.0))),
    };
    chosen.map(topic).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_unique_and_blocks_cover_everything() {
        let labels: std::collections::HashSet<&str> = SUBJECTS.iter().map(|subject| subject.label).collect();
        assert!(labels.len() == SUBJECTS.len() && labels.len() > 50);
        assert!(SUBJECTS.iter().all(|subject| subject.examples.len() >= 3));
        for passages in [0, 1, 4, 5, 9, 100] {
            let covered: usize = blocks(passages).iter().map(ExactSizeIterator::len).sum();
            assert_eq!(covered, passages);
        }
    }

    #[test]
    fn only_subjects_that_stand_out_are_topics() {
        let mut scores = vec![0.2; SUBJECTS.len()];
        assert!(choose(&scores).is_empty());
        (scores[3], scores[7], scores[9], scores[11]) = (0.6, 0.55, 0.5, 0.5);
        let labels: Vec<String> = choose(&scores).into_iter().map(|topic| topic.label).collect();
        assert_eq!(labels, [SUBJECTS[3].label, SUBJECTS[7].label, SUBJECTS[9].label]);
        assert!(choose(&scores)[0].score > choose(&scores)[1].score);
    }

    #[test]
    fn greetings_are_not_a_topic() {
        let mut scores = vec![0.2; SUBJECTS.len()];
        scores[SUBJECTS.iter().position(|subject| subject.label == "Introductions and greetings").unwrap()] =
            0.9;
        assert!(choose(&scores).is_empty());
    }

    #[test]
    fn the_nearest_quarter_of_the_blocks_counts() {
        assert!((nearest_blocks(vec![0.1, 0.5, 0.2, 0.3, 0.7]) - 0.6).abs() < 1e-6);
    }
}
