//! A word of a reference or of a transcript.

/// A word as it is written, with what is known about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpokenWord {
    pub text: String,
    /// Seconds. In a reference with times of segments only, the first word of a segment has a start.
    pub start: Option<f64>,
    /// Seconds. In a reference with times of segments only, the last word of a segment has an end.
    pub end: Option<f64>,
    pub speaker: Option<String>,
}

impl SpokenWord {
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// The words of a text without times and speakers.
    pub fn list(text: &str) -> Vec<Self> {
        text.split_whitespace().map(Self::new).collect()
    }

    /// Each character as a word, for languages that are written without spaces.
    pub(crate) fn characters(&self) -> Vec<Self> {
        let mut words: Vec<Self> = self.text.chars().map(|letter| Self::new(&letter.to_string())).collect();
        if let Some(first) = words.first_mut() {
            first.start = self.start;
        }
        if let Some(last) = words.last_mut() {
            last.end = self.end;
        }
        words.iter_mut().for_each(|word| word.speaker.clone_from(&self.speaker));
        words
    }
}
