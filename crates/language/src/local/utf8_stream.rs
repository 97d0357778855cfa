//! Decodes the bytes of tokens to text, in whole characters, and separates the reasoning from the answer.

/// The text written so far.
#[derive(Default)]
pub(super) struct Utf8Stream {
    pub(super) text: String,
    pub(super) reasoning: String,
    /// The beginning of an incomplete character.
    open: Vec<u8>,
    /// Bytes of the text that `take_new` has returned.
    taken: usize,
}

impl Utf8Stream {
    pub(super) fn push(&mut self, bytes: &[u8], thinking: bool) {
        self.open.extend_from_slice(bytes);
        let whole = whole_characters(&self.open);
        let characters: Vec<u8> = self.open.drain(..whole).collect();
        let target = if thinking { &mut self.reasoning } else { &mut self.text };
        let piece = String::from_utf8_lossy(&characters);
        // Models write empty lines between the reasoning and the answer.
        target.push_str(if target.is_empty() { piece.trim_start() } else { &piece });
    }

    pub(super) fn end_reasoning(&mut self) {
        self.open.clear();
    }

    /// Ends the text. An incomplete character becomes a replacement character.
    pub(super) fn finish(&mut self) {
        let open = std::mem::take(&mut self.open);
        self.text.push_str(&String::from_utf8_lossy(&open));
    }

    /// The text that was added since the last call.
    pub(super) fn take_new(&mut self) -> String {
        let new = self.text[self.taken..].to_owned();
        self.taken = self.text.len();
        new
    }
}

/// The number of bytes before an incomplete character at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // Invalid bytes in the middle stay invalid; only the end may become a character.
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
    fn parts_are_whole_characters_and_joined_they_are_the_text() {
        let mut stream = Utf8Stream::default();
        let mut parts = Vec::new();
        for byte in "né 👍".as_bytes() {
            stream.push(&[*byte], false);
            parts.push(stream.take_new());
        }
        stream.finish();
        assert_eq!(parts.concat(), "né 👍");
        assert_eq!((parts[1].as_str(), parts[2].as_str()), ("", "é"));
    }

    #[test]
    fn reasoning_is_separate_and_invalid_bytes_are_replaced() {
        let mut stream = Utf8Stream::default();
        stream.push(b"hm", true);
        stream.end_reasoning();
        stream.push(b"\n\n", false);
        stream.push(b"Yes", false);
        stream.push(&[0xff, b'!', 0xc3], false);
        stream.finish();
        assert_eq!((stream.reasoning.as_str(), stream.text.as_str()), ("hm", "Yes\u{fffd}!\u{fffd}"));
    }
}
