//! Reads the numbers and the texts of the file one after the other.

use crate::error::WeightsError;

/// Maximum bytes of a key or of a tensor's name. The format itself has this limit for keys.
const MAX_NAME: usize = 1 << 16;

pub(super) struct Reader<'a> {
    file: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a [u8]) -> Self {
        Self { file, position: 0 }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.position >= self.file.len()
    }

    pub(super) fn take(&mut self, count: u64) -> Result<&'a [u8], WeightsError> {
        let end = usize::try_from(count).ok().and_then(|count| self.position.checked_add(count));
        let taken = end.and_then(|end| self.file.get(self.position..end));
        let too_early = || WeightsError::ends_too_early(count, self.position, self.file.len());
        let taken = taken.ok_or_else(too_early)?;
        self.position += taken.len();
        Ok(taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, WeightsError> {
        let four = self.take(4)?;
        Ok(four.first_chunk().map_or(0, |four| u32::from_le_bytes(*four)))
    }

    pub(super) fn u64(&mut self) -> Result<u64, WeightsError> {
        let eight = self.take(8)?;
        Ok(eight.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight)))
    }

    /// A length and the bytes of a text, which may be in any encoding. Some writers end a text with zeros and count
    /// them.
    pub(super) fn text(&mut self) -> Result<&'a [u8], WeightsError> {
        let length = self.u64()?;
        let mut text = self.take(length)?;
        while let [rest @ .., 0] = text {
            text = rest;
        }
        Ok(text)
    }

    /// A key or the name of a tensor.
    pub(super) fn name(&mut self) -> Result<String, WeightsError> {
        let name = self.text()?;
        if name.len() > MAX_NAME {
            return Err(WeightsError::damaged(format!("a name has {} bytes", name.len())));
        }
        Ok(String::from_utf8_lossy(name).into_owned())
    }
}
