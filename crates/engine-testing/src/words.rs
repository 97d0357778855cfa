//! Word errors of a transcript.

/// The words of a text, in lower case and without punctuation.
pub fn words(text: &str) -> Vec<String> {
    let plain = |letter: char| if letter.is_alphanumeric() || letter == '\'' { letter } else { ' ' };
    text.to_lowercase().chars().map(plain).collect::<String>().split_whitespace().map(str::to_owned).collect()
}

/// The number of inserted, deleted and substituted words.
pub fn word_errors(reference: &str, text: &str) -> usize {
    let (reference, text) = (words(reference), words(text));
    let mut row: Vec<usize> = (0..=text.len()).collect();
    for (nth, expected) in reference.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = nth + 1;
        for (at, found) in text.iter().enumerate() {
            let cost = (diagonal + usize::from(expected != found)).min(row[at] + 1).min(row[at + 1] + 1);
            diagonal = std::mem::replace(&mut row[at + 1], cost);
        }
    }
    row[text.len()]
}
