//! Reads MessagePack, value by value. Nothing is trusted: every length is checked against the bytes that are left.
//!
//! Written by hand, because only these few types are needed, weights must stay slices of the file, and large parts of
//! the files are skipped. A library would read them into values first.

use auris_weights::WeightsError;

/// Maximum depth of arrays and maps that are skipped.
const MAX_DEPTH: usize = 64;

/// A position in MessagePack bytes.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

type Result<T> = std::result::Result<T, WeightsError>;

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Reads the head of a map; the number of its pairs follows as keys and values.
    pub(super) fn map(&mut self) -> Result<usize> {
        match self.byte()? {
            head @ 0x80..=0x8f => self.count(u64::from(head & 0x0f), 2),
            0xde => self.number(2).and_then(|count| self.count(count, 2)),
            0xdf => self.number(4).and_then(|count| self.count(count, 2)),
            head => Err(unexpected("a map", head)),
        }
    }

    /// Reads the head of an array; its items follow.
    pub(super) fn array(&mut self) -> Result<usize> {
        match self.byte()? {
            head @ 0x90..=0x9f => self.count(u64::from(head & 0x0f), 1),
            0xdc => self.number(2).and_then(|count| self.count(count, 1)),
            0xdd => self.number(4).and_then(|count| self.count(count, 1)),
            head => Err(unexpected("an array", head)),
        }
    }

    /// Reads bytes or the bytes of a text.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = match self.byte()? {
            head @ 0xa0..=0xbf => u64::from(head & 0x1f),
            0xc4 | 0xd9 => self.number(1)?,
            0xc5 | 0xda => self.number(2)?,
            0xc6 | 0xdb => self.number(4)?,
            head => return Err(unexpected("bytes", head)),
        };
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| damaged("a text is not UTF-8"))
    }

    /// Reads a number without a sign.
    pub(super) fn unsigned(&mut self) -> Result<u64> {
        match self.byte()? {
            head @ 0x00..=0x7f => Ok(u64::from(head)),
            0xcc => self.number(1),
            0xcd => self.number(2),
            0xce => self.number(4),
            0xcf => self.number(8),
            head => Err(unexpected("a number", head)),
        }
    }

    /// Whether the next value is nil; reads it then.
    pub(super) fn nil(&mut self) -> bool {
        let is_nil = self.rest.first() == Some(&0xc0);
        self.rest = &self.rest[usize::from(is_nil)..];
        is_nil
    }

    /// Skips one value with everything in it.
    pub(super) fn skip(&mut self) -> Result<()> {
        self.skip_within(MAX_DEPTH)
    }

    fn skip_within(&mut self, depth: usize) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or_else(|| damaged("values are nested too deeply"))?;
        let head = *self.rest.first().ok_or_else(ended)?;
        let values = match head {
            0x80..=0x8f | 0xde | 0xdf => 2 * self.map()?,
            0x90..=0x9f | 0xdc | 0xdd => self.array()?,
            0xa0..=0xbf | 0xc4..=0xc6 | 0xd9..=0xdb => return self.bytes().map(|_| ()),
            _ => return self.skip_scalar(),
        };
        (0..values).try_for_each(|_| self.skip_within(depth))
    }

    fn skip_scalar(&mut self) -> Result<()> {
        let length = match self.byte()? {
            0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => 0,
            0xcc | 0xd0 => 1,
            0xcd | 0xd1 => 2,
            0xca | 0xce | 0xd2 => 4,
            0xcb | 0xcf | 0xd3 => 8,
            head => return Err(unexpected("a value", head)),
        };
        self.take(length).map(|_| ())
    }

    /// Checks that this number of values, of at least one byte each, can follow.
    fn count(&self, count: u64, values: u64) -> Result<usize> {
        if count.saturating_mul(values) > self.rest.len() as u64 {
            return Err(ended());
        }
        Ok(count as usize)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self, bytes: u64) -> Result<u64> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let length = usize::try_from(length).map_err(|_| ended())?;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(ended)?;
        self.rest = rest;
        Ok(taken)
    }
}

pub(super) fn damaged(what: impl Into<String>) -> WeightsError {
    WeightsError::Damaged { what: what.into() }
}

fn ended() -> WeightsError {
    damaged("the MessagePack data ends too early")
}

fn unexpected(wanted: &str, head: u8) -> WeightsError {
    damaged(format!("expected {wanted} in the MessagePack data, found the byte {head:#04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_arrays_texts_and_numbers_are_read_and_others_are_skipped() {
        let bytes = [
            0x82, 0xa1, b'a', 0x93, 0x07, 0xcd, 0x01, 0x00, 0xc0, 0xa1, b'b', 0xc4, 0x02, 1, 2, 0xcb, 0, 0,
            0, 0, 0, 0, 0, 0,
        ];
        let mut reader = Reader::new(&bytes);
        assert_eq!((reader.map().unwrap(), reader.text().unwrap()), (2, "a"));
        let mut skipping = reader.clone();
        assert_eq!(reader.array().unwrap(), 3);
        assert_eq!((reader.unsigned().unwrap(), reader.unsigned().unwrap()), (7, 256));
        assert!(reader.nil() && !reader.nil());
        skipping.skip().unwrap();
        assert_eq!((skipping.text().unwrap(), skipping.bytes().unwrap()), ("b", &[1, 2][..]));
        skipping.skip().unwrap();
        assert!(skipping.skip().is_err());
    }

    #[test]
    fn lengths_beyond_the_end_are_refused_without_allocating() {
        for bytes in [
            &[0xdf, 0xff, 0xff, 0xff, 0xff][..],
            &[0xdd, 0xff, 0xff, 0xff, 0xff, 0],
            &[0xc6, 0xff, 0xff, 0xff, 0xff, 1],
            &[0xd9],
            &[],
        ] {
            assert!(Reader::new(bytes).skip().is_err(), "{bytes:?}");
        }
        assert!(Reader::new(&[0x91; 100]).skip().unwrap_err().to_string().contains("too deeply"));
    }
}
