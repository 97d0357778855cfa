//! Blobs in a folder.

use std::io::Write;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::TryStreamExt;

use auris_store::Blobs;

async fn read(blobs: &Blobs, key: &str, range: Option<std::ops::Range<u64>>) -> Option<(u64, Vec<u8>)> {
    let blob = blobs.get_stream(key, range).await.unwrap()?;
    let parts: Vec<Bytes> = blob.stream.try_collect().await.unwrap();
    assert_eq!(blob.range.end - blob.range.start, parts.iter().map(Bytes::len).sum::<usize>() as u64);
    Some((blob.size, parts.concat()))
}

#[tokio::test]
async fn bytes_are_read_back_in_whole_and_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::folder(&folder.path().join("blobs")).unwrap();
    blobs.put_bytes("prj/job/art", Bytes::from_static(b"hello world")).await.unwrap();
    assert_eq!(read(&blobs, "prj/job/art", None).await.unwrap(), (11, b"hello world".to_vec()));
    assert_eq!(read(&blobs, "prj/job/art", Some(6..9)).await.unwrap(), (11, b"wor".to_vec()));
    assert_eq!(read(&blobs, "prj/job/art", Some(6..900)).await.unwrap(), (11, b"world".to_vec()));
    assert!(read(&blobs, "prj/job/other", None).await.is_none());
}

#[tokio::test]
async fn a_file_becomes_a_blob_that_outlives_it() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::folder(&folder.path().join("blobs")).unwrap();
    let mut spool = tempfile::NamedTempFile::new_in(folder.path()).unwrap();
    spool.write_all(&[7; 100_000]).unwrap();
    assert_eq!(blobs.put_file("prj/job/art", spool.path()).await.unwrap(), 100_000);
    drop(spool);
    assert_eq!(read(&blobs, "prj/job/art", None).await.unwrap().1, vec![7; 100_000]);
    assert!(blobs.local_path("prj/job/art").unwrap().is_file());
}

#[tokio::test]
async fn a_file_is_copied_if_it_cannot_be_linked() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::folder(folder.path()).unwrap();
    blobs.put_bytes("prj/job/art", Bytes::from_static(b"old")).await.unwrap();
    let mut spool = tempfile::NamedTempFile::new().unwrap();
    spool.write_all(b"new bytes").unwrap();
    assert_eq!(blobs.put_file("prj/job/art", spool.path()).await.unwrap(), 9);
    assert_eq!(read(&blobs, "prj/job/art", None).await.unwrap().1, b"new bytes");
}

#[tokio::test]
async fn deleting_a_missing_blob_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::folder(folder.path()).unwrap();
    blobs.put_bytes("prj/job/art", Bytes::from_static(b"x")).await.unwrap();
    let keys = ["prj/job/art".to_owned(), "prj/job/never".to_owned()];
    blobs.delete(&keys).await.unwrap();
    blobs.delete(&keys).await.unwrap();
    assert!(read(&blobs, "prj/job/art", None).await.is_none());
    assert!(blobs.local_path("prj/job/art").is_none());
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the file system dates files by the real time")]
async fn only_blobs_older_than_the_given_time_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::folder(folder.path()).unwrap();
    blobs.put_bytes("prj/job/art", Bytes::from_static(b"xyz")).await.unwrap();
    let hour = Duration::from_secs(3600);
    let list = |moment| blobs.list(moment).try_collect::<Vec<_>>();
    assert!(list(SystemTime::now() - hour).await.unwrap().is_empty());
    let listed = list(SystemTime::now() + hour).await.unwrap();
    assert_eq!((listed.len(), listed[0].key.as_str(), listed[0].bytes), (1, "prj/job/art", 3));
}
