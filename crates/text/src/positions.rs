//! Converts byte positions of a text to Unicode scalar values quickly.

/// Bytes between two indexed positions.
const STRIDE: usize = 1024;

/// An index of scalar-value counts, one entry per `STRIDE` bytes.
pub(super) struct Positions {
    /// Byte position and scalar values before it.
    counted: Vec<(usize, usize)>,
}

impl Positions {
    pub(super) fn of(text: &str) -> Self {
        let mut counted = vec![(0, 0)];
        let mut next = STRIDE;
        for (characters, (byte, _)) in text.char_indices().enumerate() {
            if byte >= next {
                counted.push((byte, characters));
                next = byte + STRIDE;
            }
        }
        Self { counted }
    }

    /// The number of scalar values before this byte, which must be a character boundary of the same text.
    pub(super) fn character(&self, text: &str, byte: usize) -> usize {
        let index = self.counted.partition_point(|(at, _)| *at <= byte).saturating_sub(1);
        let (at, characters) = self.counted.get(index).copied().unwrap_or_default();
        characters + text[at..byte].chars().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_equals_the_standard_librarys_count() {
        let text = "naïve 👍 Да — ok ".repeat(300);
        let positions = Positions::of(&text);
        for (characters, (byte, _)) in text.char_indices().enumerate() {
            assert_eq!(positions.character(&text, byte), characters);
        }
        assert_eq!(positions.character(&text, text.len()), text.chars().count());
    }
}
