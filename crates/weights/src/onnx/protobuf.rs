//! The wire format of protobuf: the fields of a message, without copies.

use std::ops::Range;

use crate::error::WeightsError;

/// One field of a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) number: u64,
    pub(super) value: Wire,
}

/// The value of a field. Content is a range of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wire {
    Varint(u64),
    /// Four or eight bytes.
    Fixed(Range<usize>),
    Bytes(Range<usize>),
}

/// The fields of the message in a part of a file, in order. It ends after the first error.
pub(super) struct Fields<'a> {
    file: &'a [u8],
    rest: Range<usize>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(file: &'a [u8], message: Range<usize>) -> Self {
        Self { file, rest: message }
    }

    fn field(&mut self) -> Option<Field> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed(self.take(8)?),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed(self.take(4)?),
            _ => return None,
        };
        Some(Field { number: key >> 3, value })
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let at = self.take(1)?.start;
            let byte = *self.file.get(at)?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, count: usize) -> Option<Range<usize>> {
        if count > self.rest.len() {
            return None;
        }
        let taken = self.rest.start..self.rest.start + count;
        self.rest.start = taken.end;
        Some(taken)
    }
}

impl Iterator for Fields<'_> {
    type Item = Result<Field, WeightsError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let start = self.rest.start;
        let field = self.field().ok_or_else(|| {
            self.rest.start = self.rest.end;
            WeightsError::damaged(format!(
                "it is not an ONNX file, or it is truncated: byte {start} starts no field"
            ))
        });
        Some(field)
    }
}

/// The numbers of a field that may be packed or not.
pub(super) fn numbers(file: &[u8], value: &Wire) -> Result<Vec<u64>, WeightsError> {
    match value {
        Wire::Varint(number) => Ok(vec![*number]),
        Wire::Fixed(_) => Ok(vec![]),
        Wire::Bytes(range) => {
            let mut packed = Fields::new(file, range.clone());
            let mut numbers = Vec::new();
            while !packed.rest.is_empty() {
                let number = packed.varint();
                numbers.push(number.ok_or_else(|| WeightsError::damaged("a list of numbers is truncated"))?);
            }
            Ok(numbers)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_kind_are_found() {
        let file = [0x08, 0xAC, 0x02, 0x12, 2, b'h', b'i', 0x1D, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8];
        let fields: Vec<Field> = Fields::new(&file, 0..file.len()).map(Result::unwrap).collect();
        let values: Vec<(u64, Wire)> = fields.into_iter().map(|field| (field.number, field.value)).collect();
        assert_eq!(
            values,
            [
                (1, Wire::Varint(300)),
                (2, Wire::Bytes(5..7)),
                (3, Wire::Fixed(8..12)),
                (4, Wire::Fixed(13..21))
            ]
        );
    }

    #[test]
    fn a_damaged_message_ends_with_an_error() {
        for file in
            [&[0x0A, 0xFF][..], &[0x0B], &[0x80], &[0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]]
        {
            let mut fields = Fields::new(file, 0..file.len());
            assert!(fields.next().unwrap().is_err());
            assert!(fields.next().is_none());
        }
    }

    #[test]
    fn numbers_are_read_packed_or_one_by_one() {
        assert_eq!(numbers(&[1, 0xAC, 2], &Wire::Bytes(0..3)).unwrap(), [1, 300]);
        assert_eq!(numbers(&[], &Wire::Varint(7)).unwrap(), [7]);
        assert!(numbers(&[0x80], &Wire::Bytes(0..1)).is_err());
    }
}
