//! Diarization metrics: the error rate (with overlap, without a collar) and the share of words with the right speaker.

use std::collections::BTreeMap;

/// One speaker turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub speaker: String,
    pub start: f64,
    pub end: f64,
}

impl Turn {
    pub fn new(speaker: &str, start: f64, end: f64) -> Self {
        Self { speaker: speaker.to_owned(), start, end }
    }
}

/// The turns of an RTTM file.
pub fn read_rttm(text: &str) -> Vec<Turn> {
    let turn = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (start, length): (f64, f64) = (fields[3].parse().unwrap(), fields[4].parse().unwrap());
        Turn::new(fields[7], start, start + length)
    };
    text.lines().filter(|line| line.starts_with("SPEAKER")).map(turn).collect()
}

/// Seconds of each kind of error, and of speech in the reference. Overlapping speech counts once per speaker.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Errors {
    pub missed: f64,
    pub false_alarm: f64,
    pub confusion: f64,
    pub total: f64,
}

impl Errors {
    pub fn rate(&self) -> f64 {
        (self.missed + self.false_alarm + self.confusion) / self.total
    }

    pub fn add(&mut self, other: &Self) {
        self.missed += other.missed;
        self.false_alarm += other.false_alarm;
        self.confusion += other.confusion;
        self.total += other.total;
    }
}

/// The errors under the mapping of speakers with the fewest errors.
pub fn errors(reference: &[Turn], hypothesis: &[Turn]) -> Errors {
    let (reference_names, hypothesis_names) = (names(reference), names(hypothesis));
    let mut overlap = vec![vec![0.0; hypothesis_names.len()]; reference_names.len()];
    let mut errors = Errors::default();
    let mut shared = 0.0;
    for (start, end) in spans(reference, hypothesis) {
        let expected = speaking(reference, &reference_names, start, end);
        let found = speaking(hypothesis, &hypothesis_names, start, end);
        let seconds = end - start;
        errors.total += expected.len() as f64 * seconds;
        errors.missed += expected.len().saturating_sub(found.len()) as f64 * seconds;
        errors.false_alarm += found.len().saturating_sub(expected.len()) as f64 * seconds;
        shared += expected.len().min(found.len()) as f64 * seconds;
        for speaker in &expected {
            found.iter().for_each(|other| overlap[*speaker][*other] += seconds);
        }
    }
    errors.confusion = shared - best_mapping(&overlap).0;
    errors
}

/// The time spans between two consecutive starts or ends of turns.
fn spans(reference: &[Turn], hypothesis: &[Turn]) -> Vec<(f64, f64)> {
    let mut edges: Vec<f64> =
        reference.iter().chain(hypothesis).flat_map(|turn| [turn.start, turn.end]).collect();
    edges.sort_by(f64::total_cmp);
    edges.windows(2).map(|pair| (pair[0], pair[1])).filter(|(start, end)| end > start).collect()
}

fn names(turns: &[Turn]) -> Vec<&str> {
    let mut names: Vec<&str> = turns.iter().map(|turn| turn.speaker.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn speaking(turns: &[Turn], names: &[&str], start: f64, end: f64) -> Vec<usize> {
    let here = turns.iter().filter(|turn| turn.start <= start && turn.end >= end);
    let mut here: Vec<usize> =
        here.filter_map(|turn| names.iter().position(|name| *name == turn.speaker)).collect();
    here.sort_unstable();
    here.dedup();
    here
}

/// The largest sum of a one-to-one mapping of rows to columns, and the column of each row.
fn best_mapping(overlap: &[Vec<f64>]) -> (f64, Vec<Option<usize>>) {
    let columns = overlap.first().map_or(0, Vec::len);
    assert!(columns < 20, "too many speakers to try every mapping");
    // The best mapping so far for each set of used columns.
    let mut best: BTreeMap<u32, (f64, Vec<Option<usize>>)> = BTreeMap::from([(0, (0.0, vec![]))]);
    for row in overlap {
        let mut next: BTreeMap<u32, (f64, Vec<Option<usize>>)> = BTreeMap::new();
        for (used, (sum, mapping)) in &best {
            let free = (0..columns).filter(|column| used & (1 << column) == 0).map(Some);
            for choice in free.chain([None]) {
                let (used, sum) = match choice {
                    Some(column) => (used | 1 << column, sum + row[column]),
                    None => (*used, *sum),
                };
                if next.get(&used).is_none_or(|(known, _)| sum > *known) {
                    next.insert(used, (sum, mapping.iter().copied().chain([choice]).collect()));
                }
            }
        }
        best = next;
    }
    best.into_values().max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or_default()
}

/// A word and its speaker.
pub type Attributed = (String, String);

/// The words of an STM file with their speakers.
pub fn read_stm(text: &str) -> Vec<Attributed> {
    let line = |line: &str| -> Vec<Attributed> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let words = fields.iter().skip(5).map(|word| (plain(word), fields[2].to_owned()));
        words.filter(|(word, _)| !word.is_empty()).collect()
    };
    text.lines().flat_map(line).collect()
}

/// A word in lower case and without punctuation.
pub fn plain(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The share of the words in both texts whose speakers agree under the best mapping of speakers. Words in only one text
/// are recognition errors, not diarization errors.
pub fn word_accuracy(reference: &[Attributed], hypothesis: &[Attributed]) -> f64 {
    let pairs = aligned(reference, hypothesis);
    let reference_names = names_of(reference);
    let hypothesis_names = names_of(hypothesis);
    let mut overlap = vec![vec![0.0; hypothesis_names.len()]; reference_names.len()];
    for (one, other) in &pairs {
        let index = |names: &[&str], name: &str| names.iter().position(|known| *known == name).unwrap();
        let row = index(&reference_names, &reference[*one].1);
        let column = index(&hypothesis_names, &hypothesis[*other].1);
        overlap[row][column] += 1.0;
    }
    best_mapping(&overlap).0 / pairs.len() as f64
}

fn names_of(words: &[Attributed]) -> Vec<&str> {
    let mut names: Vec<&str> = words.iter().map(|(_, speaker)| speaker.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The pairs of equal words in the alignment of both texts that has the most pairs.
fn aligned(reference: &[Attributed], hypothesis: &[Attributed]) -> Vec<(usize, usize)> {
    let same = |row: usize, column: usize| reference[row].0 == hypothesis[column].0;
    // For each position in both texts, the number of pairs from there to the end.
    let mut pairs_from = vec![vec![0usize; hypothesis.len() + 1]; reference.len() + 1];
    for row in (0..reference.len()).rev() {
        for column in (0..hypothesis.len()).rev() {
            let skipped = pairs_from[row + 1][column].max(pairs_from[row][column + 1]);
            let paired = pairs_from[row + 1][column + 1] + usize::from(same(row, column));
            pairs_from[row][column] = skipped.max(paired);
        }
    }
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while row < reference.len() && column < hypothesis.len() {
        if same(row, column) && pairs_from[row][column] == pairs_from[row + 1][column + 1] + 1 {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if pairs_from[row + 1][column] >= pairs_from[row][column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}
