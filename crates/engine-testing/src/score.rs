//! How far a diarization is from the truth: error rate with overlap and without a collar, and words given to the wrong.

use std::collections::BTreeMap;

/// Somebody speaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub speaker: String,
    pub start: f64,
    pub end: f64,
}

impl Said {
    pub fn new(speaker: &str, start: f64, end: f64) -> Self {
        Self { speaker: speaker.to_owned(), start, end }
    }
}

/// The turns of an RTTM file.
pub fn read_rttm(text: &str) -> Vec<Said> {
    let turn = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (start, length): (f64, f64) = (fields[3].parse().unwrap(), fields[4].parse().unwrap());
        Said::new(fields[7], start, start + length)
    };
    text.lines().filter(|line| line.starts_with("SPEAKER")).map(turn).collect()
}

/// Seconds of each kind of error, and of speech in the reference, every speaker counted.
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

/// The errors under the mapping of speakers that leaves the fewest.
pub fn errors(reference: &[Said], hypothesis: &[Said]) -> Errors {
    let (truth, told) = (names(reference), names(hypothesis));
    let mut together = vec![vec![0.0; told.len()]; truth.len()];
    let mut found = Errors::default();
    let mut shared = 0.0;
    for (start, end) in stretches(reference, hypothesis) {
        let (here, heard) =
            (speaking(reference, &truth, start, end), speaking(hypothesis, &told, start, end));
        let seconds = end - start;
        found.total += here.len() as f64 * seconds;
        found.missed += here.len().saturating_sub(heard.len()) as f64 * seconds;
        found.false_alarm += heard.len().saturating_sub(here.len()) as f64 * seconds;
        shared += here.len().min(heard.len()) as f64 * seconds;
        for speaker in &here {
            heard.iter().for_each(|other| together[*speaker][*other] += seconds);
        }
    }
    found.confusion = shared - best_mapping(&together).0;
    found
}

/// The stretches of time within which nobody begins or ends.
fn stretches(reference: &[Said], hypothesis: &[Said]) -> Vec<(f64, f64)> {
    let mut edges: Vec<f64> =
        reference.iter().chain(hypothesis).flat_map(|said| [said.start, said.end]).collect();
    edges.sort_by(f64::total_cmp);
    edges.windows(2).map(|pair| (pair[0], pair[1])).filter(|(start, end)| end > start).collect()
}

fn names(turns: &[Said]) -> Vec<&str> {
    let mut names: Vec<&str> = turns.iter().map(|said| said.speaker.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn speaking(turns: &[Said], names: &[&str], start: f64, end: f64) -> Vec<usize> {
    let here = turns.iter().filter(|said| said.start <= start && said.end >= end);
    let mut here: Vec<usize> =
        here.filter_map(|said| names.iter().position(|name| *name == said.speaker)).collect();
    here.sort_unstable();
    here.dedup();
    here
}

/// The largest sum that a one-to-one mapping of rows to columns can have, and the column of each row.
fn best_mapping(together: &[Vec<f64>]) -> (f64, Vec<Option<usize>>) {
    let columns = together.first().map_or(0, Vec::len);
    assert!(columns < 20, "too many speakers to try every mapping");
    // For each set of columns that are taken, the best so far.
    let mut best: BTreeMap<u32, (f64, Vec<Option<usize>>)> = BTreeMap::from([(0, (0.0, vec![]))]);
    for row in together {
        let mut next: BTreeMap<u32, (f64, Vec<Option<usize>>)> = BTreeMap::new();
        for (taken, (sum, mapping)) in &best {
            let free = (0..columns).filter(|column| taken & (1 << column) == 0).map(Some);
            for choice in free.chain([None]) {
                let (taken, sum) = match choice {
                    Some(column) => (taken | 1 << column, sum + row[column]),
                    None => (*taken, *sum),
                };
                if next.get(&taken).is_none_or(|(known, _)| sum > *known) {
                    next.insert(taken, (sum, mapping.iter().copied().chain([choice]).collect()));
                }
            }
        }
        best = next;
    }
    best.into_values().max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or_default()
}

/// A word and who says it.
pub type Attributed = (String, String);

/// The words of an STM file with their speakers.
pub fn read_stm(text: &str) -> Vec<Attributed> {
    let line = |line: &str| -> Vec<Attributed> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let said = fields.iter().skip(5).map(|word| (plain(word), fields[2].to_owned()));
        said.filter(|(word, _)| !word.is_empty()).collect()
    };
    text.lines().flat_map(line).collect()
}

/// A word without its case and punctuation.
pub fn plain(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The share of words, of those that both texts have, whose speakers agree under the best mapping. Words that one text
/// lacks are errors of recognition, not of diarization.
pub fn word_accuracy(reference: &[Attributed], hypothesis: &[Attributed]) -> f64 {
    let pairs = aligned(reference, hypothesis);
    let truth = names_of(reference);
    let told = names_of(hypothesis);
    let mut together = vec![vec![0.0; told.len()]; truth.len()];
    for (one, other) in &pairs {
        let place = |names: &[&str], name: &str| names.iter().position(|known| *known == name).unwrap();
        together[place(&truth, &reference[*one].1)][place(&told, &hypothesis[*other].1)] += 1.0;
    }
    best_mapping(&together).0 / pairs.len() as f64
}

fn names_of(words: &[Attributed]) -> Vec<&str> {
    let mut names: Vec<&str> = words.iter().map(|(_, speaker)| speaker.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Pairs of equal words when the texts are laid side by side with the most of them.
fn aligned(reference: &[Attributed], hypothesis: &[Attributed]) -> Vec<(usize, usize)> {
    let same = |row: usize, column: usize| reference[row].0 == hypothesis[column].0;
    // For each two places, how many pairs there are from there on.
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
