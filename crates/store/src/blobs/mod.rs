//! Blobs: the bytes of artifacts, in a folder or a bucket. Written before the row that names them, removed after it.

mod bucket;
mod folder;
mod key;

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
pub use self::key::{artifact_of_blob, blob_key};
use crate::crash_point::crash_point;
use crate::error::StoreError;

/// What is sent of a large blob at once, and the memory of an upload: S3 takes no less, and at most 10,000 of these.
const PART_BYTES: usize = 5 << 20;
/// A key that no artifact has, looked at to see whether the store answers.
const NO_BLOB: &str = ".ready";

/// Where blobs are kept. Cheap to clone.
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

/// Which store of blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobSettings {
    Folder(PathBuf),
    Bucket(BucketSettings),
}

/// A blob being read.
pub struct BlobStream {
    /// Of the whole blob.
    pub size: u64,
    /// The part that `stream` gives.
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
    /// Opens the store of blobs. A bucket is not asked yet; `ping` does.
    pub fn open(settings: &BlobSettings) -> Result<Self, StoreError> {
        match settings {
            BlobSettings::Folder(root) => Self::folder(root),
            BlobSettings::Bucket(settings) => {
                let bucket = Bucket::open(settings)?;
                Ok(Self { store: bucket.store(), home: Home::Bucket(bucket) })
            }
        }
    }

    /// Blobs in a folder, which is made if it is not there.
    pub fn folder(root: &Path) -> Result<Self, StoreError> {
        let folder = Folder::open(root)?;
        Ok(Self { store: folder.store(), home: Home::Folder(folder) })
    }

    /// Keeps a file's bytes; returns how many. The file may become the blob itself: afterwards it may be unlinked,
    /// never changed.
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
        self.store.put(&Key::from(key), PutPayload::from_bytes(bytes)).await?;
        crash_point("blob.after_put");
        Ok(())
    }

    /// Reads a blob, or the part of it that `range` names; `None` when there is no such blob.
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

    /// Removes blobs; those that are gone already are fine. A bucket is asked once for a thousand of them.
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

    /// Blobs that were last written before the given moment, one by one: there may be millions.
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

    /// The file behind a blob, for readers that need one; `None` when there is none.
    pub fn local_path(&self, key: &str) -> Option<PathBuf> {
        match &self.home {
            Home::Folder(folder) => folder.path(key).ok().filter(|path| path.is_file()),
            Home::Bucket(_) => None,
        }
    }

    /// An address at which the store itself gives the blob as a download of that name; `None` where it cannot.
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

    /// Whether the store answers and lets us in.
    pub async fn ping(&self) -> Result<(), StoreError> {
        match self.store.head(&Key::from(NO_BLOB)).await {
            Ok(_) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// In parts, one behind the other, so that a recording of any size takes the memory of one.
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
                // Parts without an end are seen by nobody; a rule of the bucket sweeps what even this leaves.
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
    let (mut bytes, mut part) = (0, first);
    while !part.is_empty() {
        bytes += part.len() as u64;
        upload.put_part(PutPayload::from_bytes(part)).await?;
        part = read_part(source).await?;
    }
    Ok(bytes)
}

/// A whole part; less of one only at the end of the file.
async fn read_part(source: &mut (impl AsyncRead + Unpin)) -> Result<Bytes, StoreError> {
    // Room for the whole from the start, and a little for the look beyond the end: growing would take twice as much.
    let mut part = Vec::with_capacity(PART_BYTES + 64);
    source.take(PART_BYTES as u64).read_to_end(&mut part).await.map_err(StoreError::unavailable)?;
    Ok(part.into())
}

impl From<object_store::Error> for StoreError {
    fn from(error: object_store::Error) -> Self {
        Self::Unavailable(error.into())
    }
}
