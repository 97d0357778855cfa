//! Blobs: the bytes of artifacts, in a folder or a bucket. A blob is written before the row that names it and removed
//! after it.

mod bucket;
mod folder;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{GetOptions, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::io::{AsyncRead, AsyncReadExt};

use self::bucket::Bucket;
pub use self::bucket::{BucketSettings, Encryption};
use self::folder::Folder;
use crate::crash_point::crash_point;
use crate::error::StoreError;

/// Size of one part of a large upload, and so the memory that an upload needs. 5 MiB is the smallest that S3 accepts; with
/// at most 10,000 parts per upload it allows blobs of 50 GB.
const PART_BYTES: usize = 5 << 20;
/// A key that no artifact has, requested to see whether the store answers.
const NO_BLOB: &str = ".ready";

/// The blob store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    home: Home,
}

#[derive(Debug, Clone)]
enum Home {
    Folder(Folder),
    Bucket(Bucket),
}

/// Where blobs are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobSettings {
    Folder(PathBuf),
    Bucket(BucketSettings),
}

/// A blob being read.
pub struct BlobStream {
    /// The size of the whole blob.
    pub size: u64,
    /// The part of it that `stream` returns.
    pub range: Range<u64>,
    pub stream: BoxStream<'static, Result<Bytes, StoreError>>,
}

/// A blob as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobEntry {
    pub key: String,
    pub bytes: u64,
}

impl Blobs {
    /// Opens the blob store. It does not contact a bucket yet; `ping` does.
    pub fn open(settings: &BlobSettings) -> Result<Self, StoreError> {
        match settings {
            BlobSettings::Folder(root) => Self::folder(root),
            BlobSettings::Bucket(settings) => {
                let bucket = Bucket::open(settings)?;
                Ok(Self { store: bucket.store(), home: Home::Bucket(bucket) })
            }
        }
    }

    /// Blobs in a folder, which is created if it does not exist.
    pub fn folder(root: &Path) -> Result<Self, StoreError> {
        let folder = Folder::open(root)?;
        Ok(Self { store: folder.store(), home: Home::Folder(folder) })
    }

    /// Stores a file's bytes and returns their number. The blob may share the file's storage: afterwards the file may be
    /// unlinked, but not changed.
    pub async fn put_file(&self, key: &str, path: &Path) -> Result<u64, StoreError> {
        let linked = match &self.home {
            Home::Folder(folder) => folder.link(key, path).await?,
            Home::Bucket(_) => None,
        };
        let bytes = match linked {
            Some(bytes) => bytes,
            None => self.copy(key, path).await?,
        };
        crash_point("blob.after_put");
        Ok(bytes)
    }

    pub async fn put_bytes(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        match &self.home {
            Home::Folder(folder) => folder.write(key, bytes).await?,
            Home::Bucket(_) => {
                self.store.put(&Key::from(key), PutPayload::from_bytes(bytes)).await.map(drop)?
            }
        }
        crash_point("blob.after_put");
        Ok(())
    }

    /// Reads a blob, or the given range of it; `None` if there is no such blob.
    pub async fn get_stream(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<BlobStream>, StoreError> {
        let options = GetOptions::new().with_range(range);
        match self.store.get_opts(&Key::from(key), options).await {
            Ok(found) => Ok(Some(BlobStream {
                size: found.meta.size,
                range: found.range.clone(),
                stream: found.into_stream().map_err(StoreError::from).boxed(),
            })),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The whole blob in memory; `None` if there is no such blob.
    pub async fn get_bytes(&self, key: &str) -> Result<Option<Bytes>, StoreError> {
        let found = match &self.home {
            Home::Folder(folder) => return folder.read(key).await,
            Home::Bucket(_) => self.store.get(&Key::from(key)).await,
        };
        match found {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes blobs; missing ones are ignored. A bucket gets one request per thousand blobs.
    pub async fn delete(&self, keys: &[String]) -> Result<(), StoreError> {
        let keys: Vec<_> = keys.iter().map(|key| Ok(Key::from(key.as_str()))).collect();
        let mut deleted = self.store.delete_stream(futures::stream::iter(keys).boxed());
        while let Some(outcome) = deleted.next().await {
            match outcome {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Blobs that were last written before the given time, as a stream, because there can be millions.
    pub fn list(&self, older_than: SystemTime) -> BoxStream<'static, Result<BlobEntry, StoreError>> {
        let found = self.store.list(None);
        let old = found.try_filter(move |meta| {
            let old = SystemTime::from(meta.last_modified) < older_than;
            std::future::ready(old)
        });
        old.map_ok(|meta| BlobEntry { key: meta.location.to_string(), bytes: meta.size })
            .map_err(StoreError::from)
            .boxed()
    }

    /// The file of a blob, for readers that need a file; `None` if the blob is not in a folder or does not exist.
    pub fn local_path(&self, key: &str) -> Option<PathBuf> {
        match &self.home {
            Home::Folder(folder) => folder.path(key).ok().filter(|path| path.is_file()),
            Home::Bucket(_) => None,
        }
    }

    /// A URL at which a bucket serves the blob as a download with this file name; `None` for a folder.
    pub async fn address(
        &self,
        key: &str,
        file_name: &str,
        lifetime: Duration,
    ) -> Result<Option<String>, StoreError> {
        match &self.home {
            Home::Folder(_) => Ok(None),
            Home::Bucket(bucket) => bucket.address(key, file_name, lifetime).await.map(Some),
        }
    }

    /// Succeeds if the store answers and accepts our credentials.
    pub async fn ping(&self) -> Result<(), StoreError> {
        match self.store.head(&Key::from(NO_BLOB)).await {
            Ok(_) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Uploads in parts, one after the other, so that a recording of any size needs the memory of one part.
    async fn copy(&self, key: &str, path: &Path) -> Result<u64, StoreError> {
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

impl From<object_store::Error> for StoreError {
    fn from(error: object_store::Error) -> Self {
        Self::Unavailable(error.into())
    }
}
