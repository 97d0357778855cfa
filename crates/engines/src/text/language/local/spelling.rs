//! Bytes of tokens become text: whole characters only, thoughts apart from the answer.

/// What was written so far.
#[derive(Default)]
pub(super) struct Spelling {
    pub(super) text: String,
    pub(super) thought: String,
    /// The beginning of a character whose end has not come.
    open: Vec<u8>,
    /// What of the text was told already.
    told: usize,
}

impl Spelling {
    pub(super) fn push(&mut self, bytes: &[u8], thinking: bool) {
        self.open.extend_from_slice(bytes);
        let whole = whole_characters(&self.open);
        let characters: Vec<u8> = self.open.drain(..whole).collect();
        let target = if thinking { &mut self.thought } else { &mut self.text };
        let piece = String::from_utf8_lossy(&characters);
        // Models put empty lines between the thought and the answer.
        target.push_str(if target.is_empty() { piece.trim_start() } else { &piece });
    }

    pub(super) fn end_thought(&mut self) {
        self.open.clear();
    }

    /// Nothing more comes: an open character is written as one that cannot be read.
    pub(super) fn finish(&mut self) {
        let open = std::mem::take(&mut self.open);
        self.text.push_str(&String::from_utf8_lossy(&open));
    }

    /// What is new since this was last asked.
    pub(super) fn news(&mut self) -> String {
        let news = self.text[self.told..].to_owned();
        self.told = self.text.len();
        news
    }
}

/// How many bytes, from the start, are not the beginning of an unfinished character.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // Something in the middle is no text at all; only the end may still become some.
        Err(error) => {
            let bad = error.valid_up_to() + error.error_len().unwrap_or(1);
            bad + whole_characters(&bytes[bad..])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_characters_and_joined_they_are_the_text() {
        let mut spelling = Spelling::default();
        let mut pieces = Vec::new();
        for byte in "né 👍".as_bytes() {
            spelling.push(&[*byte], false);
            pieces.push(spelling.news());
        }
        spelling.finish();
        assert_eq!(pieces.concat(), "né 👍");
        assert_eq!((pieces[1].as_str(), pieces[2].as_str()), ("", "é"));
    }

    #[test]
    fn thoughts_stay_apart_and_what_is_no_text_is_marked() {
        let mut spelling = Spelling::default();
        spelling.push(b"hm", true);
        spelling.end_thought();
        spelling.push(b"\n\n", false);
        spelling.push(b"Yes", false);
        spelling.push(&[0xff, b'!', 0xc3], false);
        spelling.finish();
        assert_eq!((spelling.thought.as_str(), spelling.text.as_str()), ("hm", "Yes\u{fffd}!\u{fffd}"));
    }
}
