//! The length of a value as JSON, without storing the text.

use std::io;

use serde::Serialize;

/// The number of bytes of a value of the API.
#[expect(clippy::expect_used, reason = "our types have string keys and no failing serializers")]
pub(crate) fn json_length<T: Serialize + ?Sized>(value: &T) -> usize {
    json_length_within(value, usize::MAX).expect("a value of the API can be written as JSON")
}

/// The number of bytes; `None` if there are more than `limit`. Reads no more of the value than that.
pub(crate) fn json_length_within<T: Serialize + ?Sized>(value: &T, limit: usize) -> Option<usize> {
    let mut counter = ByteCounter { left: limit };
    serde_json::to_writer(&mut counter, value).ok().map(|()| limit - counter.left)
}

/// Counts the written bytes and fails at the limit.
struct ByteCounter {
    left: usize,
}

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_length_is_that_of_the_text() {
        let value = json!({"text": "\"A\"\n\u{1}ë", "numbers": [1, 2.5, null]});
        let length = value.to_string().len();
        assert_eq!(json_length(&value), length);
        assert_eq!(json_length_within(&value, length), Some(length));
        assert_eq!(json_length_within(&value, length - 1), None);
    }
}
