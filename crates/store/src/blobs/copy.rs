//! Copies a file into the blob store in parts.

use std::path::Path;

use bytes::Bytes;
use object_store::path::Path as Key;
use object_store::{MultipartUpload, ObjectStoreExt, PutPayload};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::Blobs;
use crate::error::StoreError;

/// Size of one part of a large upload, and so the memory that an upload needs. 5 MiB is the smallest that S3 accepts; with
/// at most 10,000 parts per upload it allows blobs of 50 GB.
const PART_BYTES: usize = 5 << 20;

impl Blobs {
    /// Uploads in parts, one after the other, so that a recording of any size needs the memory of one part.
    pub(super) async fn copy(&self, key: &str, path: &Path) -> Result<u64, StoreError> {
        let mut source = tokio::fs::File::open(path).await.map_err(StoreError::unavailable)?;
        let first = read_part(&mut source).await?;
        if first.len() < PART_BYTES {
            let bytes = first.len() as u64;
            self.store.put(&Key::from(key), PutPayload::from_bytes(first)).await?;
            return Ok(bytes);
        }
        let mut upload = self.store.put_multipart(&Key::from(key)).await?;
        match send_parts(upload.as_mut(), first, &mut source).await {
            Ok(bytes) => upload.complete().await.map(|_| bytes).map_err(StoreError::from),
            Err(error) => {
                // Parts of an unfinished upload are invisible; a lifecycle rule of the bucket removes what this misses.
                let _ = upload.abort().await;
                Err(error)
            }
        }
    }
}

async fn send_parts(
    upload: &mut dyn MultipartUpload,
    first: Bytes,
    source: &mut (impl AsyncRead + Unpin),
) -> Result<u64, StoreError> {
    let mut bytes = 0;
    let mut part = first;
    while !part.is_empty() {
        bytes += part.len() as u64;
        upload.put_part(PutPayload::from_bytes(part)).await?;
        part = read_part(source).await?;
    }
    Ok(bytes)
}

/// A whole part, or less at the end of the file.
async fn read_part(source: &mut (impl AsyncRead + Unpin)) -> Result<Bytes, StoreError> {
    // Allocated in full, with a little extra for the read that finds the end: growing would need twice the memory.
    let mut part = Vec::with_capacity(PART_BYTES + 64);
    source.take(PART_BYTES as u64).read_to_end(&mut part).await.map_err(StoreError::unavailable)?;
    Ok(part.into())
}
