//! The part of the protobuf wire format that is needed to change a few nodes of an ONNX file.
//!
//! Hand-written instead of `prost`, because unknown fields must be preserved.

use std::borrow::Cow;

/// One field of a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field<'a> {
    pub(crate) number: u32,
    pub(crate) value: Wire<'a>,
}

/// The value of a field, by wire type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wire<'a> {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(Cow<'a, [u8]>),
    Fixed32([u8; 4]),
}

/// The fields of a message, in order; `None` if the bytes are not a message.
pub(crate) fn parse(mut bytes: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Wire::Varint(varint(&mut bytes)?),
            1 => Wire::Fixed64(take(&mut bytes, 8)?.try_into().ok()?),
            2 => {
                let length = varint(&mut bytes)? as usize;
                Wire::Bytes(Cow::Borrowed(take(&mut bytes, length)?))
            }
            5 => Wire::Fixed32(take(&mut bytes, 4)?.try_into().ok()?),
            _ => return None,
        };
        fields.push(Field { number: (key >> 3) as u32, value });
    }
    Some(fields)
}

/// The bytes of a message.
pub(crate) fn write(fields: &[Field<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in fields {
        let key = |kind: u64| u64::from(field.number) << 3 | kind;
        match &field.value {
            Wire::Varint(number) => {
                put_varint(&mut bytes, key(0));
                put_varint(&mut bytes, *number);
            }
            Wire::Fixed64(eight) => {
                put_varint(&mut bytes, key(1));
                bytes.extend(eight);
            }
            Wire::Bytes(content) => {
                put_varint(&mut bytes, key(2));
                put_varint(&mut bytes, content.len() as u64);
                bytes.extend_from_slice(content);
            }
            Wire::Fixed32(four) => {
                put_varint(&mut bytes, key(5));
                bytes.extend(four);
            }
        }
    }
    bytes
}

impl<'a> Field<'a> {
    pub(crate) fn bytes(number: u32, content: impl Into<Cow<'a, [u8]>>) -> Self {
        Self { number, value: Wire::Bytes(content.into()) }
    }

    pub(crate) fn number(number: u32, value: u64) -> Self {
        Self { number, value: Wire::Varint(value) }
    }

    /// The field with its bytes copied.
    pub(crate) fn owned(&self) -> Field<'static> {
        let value = match &self.value {
            Wire::Varint(number) => Wire::Varint(*number),
            Wire::Fixed64(eight) => Wire::Fixed64(*eight),
            Wire::Bytes(content) => Wire::Bytes(Cow::Owned(content.to_vec())),
            Wire::Fixed32(four) => Wire::Fixed32(*four),
        };
        Field { number: self.number, value }
    }

    /// The content, if this is field `number` with bytes.
    pub(crate) fn content(&self, number: u32) -> Option<&[u8]> {
        match &self.value {
            Wire::Bytes(content) if self.number == number => Some(content),
            Wire::Bytes(_) | Wire::Varint(_) | Wire::Fixed64(_) | Wire::Fixed32(_) => None,
        }
    }

    /// The text, if this is field `number` with UTF-8 text.
    pub(crate) fn text(&self, number: u32) -> Option<&str> {
        std::str::from_utf8(self.content(number)?).ok()
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *take(bytes, 1)?.first()?;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_as_it_was() {
        let fields = vec![
            Field::number(1, 300),
            Field::bytes(2, b"hello".as_slice()),
            Field { number: 3, value: Wire::Fixed32([1, 2, 3, 4]) },
            Field { number: 400, value: Wire::Fixed64([9; 8]) },
        ];
        let bytes = write(&fields);
        assert_eq!(parse(&bytes).unwrap(), fields);
        assert_eq!(write(&parse(&bytes).unwrap()), bytes);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert_eq!(parse(&[0x0A, 0xFF]), None);
        assert_eq!(parse(&[0x0B]), None);
    }
}
