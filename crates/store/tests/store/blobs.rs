//! Blobs in a folder.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::TryStreamExt;

use auris_store::{Blobs, DatabaseSettings, Store};

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

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the file system dates files by the real time")]
async fn the_owner_of_the_blobs_is_stored_beside_them_and_is_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::folder(folder.path()).unwrap();
    assert_eq!(blobs.owner().await.unwrap(), None);
    blobs.set_owner("one").await.unwrap();
    blobs.set_owner("other").await.unwrap();
    assert_eq!(blobs.owner().await.unwrap().as_deref(), Some("other"));
    assert!(blobs.list_first(10).await.unwrap().is_empty());
    blobs.put_bytes("prj/job/art", Bytes::from_static(b"xyz")).await.unwrap();
    let later = SystemTime::now() + Duration::from_secs(3600);
    let listed: Vec<_> = blobs.list(later).try_collect().await.unwrap();
    assert_eq!(listed, blobs.list_first(10).await.unwrap());
    assert_eq!((listed.len(), listed[0].key.as_str()), (1, "prj/job/art"));
    assert_eq!(blobs.size("prj/job/art").await.unwrap(), Some(3));
    assert_eq!(blobs.size("prj/job/other").await.unwrap(), None);
}

#[tokio::test]
async fn a_folder_that_was_removed_is_not_writable() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("blobs");
    let blobs = Blobs::folder(&folder).unwrap();
    blobs.check_writable().await.unwrap();
    fs::remove_dir(&folder).unwrap();
    assert!(blobs.check_writable().await.is_err());
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn blobs_are_private_in_a_folder_that_others_can_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("blobs");
    fs::create_dir(&root).unwrap();
    fs::set_permissions(&root, Permissions::from_mode(0o755)).unwrap();
    let blobs = Blobs::folder(&root).unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "text").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    blobs.put_bytes("prj/job/written", Bytes::from_static(b"text")).await.unwrap();
    blobs.put_file("prj/job/linked", &file).await.unwrap();
    // A blob that exists cannot be linked, so it is copied.
    blobs.put_file("prj/job/written", &file).await.unwrap();
    blobs.set_owner("one").await.unwrap();
    assert_eq!([mode(&root), mode(&root.join("prj")), mode(&root.join("prj/job"))], [0o700; 3]);
    for key in ["prj/job/written", "prj/job/linked", "installation"] {
        assert_eq!(mode(&root.join(key)), 0o600, "{key}");
    }
}

#[tokio::test]
async fn a_database_is_private_in_a_folder_that_others_can_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    for name in ["new.db", "old.db"] {
        let path = folder.path().join(name);
        if name == "old.db" {
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        }
        let store =
            Store::open(&DatabaseSettings::new(format!("sqlite:{}", path.display()), 2)).await.unwrap();
        store.migrate().await.unwrap();
        for end in ["", "-wal", "-shm"] {
            assert_eq!(mode(&folder.path().join(format!("{name}{end}"))), 0o600, "{name}{end}");
        }
        store.close().await;
    }
}
