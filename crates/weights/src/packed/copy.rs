//! A packed copy that is mapped into memory.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use auris_kernels::{Linear, Storage};
use sha2::{Digest, Sha256};

use crate::bytes::FileBytes;
use crate::element::ElementType;
use crate::error::WeightsError;
use crate::pack::AlignedBytes;
use crate::packed::directory::Directory;
use crate::packed::{CHECKSUM, HEADER, MAGIC, VERSION};

/// The bytes of a copy, mapped or in memory.
type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A packed copy whose structure was checked.
pub(crate) struct PackedCopy {
    pub(crate) directory: Directory,
    bytes: SharedBytes,
}

impl PackedCopy {
    /// Maps a copy. Fails if it is damaged, or of another source.
    pub(crate) fn open(path: &Path, fingerprint: &str) -> Result<Self, WeightsError> {
        let copy = Self::read(Arc::new(FileBytes::open(path)?))?;
        if copy.directory.fingerprint != fingerprint {
            return Err(WeightsError::unsupported("the copy is of another version of the weights"));
        }
        Ok(copy)
    }

    fn read(bytes: SharedBytes) -> Result<Self, WeightsError> {
        let directory = read_directory((*bytes).as_ref())?;
        let copy = Self { directory, bytes };
        for (key, entry) in &copy.directory.linears {
            let linear = Linear::from_packed(copy.storage(), entry.layout());
            linear.map_err(|error| WeightsError::damaged(format!("`{key}`: {error}")))?;
        }
        Ok(copy)
    }

    /// A tensor; nothing if the copy does not have it.
    pub(crate) fn floats(&self, name: &str) -> Option<Vec<f32>> {
        let range = self.directory.floats.get(name)?.range();
        let mut floats = vec![0.0; range.len() / size_of::<f32>()];
        ElementType::F32.decode((*self.bytes).as_ref().get(range)?, &mut floats);
        Some(floats)
    }

    /// A product, whose weights stay in the file; nothing if the copy does not have it.
    pub(crate) fn linear(&self, key: &str) -> Option<Linear> {
        let entry = self.directory.linears.get(key)?;
        Linear::from_packed(self.storage(), entry.layout()).ok()
    }

    fn storage(&self) -> Storage {
        Storage::new(self.bytes.clone())
    }
}

fn read_directory(file: &[u8]) -> Result<Directory, WeightsError> {
    let damaged = |what: &str| WeightsError::damaged(format!("the packed copy has {what}"));
    let header = file.get(..HEADER).ok_or_else(|| damaged("no header"))?;
    if header[..8] != MAGIC || number(header, 8) != VERSION {
        return Err(damaged("another format"));
    }
    let range = directory_range(header)
        .filter(|range| range.start >= HEADER && range.end == file.len())
        .ok_or_else(|| damaged("another length than it should have"))?;
    let json = &file[range.clone()];
    if checksum(&header[..CHECKSUM.start], json) != header[CHECKSUM] {
        return Err(damaged("a wrong checksum"));
    }
    let directory: Directory = serde_json::from_slice(json)
        .map_err(|error| WeightsError::damaged(format!("the directory of the packed copy: {error}")))?;
    directory.check(range.start)?;
    Ok(directory)
}

/// Where the directory is, by the header; `None` if no file can be that long.
fn directory_range(header: &[u8]) -> Option<Range<usize>> {
    let start = usize::try_from(number(header, 16)).ok()?;
    let length = usize::try_from(number(header, 24)).ok()?;
    Some(start..start.checked_add(length)?)
}

/// The checksum of the header and the directory.
pub(super) fn checksum(header: &[u8], directory: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(header).chain_update(directory).finalize().into()
}

fn number(header: &[u8], at: usize) -> u64 {
    header.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// Checks a whole packed copy, also the content of its parts, which a load does not read. A damaged one is deleted, so that
/// the next load writes another one. It is not checked whether the copy belongs to the weights beside it: a load does.
pub fn verify_copy(path: &Path) -> Result<(), WeightsError> {
    let checked = check_content(&FileBytes::open(path)?);
    if checked.is_err() {
        // In a read-only folder it stays.
        let _ = std::fs::remove_file(path);
    }
    checked.map_err(|error| error.of_file(path))
}

fn check_content(bytes: &FileBytes) -> Result<(), WeightsError> {
    let copy = PackedCopy::read(Arc::new(bytes.clone()))?;
    let start = number(bytes.as_ref(), 16) as usize;
    let content = bytes.as_ref().get(HEADER..start).unwrap_or_default();
    if hex::encode(Sha256::digest(content)) != copy.directory.content {
        return Err(WeightsError::damaged("the content of the packed copy has a wrong checksum"));
    }
    Ok(())
}

/// Reads any bytes as a packed copy whose checksum is right, and returns whether its structure is intact. For the fuzzer,
/// which would never find a checksum.
pub fn check_copy(bytes: &[u8]) -> bool {
    let mut memory = AlignedBytes::zeros(bytes.len());
    let copy = memory.bytes_mut();
    copy.copy_from_slice(bytes);
    let start = copy.get(..HEADER).map_or(u64::MAX, |header| number(header, 16));
    if let Some(directory) = usize::try_from(start).ok().and_then(|start| bytes.get(start..)) {
        let checksum = checksum(&bytes[..CHECKSUM.start], directory);
        copy[CHECKSUM].copy_from_slice(&checksum);
    }
    PackedCopy::read(Arc::new(memory)).is_ok_and(|copy| {
        copy.directory.floats.keys().all(|name| copy.floats(name).is_some())
            && copy.directory.linears.keys().all(|key| copy.linear(key).is_some())
    })
}
