//! Places in a text, counted in Unicode scalar values, found quickly from places in bytes.

/// Bytes between two counted places.
const STRIDE: usize = 1024;

/// How many scalar values stand before every so many bytes of a text.
pub(super) struct Positions {
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

    /// How many scalar values stand before this byte of the same text, which must begin one or end the text.
    pub(super) fn character(&self, text: &str, byte: usize) -> usize {
        let place = self.counted.partition_point(|(at, _)| *at <= byte).saturating_sub(1);
        let (at, characters) = self.counted.get(place).copied().unwrap_or_default();
        characters + text[at..byte].chars().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_counted_as_the_standard_library_does() {
        let text = "naïve 👍 Да — ok ".repeat(300);
        let positions = Positions::of(&text);
        for (characters, (byte, _)) in text.char_indices().enumerate() {
            assert_eq!(positions.character(&text, byte), characters);
        }
        assert_eq!(positions.character(&text, text.len()), text.chars().count());
    }
}
