//! Blobs: the bytes of artifacts, in a folder or a bucket. A blob is written before the row that names it and removed
//! after it.

mod bucket;
mod copy;
mod folder;
mod owner;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};

use self::bucket::Bucket;
pub use self::bucket::{BucketSettings, Encryption};
use self::folder::Folder;
use crate::crash_point::crash_point;
use crate::error::StoreError;

/// A key that no artifact has, written and deleted to see whether a bucket can be written to.
const TEST_KEY: &str = ".ready";

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
            None => {
                let bytes = self.copy(key, path).await?;
                self.make_private(key)?;
                bytes
            }
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

    /// The size of a blob; `None` if there is no such blob.
    pub async fn size(&self, key: &str) -> Result<Option<u64>, StoreError> {
        match self.store.head(&Key::from(key)).await {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Blobs that were last written before the given time, as a stream, because there can be millions.
    pub fn list(&self, older_than: SystemTime) -> BoxStream<'static, Result<BlobEntry, StoreError>> {
        let old = self.listed().try_filter(move |meta| {
            let old = SystemTime::from(meta.last_modified) < older_than;
            std::future::ready(old)
        });
        old.map_ok(entry).map_err(StoreError::from).boxed()
    }

    /// Up to `limit` blobs of any age. A bucket returns a thousand in one answer.
    pub async fn list_first(&self, limit: usize) -> Result<Vec<BlobEntry>, StoreError> {
        Ok(self.listed().take(limit).map_ok(entry).try_collect().await?)
    }

    fn listed(&self) -> BoxStream<'static, Result<ObjectMeta, object_store::Error>> {
        let is_blob = |meta: &ObjectMeta| std::future::ready(meta.location.as_ref() != owner::OWNER);
        self.store.list(None).try_filter(is_blob).boxed()
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

    /// Succeeds if blobs can be written. A bucket that could be written is not tried again for a minute, because every
    /// request is paid for.
    pub async fn check_writable(&self) -> Result<(), StoreError> {
        match &self.home {
            Home::Folder(folder) => folder.check_writable(),
            Home::Bucket(bucket) if bucket.was_written() => Ok(()),
            Home::Bucket(bucket) => {
                let key = Key::from(TEST_KEY);
                self.store.put(&key, PutPayload::from_static(b"ready")).await?;
                self.store.delete(&key).await?;
                bucket.note_written();
                Ok(())
            }
        }
    }

    /// Lets only the owner read a file that the object store's client has created.
    fn make_private(&self, key: &str) -> Result<(), StoreError> {
        match &self.home {
            Home::Folder(folder) => folder.restrict(key),
            Home::Bucket(_) => Ok(()),
        }
    }
}

fn entry(meta: ObjectMeta) -> BlobEntry {
    BlobEntry { key: meta.location.to_string(), bytes: meta.size }
}

impl From<object_store::Error> for StoreError {
    fn from(error: object_store::Error) -> Self {
        Self::Unavailable(error.into())
    }
}
