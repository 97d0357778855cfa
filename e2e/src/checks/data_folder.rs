//! What must be true of the data folder of a stopped server on SQLite, however it stopped: the database is intact, and
//! every blob that a row names is whole.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

pub(super) const DATABASE: &str = "auris.db";

/// An artifact's row.
struct StoredArtifact {
    status: String,
    bytes: u64,
    blob_key: String,
}

/// Checks the database and the blobs of the available artifacts.
pub fn is_whole(data: &Path) {
    for artifact in artifacts(data).iter().filter(|artifact| artifact.status == "available") {
        let blob = fs::metadata(data.join("blobs").join(&artifact.blob_key));
        let length = blob.map(|blob| blob.len());
        assert!(
            length.as_ref().is_ok_and(|length| *length == artifact.bytes),
            "the row says {} bytes, the blob `{}` is {length:?}",
            artifact.bytes,
            artifact.blob_key
        );
    }
}

/// Checks that no artifact is available, and that their blobs are removed.
pub fn content_is_removed(data: &Path) {
    for artifact in artifacts(data) {
        assert_eq!(artifact.status, "deleted", "{}", artifact.blob_key);
        let blob = data.join("blobs").join(&artifact.blob_key);
        assert!(!blob.exists(), "the deleted blob `{}` is still there", artifact.blob_key);
    }
}

/// Reads a copy of the database, because opening it already repairs what the next start of the server has to repair.
fn artifacts(data: &Path) -> Vec<StoredArtifact> {
    let copy = tempfile::tempdir().expect("a temporary folder");
    fs::copy(data.join(DATABASE), copy.path().join(DATABASE)).expect("the server has a database");
    let log = format!("{DATABASE}-wal");
    if data.join(&log).exists() {
        fs::copy(data.join(&log), copy.path().join(&log)).expect("the temporary folder is writable");
    }
    let database = Connection::open_with_flags(copy.path().join(DATABASE), OpenFlags::SQLITE_OPEN_READ_WRITE);
    let database = database.expect("the database can be opened");
    is_intact(&database);
    let mut statement =
        database.prepare("SELECT status, bytes, blob_key FROM artifacts").expect("the table exists");
    let rows = statement.query_map((), |row| {
        let bytes: i64 = row.get(1)?;
        Ok(StoredArtifact { status: row.get(0)?, bytes: bytes.unsigned_abs(), blob_key: row.get(2)? })
    });
    let rows = rows.expect("the table can be read");
    rows.map(|row| row.expect("every row can be read")).collect()
}

fn is_intact(database: &Connection) {
    let verdict: String = database
        .query_row("PRAGMA integrity_check", (), |row| row.get(0))
        .expect("the database can be checked");
    assert_eq!(verdict, "ok");
    let orphans: i64 = database
        .query_row("SELECT COUNT(*) FROM pragma_foreign_key_check", (), |row| row.get(0))
        .expect("the database can be checked");
    assert_eq!(orphans, 0, "rows without the row that they belong to");
}
