//! Bytes of a file, whatever holds them in memory, and parts of them that are cheap to copy.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::error::WeightsError;
use crate::mapped::MappedFile;

/// A part of a file. Clones share the file.
#[derive(Debug, Clone)]
pub(crate) struct FileBytes {
    owner: Arc<Owner>,
    range: Range<usize>,
}

#[derive(Debug)]
enum Owner {
    Mapped(MappedFile),
    Memory(Cow<'static, [u8]>),
}

impl FileBytes {
    /// Maps a whole file.
    pub(crate) fn open(path: &Path) -> Result<Self, WeightsError> {
        let file = MappedFile::open(path).map_err(|error| WeightsError::io(path, error))?;
        Ok(Self { range: 0..file.bytes().len(), owner: Arc::new(Owner::Mapped(file)) })
    }

    pub(crate) fn from_memory(bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        let bytes = bytes.into();
        Self { range: 0..bytes.len(), owner: Arc::new(Owner::Memory(bytes)) }
    }

    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// A part of this part; nothing if it is not inside.
    pub(crate) fn slice(&self, range: Range<usize>) -> Option<Self> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        let range = self.range.start + range.start..self.range.start + range.end;
        Some(Self { owner: self.owner.clone(), range })
    }

    /// Returns the memory of a mapped file to the system. The bytes can still be read. The whole file, and not only this
    /// part, because the system also maps pages around those that are read.
    pub(crate) fn release(&self) {
        match &*self.owner {
            Owner::Mapped(file) => file.release(),
            Owner::Memory(_) => {}
        }
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        let all = match &*self.owner {
            Owner::Mapped(file) => file.bytes(),
            Owner::Memory(bytes) => bytes,
        };
        all.get(self.range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_inside_or_does_not_exist() {
        let bytes = FileBytes::from_memory(vec![1, 2, 3, 4, 5]);
        let part = bytes.slice(1..4).unwrap();
        assert_eq!(part.as_ref(), [2, 3, 4]);
        assert_eq!(part.slice(1..2).unwrap().as_ref(), [3]);
        assert!(part.slice(0..4).is_none());
        assert!(bytes.slice(usize::MAX..usize::MAX).is_none());
    }

    #[test]
    fn a_released_file_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, vec![7; 100_000]).unwrap();
        let bytes = FileBytes::open(&path).unwrap();
        bytes.slice(5_000..90_000).unwrap().release();
        assert!(bytes.as_ref().iter().all(|byte| *byte == 7));
    }

    #[test]
    fn a_folder_and_a_missing_file_give_an_error_with_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing.bin");
        for path in [folder.path(), missing.as_path()] {
            let error = FileBytes::open(path).unwrap_err().to_string();
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }
}
