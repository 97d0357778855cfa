//! Where the subject of a transcript changes. Each passage gets a score from how the text before and after it differs.
//!
//! The weights are a logistic regression on 81 meetings of the training part of QMSum (MIT license).

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::embedder::{Vector, mean, similarity};
use super::parsed_transcript::ParsedTranscript;
use super::passages::Passages;
use super::stop_words::content;

/// Minimum length of a chapter in bytes of the sentences that the network reads.
const MIN_BYTES: usize = 1_500;
/// Limits the number of uncertain borders: one per this many bytes, about a quarter of an hour of talk.
const BYTES_PER_BORDER: usize = 14_000;
/// Minimum score of a border.
const UNCERTAIN: f32 = -1.5;
/// A border with a higher score does not count against the limit.
const CLEAR: f32 = -0.5;
/// Bytes before and after a passage that are compared.
const REACH: usize = 2_500;
/// Bytes at the start of a chapter that introduce it. They are compared with the bytes before and after them.
const INTRODUCTION: usize = 400;
const BEFORE_INTRODUCTION: usize = 1_500;
const AFTER_INTRODUCTION: usize = 3_000;
/// Bytes before and after a passage: how much each speaker says in both is compared.
const SPEAKER_REACH: usize = 1_500;
/// The result of that comparison at an average passage, used for a transcript without speakers.
const USUAL_SPEAKERS: f32 = 0.748;
/// A shorter sentence is an acknowledgement such as `Right.`, which often ends a subject.
const SHORT_SENTENCE: usize = 24;

const OPENING_WORDS: [&str; 10] =
    ["okay", "ok", "alright", "right", "so", "now", "well", "anyway", "good", "great"];
/// Phrases that announce a new subject.
const ANNOUNCEMENTS: [&str; 28] = [
    " next ",
    " move on ",
    " moving on ",
    " let's start ",
    " let's begin ",
    " let's go ",
    " let's talk ",
    " let's see ",
    " let's get ",
    " let's look ",
    " let's have ",
    " let's turn ",
    " agenda ",
    " turn to ",
    " another question ",
    " another thing ",
    " another item ",
    " first of all ",
    " last thing ",
    " presentation ",
    " i'd like to ",
    " i would like to ",
    " the other thing ",
    " topic ",
    " item ",
    " get started ",
    " question ",
    " discuss ",
];
const THANKS: [&str; 2] = [" thank you ", " thanks "];

/// The passages before which a new chapter starts, in order.
pub(super) fn borders(parsed: &ParsedTranscript, passages: &Passages) -> Vec<usize> {
    let evidence = Evidence::new(parsed, passages);
    let total = evidence.starts[evidence.count()];
    let scores = evidence.scores();
    let mut order: Vec<usize> = (1..evidence.count()).filter(|nth| scores[*nth] >= UNCERTAIN).collect();
    order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]).then(one.cmp(other)));
    let limit = (total / BYTES_PER_BORDER).max(1);
    let mut chosen = BTreeSet::new();
    for nth in order {
        let at = |nth: usize| evidence.starts[nth];
        let before = chosen.range(..nth).next_back().map_or(0, |border| at(*border));
        let after = chosen.range(nth..).next().map_or(total, |border| at(*border));
        let fits = at(nth) - before >= MIN_BYTES && after - at(nth) >= MIN_BYTES;
        if fits && (scores[nth] >= CLEAR || chosen.len() < limit) {
            chosen.insert(nth);
        }
    }
    chosen.into_iter().collect()
}

/// What the scores are computed from, for each passage.
struct Evidence {
    /// Where each passage starts in the text that the network reads, and the end of that text.
    starts: Vec<usize>,
    /// The sums of the weighted embeddings before each passage.
    sums: Vec<Vector>,
    words: Vec<Vec<usize>>,
    /// How rare each word is.
    rarity: Vec<f32>,
    /// The speaker of each passage; empty without speakers.
    speakers: Vec<usize>,
    announces: Vec<bool>,
    thanks: Vec<bool>,
    opens: Vec<bool>,
}

impl Evidence {
    fn new(parsed: &ParsedTranscript, passages: &Passages) -> Self {
        let texts: Vec<&str> =
            passages.list.iter().map(|passage| parsed.sentence(passage.representative)).collect();
        let mut starts = vec![0];
        let mut sums = vec![vec![0.0; passages.vectors.first().map_or(0, Vec::len)]];
        for (nth, text) in texts.iter().enumerate() {
            starts.push(starts[nth] + text.len() + 1);
            let weight = passages.weights[nth];
            sums.push(
                sums[nth].iter().zip(&passages.vectors[nth]).map(|(sum, new)| sum + weight * new).collect(),
            );
        }
        let (words, rarity) = words(&texts);
        let spoken: Vec<String> = texts.iter().map(|text| spaced(text)).collect();
        let says = |phrases: &[&str]| {
            spoken.iter().map(|text| phrases.iter().any(|phrase| text.contains(phrase))).collect()
        };
        let opens =
            |text: &String| text.split_whitespace().next().is_some_and(|word| OPENING_WORDS.contains(&word));
        Self {
            starts,
            sums,
            words,
            rarity,
            speakers: speakers(parsed, passages),
            announces: says(&ANNOUNCEMENTS),
            thanks: says(&THANKS),
            opens: spoken.iter().map(opens).collect(),
        }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The score of a border before each passage.
    fn scores(&self) -> Vec<f32> {
        let nearness: Vec<f32> = (0..self.count())
            .map(|nth| similarity(&self.mean(self.before(nth, REACH)), &self.mean(self.after(nth, REACH))))
            .collect();
        let score = |nth: usize| {
            let peak = |range: Range<usize>| range.map(|other| nearness[other]).fold(nearness[nth], f32::max);
            let depth = peak(self.before(nth, REACH).start.max(1)..nth) + peak(self.after(nth, REACH))
                - 2.0 * nearness[nth];
            let (before, after) = self.introduction(nth);
            let flag = |flag: bool| f32::from(u8::from(flag));
            -2.608 - 4.95 * self.common_words(nth) + 1.69 * depth - 2.67 * before + 2.70 * after
                - 1.46 * self.same_speakers(nth)
                + 0.81 * self.short_before(nth)
                + 0.63 * flag(self.announces[nth..(nth + 4).min(self.count())].contains(&true))
                + 0.37 * flag(self.thanks[nth.saturating_sub(3)..nth].contains(&true))
                + 0.31 * flag(self.opens[nth])
        };
        (0..self.count()).map(score).collect()
    }

    /// The passages that start within a number of bytes before a passage.
    fn before(&self, nth: usize, bytes: usize) -> Range<usize> {
        let from = self.starts[nth].saturating_sub(bytes);
        self.starts.partition_point(|start| *start < from)..nth
    }

    /// A passage and those that start within a number of bytes after its start.
    fn after(&self, nth: usize, bytes: usize) -> Range<usize> {
        let to = self.starts[nth] + bytes;
        nth..self.starts.partition_point(|start| *start < to).clamp(nth + 1, self.count())
    }

    fn mean(&self, range: Range<usize>) -> Vector {
        let difference: Vector = self.sums[range.end]
            .iter()
            .zip(&self.sums[range.start])
            .map(|(end, start)| end - start)
            .collect();
        mean(std::iter::once(difference.as_slice()), difference.len())
    }

    /// How similar the first sentences of a possible chapter are to the text before it, and to the rest of the chapter.
    fn introduction(&self, nth: usize) -> (f32, f32) {
        let introduction = self.after(nth, INTRODUCTION);
        let rest = introduction.end..self.after(nth, AFTER_INTRODUCTION).end;
        let own = self.mean(introduction);
        let before = self.before(nth, BEFORE_INTRODUCTION);
        (similarity(&own, &self.mean(before)), similarity(&own, &self.mean(rest)))
    }

    /// The similarity of the words before and after, where rare words count more.
    fn common_words(&self, nth: usize) -> f32 {
        let mut counts: HashMap<usize, (f32, f32)> = HashMap::new();
        for word in self.words[self.before(nth, REACH)].iter().flatten() {
            counts.entry(*word).or_default().0 += 1.0;
        }
        for word in self.words[self.after(nth, REACH)].iter().flatten() {
            counts.entry(*word).or_default().1 += 1.0;
        }
        let weighted = |(word, (before, after)): (&usize, &(f32, f32))| {
            (before.sqrt() * self.rarity[*word], after.sqrt() * self.rarity[*word])
        };
        cosine(counts.iter().map(weighted))
    }

    fn same_speakers(&self, nth: usize) -> f32 {
        if self.speakers.is_empty() {
            return USUAL_SPEAKERS;
        }
        let mut shares: HashMap<usize, (f32, f32)> = HashMap::new();
        let length = |passage: usize| (self.starts[passage + 1] - self.starts[passage]) as f32;
        for passage in self.before(nth, SPEAKER_REACH) {
            shares.entry(self.speakers[passage]).or_default().0 += length(passage);
        }
        for passage in self.after(nth, SPEAKER_REACH) {
            shares.entry(self.speakers[passage]).or_default().1 += length(passage);
        }
        cosine(shares.into_values())
    }

    /// The share of acknowledgements among the last three sentences.
    fn short_before(&self, nth: usize) -> f32 {
        let last = nth.saturating_sub(3)..nth;
        let short = |passage: &usize| self.starts[passage + 1] - self.starts[*passage] <= SHORT_SENTENCE;
        last.clone().filter(short).count() as f32 / last.len().max(1) as f32
    }
}

fn cosine(pairs: impl Iterator<Item = (f32, f32)>) -> f32 {
    let add = |sums: (f32, f32, f32), (one, other): (f32, f32)| {
        (sums.0 + one * other, sums.1 + one * one, sums.2 + other * other)
    };
    let (product, one, other) = pairs.fold((0.0, 0.0, 0.0), add);
    if product > 0.0 { product / (one * other).sqrt() } else { 0.0 }
}

/// The content words of each text as numbers, and how rare each word is.
fn words(texts: &[&str]) -> (Vec<Vec<usize>>, Vec<f32>) {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut occurrences: Vec<(usize, usize)> = Vec::new();
    let mut all = Vec::with_capacity(texts.len());
    for (nth, text) in texts.iter().enumerate() {
        let mut found = Vec::new();
        for word in content(text) {
            let next = numbers.len();
            let number = *numbers.entry(word).or_insert(next);
            if number == occurrences.len() {
                occurrences.push((0, usize::MAX));
            }
            let (count, last) = &mut occurrences[number];
            *count += usize::from(*last != nth);
            *last = nth;
            found.push(number);
        }
        all.push(found);
    }
    let rarity = |(count, _): &(usize, usize)| ((texts.len() + 1) as f32 / (count + 1) as f32).ln();
    (all, occurrences.iter().map(rarity).collect())
}

/// The speaker of each passage as a number; empty if there is only one.
fn speakers(parsed: &ParsedTranscript, passages: &Passages) -> Vec<usize> {
    if !parsed.is_conversation() {
        return Vec::new();
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let number = |passage: &super::passages::Passage| {
        let next = numbers.len();
        *numbers.entry(parsed.speaker(passage.representative).unwrap_or_default()).or_insert(next)
    };
    passages.list.iter().map(number).collect()
}

/// The lower-case words of a text with one space around each.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_in_common_count_more() {
        let (words, rarity) = words(&["budget meeting", "meeting notes", "meeting room"]);
        assert_eq!(words, [vec![0, 1], vec![1, 2], vec![1, 3]]);
        assert!(rarity[0] > rarity[1]);
    }

    #[test]
    fn the_cosine_of_equal_shares_is_one_and_of_different_speakers_zero() {
        assert!((cosine([(2.0, 1.0), (4.0, 2.0)].into_iter()) - 1.0).abs() < 1e-6);
        assert_eq!((cosine([(1.0, 0.0), (0.0, 1.0)].into_iter()), cosine(std::iter::empty())), (0.0, 0.0));
    }

    #[test]
    fn announcements_are_found_as_whole_words() {
        assert_eq!(spaced("Okay, let’s move on."), " okay let's move on ");
        assert!(!spaced("The itemized bill").contains(" item "));
    }
}
