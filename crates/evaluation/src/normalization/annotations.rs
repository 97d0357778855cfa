//! Annotations such as `[laughter]`, `<noise>` and `(inaudible)`.

/// Longest annotation in words. A bracket that is still open then is an ordinary character.
const LONGEST: usize = 50;

/// The words without annotations, each with its position. Brackets become spaces.
pub(super) fn removed(words: &[String]) -> Vec<(usize, String)> {
    let mut texts = Texts { parts: Vec::with_capacity(words.len()), open: None };
    for (word, text) in words.iter().enumerate() {
        texts.begin(word);
        text.chars().for_each(|letter| texts.push(letter));
    }
    texts.parts
}

struct Texts {
    parts: Vec<(usize, String)>,
    open: Option<Open>,
}

/// Where a bracket was opened.
struct Open {
    closing: char,
    /// The number of parts, and of bytes in the last of them.
    at: (usize, usize),
}

impl Texts {
    fn begin(&mut self, word: usize) {
        if self.open.as_ref().is_some_and(|open| self.parts.len() - open.at.0 >= LONGEST) {
            self.open = None;
        }
        self.parts.push((word, String::new()));
    }

    fn push(&mut self, letter: char) {
        if self.open.as_ref().is_some_and(|open| open.closing == letter) {
            return self.close();
        }
        let closing = match letter {
            '[' => Some(']'),
            '<' => Some('>'),
            '(' => Some(')'),
            _ => None,
        };
        let at = (self.parts.len(), self.parts.last().map_or(0, |(_, text)| text.len()));
        if self.open.is_none() {
            self.open = closing.map(|closing| Open { closing, at });
        }
        if let Some((_, text)) = self.parts.last_mut() {
            text.push(if closing.is_some() { ' ' } else { letter });
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let word = self.parts.last().map_or(0, |(word, _)| *word);
        self.parts.truncate(open.at.0);
        if let Some((first, text)) = self.parts.last_mut() {
            text.truncate(open.at.1);
            if *first != word {
                self.parts.push((word, String::new()));
            }
        }
        if let Some((_, text)) = self.parts.last_mut() {
            text.push(' ');
        }
    }
}
